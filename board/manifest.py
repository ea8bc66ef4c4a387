#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manifest.py IMAGE BOARD_NAME DEVICES VERSION [URL]: a list of systems for Raspberry Pi Imager 2, with IMAGE.xz as its only one.

Imager asks for name, WLAN and SSH key only of systems of such a list. URL is where the folder of the image will be
found, and ends in a slash; without it the list is for this machine. DEVICES are Imager's, as JSON: name, description and
tags of each.
"""
import hashlib
import json
import os
import pathlib
import sys
import time


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def system(image, board_name, devices, version, url):
    compressed = pathlib.Path(f"{image}.xz").absolute()
    return {
        "name": f"Martlet {version} ({board_name})",
        "description": "A Bluetooth LE sensor gateway: readings from sensors to an MQTT broker",
        "icon": "icons/use_custom.png",
        "url": url + compressed.name if url else compressed.as_uri(),
        "release_date": time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))),
        "extract_size": image.stat().st_size,
        "extract_sha256": digest(image),
        "image_download_size": compressed.stat().st_size,
        "image_download_sha256": digest(compressed),
        "devices": sorted({tag for device in devices for tag in device["tags"]}),
        "init_format": "rpi-preseed",  # which import-seed reads
        "architecture": "armv8",
    }


def main(image, board_name, devices, version, url=""):
    devices = json.loads(devices)
    print(json.dumps({
        "imager": {"devices": [{**device, "matching_type": "exclusive", "capabilities": []} for device in devices]},
        "os_list": [system(pathlib.Path(image), board_name, devices, version, url)],
    }, indent=2, ensure_ascii=False))


main(*sys.argv[1:])
