# SPDX-License-Identifier: Apache-2.0
"""Sensirion's gadgets, compared with sensirion-ble."""

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "sensirion-ble==0.1.1"
STATED = {
    "rounding": "the library rounds to tenths where a data sheet promises no more",
    "range": "a humidity below 0 or above 100 % is shown as that",
}


def packets(random):
    while True:
        kind = random.choice([4, 6, 8])
        words = [number(random, 0, 0xFFFF) for _ in range(3 if kind == 8 else 2)]
        data = bytes([0, kind]) + random.randbytes(2) + b"".join(word.to_bytes(2, "little") for word in words)
        yield packet(random_address(random), name="MyCO2", manufacturer=b"\xd5\x06" + data)


def expected(packet):
    from sensirion_ble import SensirionBluetoothDeviceData

    found = asked(SensirionBluetoothDeviceData(), packet)
    out = {"temperature": (found["temperature"], 0.051), "humidity": (min(max(found["humidity"], 0), 100), 0.051)}
    if "carbon_dioxide" in found:
        out["co2"] = found["carbon_dioxide"]
    return out
