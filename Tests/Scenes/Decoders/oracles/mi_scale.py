# SPDX-License-Identifier: Apache-2.0
"""Xiaomi's scales, compared with bleparser."""

import struct

PACKAGE = "bleparser==3.7.3"
STATED = {
    "unit": "the library leaves pounds and jin as they are; they are kilograms here",
    "moving": "while somebody steps on or off, nothing is taken, and a weight of 0 is nobody",
    "impedance": "the library gives a weight of the larger scale only beside an impedance; 0, and 3000 and more, is none",
}
ADDRESS = "A4:C1:38:11:22:33"
FACTORS = {"kg": 1, "lbs": 0.45359237, "jin": 0.5}


def packets(random):
    while True:
        weight = random.choice([0, 0xFFFF, random.randrange(0x10000)])
        # Another date is none, and refuses its packet; so does a day that its month does not have.
        date = struct.pack("<HBBBBB", random.randint(1970, 2099), random.randint(1, 12), random.randint(1, 28),
                           random.randrange(24), random.randrange(60), random.randrange(60))
        state = random.choice([0x20, 0x20, 0x20, 0x00, 0xA0])
        if random.randrange(2):
            data = {"181d": (struct.pack("<BH", state | random.choice([0, 0, 0x01, 0x10]), weight) + date).hex()}
        else:
            # The unit is in the first octet, and jin in the second, too.
            unit = random.choice([(0x02, 0), (0x02, 0), (0x03, 0), (0x12, 0x40)])
            impedance = random.choice([0, 1, 2999, random.randint(1, 2999)])
            data = {"181b": (bytes([unit[0], state | unit[1] | random.choice([0, 2])]) + date
                             + struct.pack("<HH", impedance, weight)).hex()}
        yield {"address": ADDRESS, "name": None, "services": [], "manufacturer": "", "service_data": data, "key": None}


def expected(packet):
    from oracles._bleparser import parse

    read = parse(packet)
    if not read["stabilized"] or read["weight removed"] or not read["non-stabilized weight"]:
        return None
    # Ours has two places; a hundredth of a pound is less.
    out = {"weight": (read["non-stabilized weight"] * FACTORS[read["weight unit"]], 0.00500001)}
    if read["weight unit"] != "kg":
        out["stated"] = "unit"
    if read.get("impedance"):
        out["impedance"] = read["impedance"]
    return out
