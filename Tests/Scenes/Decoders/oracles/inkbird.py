# SPDX-License-Identifier: Apache-2.0
"""Inkbird's thermometers, compared with inkbird-ble."""

import struct

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "inkbird-ble==1.7.1"
STATED = {"check": "packets whose checksum is wrong are refused; the library takes them (none is made here)"}


def checksum(octets):
    total = 0xFFFF
    for octet in octets:
        total ^= octet
        for _ in range(8):
            total = total >> 1 ^ 0xA001 if total & 1 else total >> 1
    return total


def packets(random):
    while True:
        battery = number(random, 0, 100)
        if random.random() < 0.7:
            name = random.choice(["sps", "tps"])
            humidity = number(random, 1, 10000) if name == "sps" else number(random, 1, 10000, 0)
            head = struct.pack("<hHB", number(random, -4000, 8000), humidity, random.randrange(2))
            data = head + struct.pack("<HBB", checksum(head), battery, random.choice([6, 8]))
        else:
            name = random.choice(["ITH-11-B", "ITH-13-B", "ITH-21-B", "IBS-P02B"])
            humidity = 0 if name == "IBS-P02B" else number(random, 1, 1000)
            data = b"\x49\x24" + random.randbytes(4) + struct.pack(
                "<hHB", number(random, -400, 800), humidity, battery) + random.randbytes(7)
        yield packet(random_address(random), name=name, services=["fff0"], manufacturer=data)


def expected(packet):
    from inkbird_ble import INKBIRDBluetoothDeviceData

    found = asked(INKBIRDBluetoothDeviceData(), packet)
    return {key: found[key] for key in ("temperature", "humidity", "battery") if key in found}
