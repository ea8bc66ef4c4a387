# SPDX-License-Identifier: Apache-2.0
"""ThermoBeacons, compared with thermobeacon-ble."""

import struct

from oracles._sensor_state import address_octets, asked, number, packet, random_address

PACKAGE = "thermobeacon-ble==1.0.0"
STATED = {
    "uptime": "seconds since its battery was changed are ours alone",
    "battery": "the library makes a share of the voltage; the voltage is compared",
    "rounding": "the library rounds to hundredths",
}


def packets(random):
    while True:
        address = random_address(random)
        company = random.choice([0x10, 0x11, 0x14, 0x15, 0x18, 0x1B, 0x30])
        data = struct.pack("<HBB", company, 0, random.choice([0, 0x80])) + address_octets(address)[::-1] + struct.pack(
            "<HhHI", number(random, 1800, 3400), number(random, -640, 1600), number(random, 0, 1600),
            number(random, 0, 0xFFFFFFFF))
        yield packet(address, name="ThermoBeacon", services=["fff0"], manufacturer=data)


def expected(packet):
    from thermobeacon_ble import ThermoBeaconBluetoothDeviceData

    data = bytes.fromhex(packet["manufacturer"])
    found = asked(ThermoBeaconBluetoothDeviceData(), packet)
    return {
        "temperature": (found["temperature"], 0.00501), "humidity": (found["humidity"], 0.00501),
        "voltage": (found["voltage"], 0.00501) if "voltage" in found else int.from_bytes(data[10:12], "little") / 1000,
        "uptime": int.from_bytes(data[16:20], "little"),
    }
