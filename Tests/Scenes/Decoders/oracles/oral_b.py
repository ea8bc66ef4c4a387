# SPDX-License-Identifier: Apache-2.0
"""Oral-B's brushes, compared with oralb-ble."""

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "oralb-ble==1.1.3"
STATED = {
    "running": "the library has it as a state only",
    "sector": "no sector is left out; the library says so in words",
    "pressure": "the library knows more of it than one bit for some models",
}
NAMES = {"initializing": "starting", "idle": "idle", "running": "running", "charging": "charging", "setup": "set_up",
         "flight menu": "menu"}


def packets(random):
    while True:
        state = random.randint(1, 6)
        data = bytes([0x07, random.choice([0x34, 0x20, 0x32]), 0x0C, state, random.choice([0x32, 0x38, 0xB2]),
                      number(random, 0, 10), number(random, 0, 59), random.randrange(5), random.randrange(8), 1, 4])
        yield packet(random_address(random), name="Oral-B Toothbrush", manufacturer=b"\xdc\0" + data)


def expected(packet):
    from oralb_ble import OralBBluetoothDeviceData

    found = asked(OralBBluetoothDeviceData(), packet)
    out = {"brush_state": NAMES[found["toothbrush_state"]], "running": int(found["brushing"]),
           "brushing_time": found["time"], "brush_pressure": "high" if found["pressure"] == "high" else "normal"}
    if found["sector"].startswith("sector "):
        out["brush_sector"] = int(found["sector"].split()[1])
    return out
