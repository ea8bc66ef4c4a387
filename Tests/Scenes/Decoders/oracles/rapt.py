# SPDX-License-Identifier: Apache-2.0
"""The RAPT Pill, compared with rapt-ble."""

import struct

from oracles._sensor_state import asked
from oracles._sensor_state import packet as made

PACKAGE = "rapt-ble==2.0.0"
STATED = {"acceleration": "the library leaves it out; it is compared with what was sent"}
AXES = "acceleration_x", "acceleration_y", "acceleration_z"


def packets(random):
    while True:
        kelvin = random.randint(27315 - 2000, 27315 + 10000) * 128 // 100
        gravity = random.uniform(900, 1200)
        axes = [random.randint(-32768, 32767) for _ in range(3)]
        battery = random.randint(0, 100 * 256)
        tail = struct.pack(">Hf3hh", kelvin, gravity, *axes, battery)
        if random.randrange(2):
            data = b"PT\x01" + random.randbytes(6) + tail
        else:
            data = b"PT\x02\x00" + bytes([random.randrange(2)]) + struct.pack(">f", random.uniform(-100, 100)) + tail
        yield made(manufacturer=bytes.fromhex("5241") + data, axes=axes,
                   battery_is_half=battery % 256 == 128)


def expected(packet):
    from rapt_ble import RAPTPillBluetoothDeviceData

    read = asked(RAPTPillBluetoothDeviceData(), packet)
    # Sixteenths of a thousandth of g.
    out = {key: (raw / 16_000 * 9.80665, 0.00100001) for key, raw in zip(AXES, packet["axes"])}
    out |= {"temperature": (read["temperature"], 0.0100001), "specific_gravity": (read["specific_gravity"], 0.00010001),
            "battery": (read["battery"], 1 if packet["battery_is_half"] else 0)}
    if read.get("specific_gravity_velocity") is not None:
        # Points a day; a point is a thousandth.
        out["gravity_rate"] = (read["specific_gravity_velocity"] / 1000, 0.00005001)
    return out
