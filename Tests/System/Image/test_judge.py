#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""When a slot is found good, and when it is left again: overlays/common/usr/lib/martlet/judge-slot and slot-health."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "overlays/common/usr/lib/martlet"
COLLECTING = '{"collector":{"sensors":[{"id":"a","link": "collecting"}]},"controller":{"state":"powered on"}}'
READY = '{"collector":{"sensors":[{"id":"a","link":"waiting"}]},"controller":{"name":"hci0","state":"powered on"}}'
NO_JOURNAL = ('{"collector":{"sensors":[{"id":"a","link":"collecting"}]},"controller":{"state":"powered on"},'
              '"journal":{"problem": "the journal is of a newer version"}}')
NO_RADIO = '{"collector":{"sensors":[]},"controller":{"name":"hci0","state":"there is no controller hci0"}}'


class Judge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"
        self.program("boot-state", f'echo "boot-state $*" >>{self.log}\n'
                     f'[ ! -e {self.folder}/broken ] || [ "$1" != "$(cat {self.folder}/broken)" ] || exit 2\n'
                     f'case "$1" in get-current) echo B ;; show) cat {self.folder}/state ;; get-state) echo bad ;; '
                     f'on-trial) [ -e {self.folder}/trial ] ;; esac\n')
        (self.folder / "state").write_text("BOOT_ORDER=B A\nBOOT_TRIAL=\n")
        self.program("systemctl", f'echo "systemctl $*" >>{self.log}\n')
        self.program("sleep", "exit 0\n")
        self.answers()

    def program(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def answers(self, *texts):
        """What `martlet status` says, one time after the other; the last one for good; nothing: it fails."""
        for number, text in enumerate(texts):
            (self.folder / f"answer-{number}").write_text(text)
        count = self.folder / "count"
        count.write_text("0")
        self.program("martlet", f'n=$(cat {count}); [ -e {self.folder}/answer-$n ] || exit 1\n'
                     f'cat {self.folder}/answer-$n; [ ! -e {self.folder}/answer-$((n + 1)) ] || echo $((n + 1)) >{count}\n')

    def judge(self, trial, expected=None, limit=1000, status=0):
        if trial:
            (self.folder / "trial").touch()
        update = self.folder / "update"
        update.mkdir(exist_ok=True)
        if expected:
            (update / "expected").write_text(expected + "\n")
        text = (SCRIPTS / "judge-slot").read_text()
        health = self.folder / "slot-health"
        health.write_text((SCRIPTS / "slot-health").read_text())
        health.chmod(0o755)
        # The paths of an image become those of the test.
        text = text.replace("/usr/lib/martlet/", f"{self.folder}/").replace("/data/update", str(update))
        script = self.folder / "judge-slot"
        script.write_text(text)
        answer = subprocess.run(["sh", script], timeout=60, capture_output=True,
                                env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}",
                                     "JUDGE_LIMIT": str(limit)})
        self.assertEqual(answer.returncode, status, answer.stderr)
        return self.log.read_text()

    def test_a_slot_that_is_not_on_trial_is_good_whatever_its_radio_does(self):
        self.answers(NO_RADIO)
        log = self.judge(trial=False)
        self.assertLess(log.index("is-system-running --wait"), log.index("set-state B good"))
        self.assertNotIn("reboot", log)
        self.assertLess(log.index("set-state B good"), log.index("give-back"))

    def test_an_update_that_never_started_is_told(self):
        (self.folder / "state").write_text("BOOT_ORDER=A B\nBOOT_TRIAL=A\n")
        self.assertIn("set-state A bad", self.judge(trial=False))
        self.assertEqual((self.folder / "update/rolled-back").read_text(), "slot A did not start\n")

    def test_where_the_boot_state_cannot_be_used_an_update_is_left_and_nothing_else(self):
        self.answers(READY)
        for command in ("get-current", "on-trial", "set-state"):
            with self.subTest(command):
                self.log.write_text("")
                (self.folder / "broken").write_text(command)
                (self.folder / "trial").unlink(missing_ok=True)
                (self.folder / "update/expected").unlink(missing_ok=True)
                self.assertNotIn("reboot", self.judge(trial=False, status=2))
                self.assertIn("reboot", self.judge(trial=True, expected="ready", status=2))

    def test_an_update_that_was_cut_short_is_not_waited_for_any_more(self):
        self.judge(trial=False, expected="collecting")
        self.assertFalse((self.folder / "update/expected").exists())

    def test_a_trial_waits_until_the_slot_collects_as_the_one_before_did(self):
        self.answers(NO_RADIO, READY, READY, COLLECTING)
        log = self.judge(trial=True, expected="collecting")
        self.assertIn("set-state B good", log)
        self.assertEqual((self.folder / "count").read_text().strip(), "3")
        self.assertFalse((self.folder / "update/expected").exists())

    def test_where_nothing_was_collected_before_a_radio_is_enough(self):
        for expected in (None, "ready", "down"):
            with self.subTest(expected):
                self.answers(NO_RADIO, READY)
                self.assertIn("set-state B good", self.judge(trial=True, expected=expected))

    def test_a_slot_that_does_less_than_the_one_before_is_left_when_its_time_is_over(self):
        for answers, health in (([READY], "ready"), ([NO_RADIO], "down"), ([], "down"), ([NO_JOURNAL], "down")):
            with self.subTest(health):
                self.answers(*answers)
                log = self.judge(trial=True, expected="collecting", limit=0)
                self.assertIn("set-state B bad", log)
                self.assertLess(log.index("set-state B bad"), log.index("systemctl --no-block reboot"))
                self.assertNotIn("set-state B good", log)
                self.assertIn(health, (self.folder / "update/rolled-back").read_text())
                for file in self.folder.glob("answer-*"):
                    file.unlink()


if __name__ == "__main__":
    unittest.main()
