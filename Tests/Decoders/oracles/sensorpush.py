# SPDX-License-Identifier: Apache-2.0
"""SensorPush, compared with sensorpush-ble."""

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "sensorpush-ble==1.9.0"
STATED = {"rounding": "the library rounds temperatures and humidities to hundredths, and gives pressure in mbar"}
SERVICE = "ef090000-11d6-42ba-93b8-9dd7ec090ab0"


def packets(random):
    while True:
        kind = random.choice([64, 65, 66])
        digits, size = {
            64: ([72001, 40001, 95001], 6), 65: ([66001, 40001], 4), 66: ([32001], 4),
        }[kind]
        value, scale = 0, 1
        for radix in digits:
            value += number(random, 0, radix - 1) * scale
            scale *= radix
        data = bytes([(kind - 64) << 2]) + value.to_bytes(size, "little")
        yield packet(random_address(random), name="SensorPush", services=[SERVICE], manufacturer=data)


def expected(packet):
    from sensorpush_ble import SensorPushBluetoothDeviceData

    found = asked(SensorPushBluetoothDeviceData(), packet)
    return {key: (found[key], 0.00501) for key in ("temperature", "humidity", "pressure") if key in found}
