# SPDX-License-Identifier: Apache-2.0
"""Eddystone's UID, URL and TLM frames, compared with beacontools."""

import struct

PACKAGE = "beacontools==2.1.0"
STATED = {
    "cold": "the library takes the temperature for a number without a sign",
    "temperature": "the smallest number stands for none; the library gives −128 °C",
    "voltage": "0 stands for a beacon that is not run by a battery; the library gives 0",
}


def packets(random):
    def word(low, high):
        return random.choice([low, high, *[random.randint(low, high)] * 6])

    while True:
        kind = random.choice(["uid", "url", "tlm"])
        power = struct.pack("b", word(-100, 20))
        if kind == "uid":
            data = b"\x00" + power + random.randbytes(16) + b"\x00\x00"
        elif kind == "url":
            text = bytes(random.choice([*range(14), *range(0x21, 0x7F)]) for _ in range(random.randint(1, 17)))
            data = b"\x10" + power + bytes([random.randrange(4)]) + text
        else:
            data = b"\x20\x00" + struct.pack(
                ">HhII", word(0, 0xFFFF), word(-32768, 32767), word(0, 0xFFFFFFFF), word(0, 0xFFFFFFFF))
        yield {"address": "F0:11:22:33:44:55", "name": None, "services": ["feaa"], "manufacturer": "",
               "service_data": {"feaa": data.hex()}, "key": None}


def expected(packet):
    from beacontools import parse_packet

    data = bytes.fromhex(packet["service_data"]["feaa"])
    body = b"\xaa\xfe" + data
    read = parse_packet(b"\x02\x01\x06\x03\x03\xaa\xfe" + bytes([len(body) + 1, 0x16]) + body)
    if data[0] == 0x00:
        return {"beacon": read.namespace + read.instance, "tx_power": read.tx_power}
    if data[0] == 0x10:
        return {"url": read.url, "tx_power": read.tx_power}
    out = {"advertisement_count": read.advertising_count, "uptime": read.seconds_since_boot / 10}
    if read.voltage:
        out["voltage"] = read.voltage / 1000
    else:
        out["stated"] = "voltage"
    raw, = struct.unpack_from(">h", data, 4)
    if raw == -32768:
        out["stated"] = "temperature"
    else:
        out["temperature"] = read.temperature - (256 if raw < 0 else 0)
        if raw < 0:
            out["stated"] = "cold"
    return out
