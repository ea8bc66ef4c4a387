# SPDX-License-Identifier: Apache-2.0
"""Qingping, compared with qingping-ble."""

import struct

from oracles._sensor_state import address_octets, asked, number, packet, random_address

PACKAGE = "qingping-ble==1.3.0"
STATED = {
    "battery": "FF is a plug, not 255 %",
    "opening": "the library tells a door that was left open as a problem; ours has both",
}


def packets(random):
    def objects(device):
        if device == 0x04:
            return bytes([0x04, 1, random.randrange(3)])
        out = b"\x01\x04" + struct.pack("<hH", number(random, -400, 1000), number(random, 0, 1000))
        if random.random() < 0.5:
            out += bytes([0x02, 1, number(random, 0, 100)])
        if device == 0x09:
            out += b"\x07\x02" + struct.pack("<H", number(random, 3000, 11000))
        if device in (0x0E, 0x24):
            out += b"\x12\x04" + struct.pack("<HH", number(random, 0, 999), number(random, 0, 999))
        if device in (0x0E, 0x24, 0x33):
            out += b"\x13\x02" + struct.pack("<H", number(random, 0, 9999))
        return out

    while True:
        address, device = random_address(random), random.choice([0x01, 0x04, 0x09, 0x0C, 0x0E, 0x10, 0x16, 0x1E, 0x24])
        data = bytes([0x08, device]) + address_octets(address)[::-1] + objects(device)
        yield packet(address, name="Qingping", service_data={"fdcd": data + bytes([0x0F, 1, random.randrange(256)])})


def expected(packet):
    from qingping_ble import QingpingBluetoothDeviceData

    found = asked(QingpingBluetoothDeviceData(), packet)
    keys = {"temperature": "temperature", "humidity": "humidity", "battery": "battery", "pressure": "pressure",
            "pm25": "pm25", "pm10": "pm10", "carbon_dioxide": "co2", "door": "opening", "opening": "opening"}
    out = {}
    for theirs, ours in keys.items():
        if found.get(theirs) is not None:
            out[ours] = int(found[theirs]) if isinstance(found[theirs], bool) else found[theirs]
    if bytes.fromhex(packet["service_data"]["fdcd"])[1] == 0x04:
        state = bytes.fromhex(packet["service_data"]["fdcd"])[10]
        out.setdefault("opening", int(state != 1))
        out["left_open"] = int(state == 2)
    return out
