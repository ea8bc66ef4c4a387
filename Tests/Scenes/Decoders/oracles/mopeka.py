# SPDX-License-Identifier: Apache-2.0
"""Mopeka's gauges, compared with mopeka-iot-ble."""

from oracles._sensor_state import address_octets, asked, number, packet, random_address

PACKAGE = "mopeka-iot-ble==1.0.0"
STATED = {
    "others": "the tilt and the button are left out",
}


def packets(random):
    while True:
        address = random_address(random)
        level = number(random, 0, 0x3FFF) | random.randrange(4) << 14
        data = bytes([random.choice([0x03, 0x08]), number(random, 60, 110), number(random, 0, 127)])
        data += level.to_bytes(2, "little") + address_octets(address)[3:] + random.randbytes(2)
        yield packet(address, name="", services=["fee5"], manufacturer=b"\x59\0" + data)


def expected(packet):
    from mopeka_iot_ble import MopekaIOTBluetoothDeviceData

    found = asked(MopekaIOTBluetoothDeviceData(), packet)
    out = {"temperature": found["temperature"], "voltage": found["battery_voltage"], "battery": (found["battery"], 1),
           "level_quality": found["reading_quality_raw"]}
    if found["tank_level"] is not None:
        # Whole millimetres on both sides, of a product that may lie at the edge.
        out["liquid_level"] = (found["tank_level"] / 1000, 0.00101)
    return out
