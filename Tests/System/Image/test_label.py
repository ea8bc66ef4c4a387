#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The label on the card: overlays/common/usr/lib/martlet/write-label, without a card."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "overlays/common/usr/lib/martlet/write-label"
# The program's answers; what it says of the label for a terminal goes on with a code.
MARTLET = """#!/bin/sh
case "$*" in
    "provision status --json") printf '{"failures":0,"open":true%s}\\n' "$OPENER" ;;
    "provision label") printf 'attic\\nPasskey 019655\\n\u2588\u2580\\n' ;;
    "provision label --svg "*) printf '<svg/>' >"$4"; echo made >>"$MADE" ;;
    *) exit 2 ;;
esac
[ -z "$STATUS" ] || exit "$STATUS"
"""


class Label(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.card = self.folder / "card"
        self.card.mkdir()
        (self.folder / "martlet").write_text(MARTLET)
        (self.folder / "martlet").chmod(0o755)
        self.made = self.folder / "made"

    def write(self, opener='"unprovisioned"', status=""):
        environment = {**os.environ, "SEED_CARD": str(self.card), "PATH": f"{self.folder}:{os.environ['PATH']}",
                       "OPENER": f',"opener":{opener}' if opener else "", "MADE": str(self.made), "STATUS": status}
        return subprocess.run(["sh", SCRIPT], env=environment, capture_output=True, text=True, timeout=60)

    def test_who_has_no_monitor_finds_the_passkey_on_the_card(self):
        answer = self.write()
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        lines = (self.card / "martlet-label.txt").read_bytes().decode().split("\r\n")
        self.assertEqual(lines[:3], ["attic", "Passkey 019655", ""])
        self.assertEqual((self.card / "martlet-label.svg").read_text(), "<svg/>")
        self.assertNotIn("019655", answer.stdout)

    def test_the_card_is_not_written_twice(self):
        self.write()
        for file in self.card.iterdir():
            os.utime(file, (1, 1))
        self.assertEqual(self.write().returncode, 0)
        self.assertEqual({file.stat().st_mtime for file in self.card.iterdir()}, {1})

    def test_a_gateway_that_is_set_up_puts_no_label_there(self):
        for opener in ('', '"command"', '"button"'):
            self.assertEqual(self.write(opener).returncode, 0)
        self.assertEqual(list(self.card.iterdir()), [])
        self.assertFalse(self.made.exists())

    def test_a_gateway_that_does_not_answer_is_asked_again_later(self):
        for opener in ("", '"unprovisioned"'):
            self.assertNotEqual(self.write(opener, status="1").returncode, 0)
        self.assertEqual(list(self.card.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
