# SPDX-License-Identifier: Apache-2.0
"""The pink plant sensor HHCCJCY10, compared with xiaomi-ble."""

import struct

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "xiaomi-ble==1.21.2"
STATED = {"cold": "the library knows no temperature below zero (none is made here)"}


def packets(random):
    while True:
        data = struct.pack(">BH", number(random, 0, 100), number(random, 0, 1000))
        data += number(random, 0, 200_000).to_bytes(3) + struct.pack(">BH", number(random, 0, 100), number(random, 0, 0xFFFF))
        yield packet(random_address(random), name="Flower care", service_data={"fd50": data})


def expected(packet):
    from xiaomi_ble.parser import XiaomiBluetoothDeviceData

    return asked(XiaomiBluetoothDeviceData(), packet)
