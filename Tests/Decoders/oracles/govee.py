# SPDX-License-Identifier: Apache-2.0
"""Govee's thermometers, compared with govee-ble."""

import struct

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "govee-ble==1.5.2"
STATED = {
    "rounding": "the library divides in binary and rounds; ours are the digits of the packet",
    "error": "where a sensor says that it failed, its battery is all that is given",
    "battery": "more than 100 % is shown as 100",
}


def word(random):
    tenths = number(random, 0, 1000)
    value = tenths * 1000 + number(random, 0, 999)
    return (value | (0x800000 if tenths <= 400 and random.random() < 0.3 else 0)).to_bytes(3)


def packets(random):
    while True:
        battery = bytes([number(random, 0, 100)])
        hundredths = struct.pack("<hH", number(random, -4000, 10000), number(random, 0, 10000))
        company, name, data = random.choice([
            (0xEC88, "GVH5075_1234", b"\0" + word(random) + battery + b"\0"),
            (0xEC88, "Govee_H5072_0A0B", b"\0" + word(random) + battery + b"\0"),
            (0xEC88, "Govee_H5074_1234", b"\0" + hundredths + battery + b"\x02"),
            (0xEC88, "Govee_H5052_1234", b"\0" + hundredths + battery + b"\x02\0\0"),
            (0x0001, "GVH5105_1234", b"\x01\x01" + word(random) + battery),
            (0x0001, "GVH5177_1234", b"\x01\x01" + word(random) + battery),
            (0x8801, "Govee_H5179_1234", b"\xec\0\x01\x01" + hundredths + battery),
        ])
        yield packet(
            random_address(random), name=name, services=["ec88"], manufacturer=company.to_bytes(2, "little") + data)


def expected(packet):
    from govee_ble import GoveeBluetoothDeviceData

    found = asked(GoveeBluetoothDeviceData(), packet)
    out = {key: found[key] for key in ("temperature", "humidity", "battery") if key in found}
    for key in ("temperature", "humidity"):
        if key in out:
            out[key] = (out[key], 0.00501)
    return out
