# SPDX-License-Identifier: Apache-2.0
"""SensorPush, compared with sensorpush-ble."""

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "sensorpush-ble==1.9.0"
STATED = {"rounding": "the library rounds temperatures and humidities to hundredths, and gives pressure in mbar"}
HT1 = "ef090000-11d6-42ba-93b8-9dd7ec090aa9"
SERVICE = "ef090000-11d6-42ba-93b8-9dd7ec090ab0"


def packets(random):
    while True:
        kind = random.choice([1, 64, 65, 66])
        if kind == 1:
            counts = number(random, 0, 4095) | number(random, 0, 16383) << 12 | 1 << 26 | random.choice([0, 1 << 31])
            yield packet(
                random_address(random), name="s", services=[HT1], manufacturer=counts.to_bytes(4, "little"))
            continue
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
    out = {key: (found[key], 0.00501) for key in ("temperature", "humidity", "pressure") if key in found}
    if packet["name"] == "s":
        # Both round to hundredths, a half to either side. What cannot be is shown as the nearest that can.
        out["temperature"] = (found["temperature"], 0.01001)
        out["humidity"] = (min(max(found["humidity"], 0), 100), 0.01001)
    return out
