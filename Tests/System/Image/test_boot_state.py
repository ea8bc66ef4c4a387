#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The boot state on a disk in a file: overlays/common/usr/lib/martlet/boot-state, with libubootenv's own programs."""
import os
import pathlib
import subprocess
import tempfile
import unittest
import zlib

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "overlays/common/usr/lib/martlet/boot-state"
OFFSETS = (0x400000, 0x800000)
SIZE = 0x1000


def image(**variables):
    """A copy as U-Boot writes it: checksum, NAME=VALUE with a zero after each, zeros to the end."""
    data = b"".join(f"{name}={value}\0".encode() for name, value in variables.items()).ljust(SIZE - 4, b"\0")
    return zlib.crc32(data).to_bytes(4, "little") + data


class BootState(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.disk = pathlib.Path(folder.name) / "disk"
        with open(self.disk, "wb") as file:
            file.truncate(0x900000)
        self.put(0, AB_PHASE=0, BOOT_ORDER="A", BOOT_A_LEFT=3, BOOT_B_LEFT=0)
        self.put(1, AB_PHASE=2, BOOT_ORDER="A", BOOT_A_LEFT=3, BOOT_B_LEFT=0)

    def put(self, copy, **variables):
        self.write(copy, image(**variables))

    def write(self, copy, data):
        with open(self.disk, "r+b") as file:
            file.seek(OFFSETS[copy])
            file.write(data)

    def copy(self, number):
        with open(self.disk, "rb") as file:
            file.seek(OFFSETS[number])
            data = file.read(SIZE)
        if zlib.crc32(data[4:]).to_bytes(4, "little") != data[:4]:
            return None
        return dict(line.split("=", 1) for line in data[4:].split(b"\0\0")[0].decode().split("\0"))

    def use_up(self, slot):
        """What boot.scr does with three starts that come to nothing."""
        for number in (0, 1):
            self.put(number, **{**self.copy(number), f"BOOT_{slot}_LEFT": "0"})

    def run_state(self, *words, running="A", status=0):
        answer = subprocess.run(
            ["sh", SCRIPT, *words], capture_output=True, text=True, timeout=60,
            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "BOOT_STATE_DISK": str(self.disk),
                 "BOOT_STATE_RUNNING": running})
        self.assertEqual(answer.returncode, status, answer.stderr)
        return answer.stdout.strip()

    def test_a_new_card_runs_its_one_slot(self):
        self.assertEqual(self.run_state("get-primary"), "A")
        self.assertEqual(self.run_state("get-state", "A"), "good")
        self.assertEqual(self.run_state("get-state", "B"), "bad")
        self.run_state("on-trial", status=1)

    def test_an_update_goes_from_bad_to_trial_to_good(self):
        self.run_state("set-state", "B", "bad")
        self.assertEqual(self.run_state("get-primary"), "A")
        self.run_state("set-primary", "B")
        self.assertEqual(self.run_state("get-primary"), "B")
        self.assertEqual(self.run_state("get-state", "B"), "good")
        self.run_state("on-trial", running="B")
        self.run_state("on-trial", running="A", status=1)
        self.run_state("set-state", "B", "good", running="B")
        self.run_state("on-trial", running="B", status=1)
        self.assertEqual(self.run_state("get-primary"), "B")
        self.assertEqual(self.run_state("get-state", "A"), "good", "the old slot stays to go back to")

    def test_a_slot_that_is_being_written_is_not_tried(self):
        self.run_state("set-primary", "B")
        self.run_state("set-state", "B", "good", running="B")
        self.run_state("set-state", "A", "bad", running="B")
        self.assertNotIn("A", self.run_state("show", running="B").split("BOOT_ORDER=")[1].splitlines()[0])
        self.assertEqual(self.run_state("get-state", "A"), "bad")
        self.assertEqual(self.run_state("get-primary"), "B")

    def test_a_good_slot_whose_tries_were_used_up_gets_them_back_and_a_bad_one_does_not(self):
        self.run_state("set-primary", "B")
        self.run_state("set-state", "B", "good", running="B")
        self.use_up("B")
        self.assertEqual(self.run_state("get-primary", running="A"), "A")
        self.run_state("give-back", running="A")
        self.assertEqual(self.run_state("get-primary", running="A"), "B")
        self.run_state("set-state", "B", "bad", running="A")
        self.run_state("give-back", running="A")
        self.assertEqual(self.run_state("get-primary", running="A"), "A")
        self.run_state("set-primary", "B", running="A")
        self.use_up("B")
        self.run_state("give-back", running="A")
        self.assertEqual(self.run_state("get-primary", running="A"), "A", "a trial that never started stays over")

    def test_a_trial_that_failed_goes_back(self):
        self.run_state("set-primary", "B")
        self.run_state("set-state", "B", "bad", running="B")
        self.assertEqual(self.run_state("get-primary"), "A")
        self.run_state("on-trial", status=1)

    def test_what_is_written_goes_to_the_older_copy_in_turn(self):
        for phase in (1, 2, 0, 1):
            before = self.copy(0), self.copy(1)
            self.run_state("set-state", "A", "good")
            after = self.copy(0), self.copy(1)
            changed = [number for number in (0, 1) if before[number] != after[number]]
            self.assertEqual(len(changed), 1)
            self.assertEqual(after[changed[0]]["AB_PHASE"], str(phase))

    def test_a_write_that_the_power_cut_short_leaves_the_state_before_it(self):
        self.run_state("set-primary", "B")  # copy 1 is newer now
        whole = self.disk.read_bytes()
        self.run_state("set-state", "B", "bad", running="B")
        written = self.disk.read_bytes()[OFFSETS[0]:OFFSETS[0] + SIZE]
        for length in (1, 3, 4, 20, 40, 60):
            with self.subTest(length):
                self.disk.write_bytes(whole)
                self.write(0, written[:length])
                self.assertIsNone(self.copy(0))
                self.assertEqual(self.run_state("get-primary"), "B")
                # …and the next write makes both whole again.
                self.run_state("set-state", "B", "good", running="B")
                self.assertIsNotNone(self.copy(0))

    def test_without_either_copy_both_slots_may_be_tried(self):
        for copy in (0, 1):
            self.write(copy, b"\xff" * SIZE)
        self.assertEqual(self.run_state("get-primary"), "A")
        self.run_state("set-primary", "B")
        self.assertEqual(self.run_state("get-primary"), "B")

    def test_either_copy_alone_is_enough(self):
        for lost in (0, 1):
            with self.subTest(lost):
                self.setUp()
                self.run_state("set-primary", "B")
                self.run_state("set-state", "B", "good", running="B")
                self.write(lost, b"\0" * SIZE)
                self.assertEqual(self.run_state("get-primary"), "B")

    def test_the_counters_that_u_boot_writes_are_read(self):
        self.put(1, AB_PHASE=1, BOOT_ORDER="B A", BOOT_A_LEFT=3, BOOT_B_LEFT=0, BOOT_TRIAL="B")
        self.assertEqual(self.run_state("get-primary"), "A", "slot B has had its tries")
        self.assertEqual(self.run_state("get-state", "B"), "bad")

    def test_other_words_are_refused(self):
        for words in (["set-primary", "C"], ["set-state", "A", "fine"], ["get-state"], ["whatever"], []):
            with self.subTest(words):
                before = self.disk.read_bytes()
                self.run_state(*words, status=2)
                self.assertEqual(self.disk.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
