#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manifest.py IMAGE BOARD_NAME DEVICES VERSION: an entry of Raspberry Pi Imager's list of systems, for IMAGE.xz."""
import hashlib
import json
import os
import pathlib
import sys
import time


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def entry(image, board_name, devices, version):
    compressed = pathlib.Path(f"{image}.xz")
    return {
        "name": f"Martlet {version} ({board_name})",
        "description": "A Bluetooth LE sensor gateway: readings from sensors to an MQTT broker",
        "url": compressed.name,
        "release_date": time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))),
        "extract_size": image.stat().st_size,
        "extract_sha256": digest(image),
        "image_download_size": compressed.stat().st_size,
        "image_download_sha256": digest(compressed),
        "devices": devices,
        # What is set in Imager's own pages would not be read: martlet.toml on the card is where it is said.
        "init_format": "none",
    }


def main(image, board_name, devices, version):
    system = entry(pathlib.Path(image), board_name, json.loads(devices), version)
    print(json.dumps({"os_list": [system]}, indent=2, ensure_ascii=False))


main(*sys.argv[1:])
