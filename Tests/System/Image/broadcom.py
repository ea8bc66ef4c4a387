#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""broadcom.py LISTEN RADIO - a Raspberry Pi's Bluetooth chip for QEMU's UART: a controller of the radio at RADIO (H4, as
Tests/Rig/radio.sh serves it) which also answers Broadcom's vendor commands and calls itself a BCM43430A1, so that Linux
uploads that chip's firmware first. What it was sent of that is a JSON line when it is started."""
import asyncio
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Rig"))
from h4 import serve  # noqa: E402

VENDOR = 0x3F
READ_LOCAL_VERSION = 0x1001
LAUNCH_RAM = 0xFC4E
WRITE_RAM = 0xFC4C
# Of Read Local Version's answer: the HCI revision of a UART chip, and the LMP subversion that means BCM43430A1.
REVISION, SUBVERSION = 0x0000, 0x2209
ANSWERS = {
    0xFC6E: bytes(8),  # Read Controller Features
    0xFC79: bytes([0x6E, 0, 0, 0, 0, 0]),  # Read Verbose Config: the chip
}


def opcode(packet):
    return int.from_bytes(packet[1:3], "little")


def complete(command, parameters=b""):
    body = b"\x01" + command.to_bytes(2, "little") + b"\x00" + parameters
    return bytes([4, 0x0E, len(body)]) + body


def renamed(event):
    """Read Local Version's answer with this chip's numbers in it; every other event as it is."""
    if event[:2] == b"\x04\x0e" and event[4:6] == READ_LOCAL_VERSION.to_bytes(2, "little") and len(event) == 15:
        return (event[:8] + REVISION.to_bytes(2, "little") + event[10:13] + SUBVERSION.to_bytes(2, "little"))
    return event


class Chip:
    skips_noise = True  # what a UART sends while it is set up

    def __init__(self):
        self.firmware = 0

    def answer(self, packet):
        if packet[0] != 1 or opcode(packet) >> 10 != VENDOR:
            return None
        if opcode(packet) == WRITE_RAM:
            self.firmware += len(packet) - 8
        if opcode(packet) == LAUNCH_RAM:
            print(json.dumps({"event": "firmware", "octets": self.firmware}), flush=True)
        return complete(opcode(packet), ANSWERS.get(opcode(packet), b""))

    def change(self, packet):
        return renamed(packet)


asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), Chip, "chip: ready"))
