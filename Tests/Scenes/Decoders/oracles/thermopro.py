# SPDX-License-Identifier: Apache-2.0
"""ThermoPro's hygrometers, compared with thermopro-ble."""

import struct

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "thermopro-ble==1.1.4"
STATED = {"battery": "the fourth code of two bits is none of the three levels, and is left out"}


def packets(random):
    while True:
        data = struct.pack(
            "<BhBB", 0xC2, number(random, -400, 1000), number(random, 0, 100), random.randrange(3)) + random.randbytes(
            random.choice([1, 2]))
        name = random.choice(["TP357 (1234)", "TP358S (9B2A)", "TP393 (0000)", "TP359S (1F22)"])
        yield packet(random_address(random), name=name, manufacturer=data)


def expected(packet):
    from thermopro_ble import ThermoProBluetoothDeviceData

    found = asked(ThermoProBluetoothDeviceData(), packet)
    return {key: found[key] for key in ("temperature", "humidity", "battery") if key in found}
