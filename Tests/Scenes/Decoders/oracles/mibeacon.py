# SPDX-License-Identifier: Apache-2.0
"""Xiaomi's MiBeacon, plain and encrypted, compared with xiaomi-ble."""

import struct

from oracles._sensor_state import address_octets, asked, number, packet, possible, random_address

PACKAGE = "xiaomi-ble==1.21.2"
STATED = {
    "voltage": "the library makes up a voltage where only a share of the battery was sent",
    "range": "what no temperature and no share can be is left out, and refused alone; the library gives it",
}


def objects(random):
    return {
        0x1004: ("055b", struct.pack("<h", number(random, -2731, 20000, -32768, 32767, -2732))),
        0x1006: ("01aa", struct.pack("<H", number(random, 0, 1000, 1001, 65535))),
        0x100D: ("01aa", struct.pack("<hH", number(random, -2731, 20000, -32768), number(random, 0, 1000, 1001))),
        0x100A: ("01aa", bytes([number(random, 0, 100, 101, 255)])),
        0x1007: ("0098", number(random, 0, 0xFFFFFF).to_bytes(3, "little")),
        0x1008: ("0098", bytes([number(random, 0, 100)])),
        0x1009: ("0098", struct.pack("<H", number(random, 0, 65535))),
        0x1010: ("02df", struct.pack("<H", number(random, 0, 65535))),
    }


def packets(random):
    while True:
        address = random_address(random)
        identifier, (product, value) = random.choice(list(objects(random).items()))
        body = struct.pack("<HB", identifier, len(value)) + value
        product = bytes.fromhex(product)[::-1]
        counter = number(random, 0, 255)
        mac = address_octets(address)[::-1]
        if random.random() < 0.5:
            data = b"\x50\x50" + product + bytes([counter]) + mac + body
            yield packet(address, name="sensor", service_data={"fe95": data})
            continue
        from cryptography.hazmat.primitives.ciphers.aead import AESCCM

        key, more = random.randbytes(16), random.randbytes(3)
        sealed = AESCCM(key, tag_length=4).encrypt(mac + product + bytes([counter]) + more, body, b"\x11")
        data = b"\x58\x50" + product + bytes([counter]) + mac + sealed[:-4] + more + sealed[-4:]
        yield packet(address, name="sensor", key=key, service_data={"fe95": data})


def expected(packet):
    from xiaomi_ble import XiaomiBluetoothDeviceData

    parser = XiaomiBluetoothDeviceData(bindkey=bytes.fromhex(packet["key"]) if packet["key"] else None)
    found = asked(parser, packet)
    found.pop("voltage", None)
    return possible(found)
