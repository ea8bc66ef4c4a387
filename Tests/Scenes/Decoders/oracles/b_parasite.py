# SPDX-License-Identifier: Apache-2.0
"""b-parasite's first firmware, compared with bleparser."""

import struct

from oracles import _bleparser
from oracles._sensor_state import possible

PACKAGE = "bleparser==3.7.3"
FAMILY = "b-parasite"
STATED = {
    "rounding": "ours are rounded to thousandths",
    "range": "what no temperature can be is left out; the library gives it",
}
ADDRESS = "F0:CA:F0:5A:7E:01"


def packets(random):
    def word(low, high):
        return random.choice([low, high, *[random.randint(low, high)] * 6])

    while True:
        data = struct.pack(
            ">BBHhHH", random.choice([0x10, 0x20, 0x21]), random.randrange(256), word(0, 0xFFFF), word(-32768, 32767),
            word(0, 0xFFFF), word(0, 0xFFFF)) + bytes.fromhex(ADDRESS.replace(":", ""))
        if random.random() < 0.5:
            data += word(0, 0xFFFF).to_bytes(2)
        yield {"address": ADDRESS, "name": None, "services": [], "manufacturer": "",
               "service_data": {"181a": data.hex()}, "key": None}


def expected(packet):
    read = _bleparser.parse(packet)
    keys = ("temperature", "humidity", "moisture", "voltage", "illuminance")
    out = possible({key: read[key] for key in keys if key in read})
    return {key: value if isinstance(value, str) else (value, 0.00051) for key, value in out.items()}
