# SPDX-License-Identifier: Apache-2.0
"""Tilt hydrometers, compared with tilt-ble."""

import struct

from oracles._sensor_state import asked
from oracles._sensor_state import packet as made

PACKAGE = "tilt-ble==1.0.1"
STATED = {"range": "what no brew can be is refused; the library gives it (none is made here)"}
COLOURS = [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80]


def packets(random):
    while True:
        fahrenheit, gravity = random.choice([
            (random.randint(10, 250), random.randint(900, 1200)), (random.randint(100, 2500), random.randint(9000, 12000))])
        data = bytes.fromhex(f"0215a495bb{random.choice(COLOURS):02x}c5b14b44b5121370f02d74de")
        yield made(manufacturer=b"\x4c\x00" + data + struct.pack(">HHB", fahrenheit, gravity, random.randrange(256)))


def expected(packet):
    from tilt_ble import TiltBluetoothDeviceData

    read = asked(TiltBluetoothDeviceData(), packet)
    return {"temperature": ((read["temperature"] - 32) / 1.8, 0.0100001), "specific_gravity": read["specific_gravity"]}
