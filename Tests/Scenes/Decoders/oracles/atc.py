# SPDX-License-Identifier: Apache-2.0
"""ATC1441's and PVVX's firmware, plain and encrypted, compared with bleparser."""

import struct

PACKAGE = "bleparser==3.7.3"
STATED = {
    "voltage": "of encrypted packets the library makes one up from the battery's level; they have none",
    "switch": "bit 1 is an output, not a sensor; the library gives both, we give the reed switch at bit 0 as it is sent",
    "range": "what no temperature and no share can be is left out; the library gives it, or cuts a share off "
             "(of these none is made here)",
}
ADDRESS = "A4:C1:38:11:22:33"
KEY = bytes(range(16))


def packets(random):
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM

    address = bytes.fromhex(ADDRESS.replace(":", ""))

    def word(low, high):
        return random.choice([low, high, *[random.randint(low, high)] * 6])

    while True:
        kind, number, key = random.choice(["atc", "pvvx", "sealed atc", "sealed pvvx"]), random.randrange(256), None
        battery, volts, flags = word(0, 100), word(0, 0xFFFF), random.randrange(256)
        if kind == "atc":
            data = address + struct.pack(">hBBHB", word(-32768, 32767), word(0, 100), battery, volts, number)
        elif kind == "pvvx":
            data = address[::-1] + struct.pack(
                "<hHHBBB", word(-32768, 32767), word(0, 10000), volts, battery, number, flags)
        else:
            plain = bytes([word(0, 255), word(0, 200), battery | random.choice([0, 0x80])])
            if kind == "sealed pvvx":
                plain = struct.pack("<hHBB", word(-32768, 32767), word(0, 10000), battery, flags)
            head = bytes([len(plain) + 8, 0x16, 0x1A, 0x18, number])
            data = bytes([number]) + AESCCM(KEY, tag_length=4).encrypt(address[::-1] + head, plain, b"\x11")
            key = KEY.hex()
        yield {"address": ADDRESS, "name": None, "services": [], "manufacturer": "", "service_data": {"181a": data.hex()},
               "key": key}


def expected(packet):
    from oracles._bleparser import parse
    from oracles._sensor_state import possible

    read = parse(packet, packet["key"])
    out = possible({key: read[key] for key in ("temperature", "humidity", "battery")})
    if packet["key"]:
        out["stated"] = "voltage"
    else:
        out["voltage"] = read["voltage"]
    if "opening" in read:
        # It turns the bit around twice, and ends with the one that was sent.
        out["reed_switch"] = read["opening"]
    return out
