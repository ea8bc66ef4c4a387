#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What board/manifest.py tells Raspberry Pi Imager."""
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BOARD = pathlib.Path(__file__).resolve().parents[3] / "board"


class Manifest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.image = pathlib.Path(folder.name) / "martlet.img"
        self.image.write_bytes(b"image")
        self.compressed = self.image.with_name("martlet.img.xz")
        self.compressed.write_bytes(b"compressed image")

    def manifest(self, *url):
        devices = subprocess.run(["bash", "-c", '. "$0" && echo "$imager_devices"', BOARD / "rpi/board.sh"],
                                 capture_output=True, text=True, check=True).stdout
        answer = subprocess.run(
            [BOARD / "manifest.py", self.image, "Pi", devices, "1.2", *url], capture_output=True, text=True, check=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": "86400"})
        return json.loads(answer.stdout)

    def test_a_system_is_there_for_each_device_that_can_be_chosen(self):
        manifest = self.manifest()
        [system] = manifest["os_list"]
        names = [device["name"] for device in manifest["imager"]["devices"]]
        self.assertEqual(names, ["Raspberry Pi 4", "Raspberry Pi 3", "Raspberry Pi Zero 2 W"])
        for device in manifest["imager"]["devices"]:
            self.assertTrue(set(device["tags"]) & set(system["devices"]), device)

    def test_what_is_downloaded_can_be_checked(self):
        [system] = self.manifest()["os_list"]
        self.assertEqual((system["extract_size"], system["image_download_size"]), (5, 16))
        self.assertEqual(system["extract_sha256"], hashlib.sha256(b"image").hexdigest())
        self.assertEqual(system["image_download_sha256"], hashlib.sha256(b"compressed image").hexdigest())
        self.assertEqual(system["release_date"], "1970-01-02")

    def test_it_says_where_the_image_is(self):
        self.assertEqual(self.manifest()["os_list"][0]["url"], self.compressed.as_uri())
        self.assertEqual(self.manifest("https://x.org/a/")["os_list"][0]["url"], "https://x.org/a/martlet.img.xz")

    def test_its_questions_are_answered_in_a_file_that_is_read(self):
        kind = self.manifest()["os_list"][0]["init_format"]
        seed = (BOARD.parent / "overlays/common/usr/lib/martlet/import-seed").read_text()
        self.assertIn(f"$card/{kind}.toml", seed)


if __name__ == "__main__":
    unittest.main()
