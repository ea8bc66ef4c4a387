# SPDX-License-Identifier: Apache-2.0
"""Blue Maestro's Tempo Disc, compared with bleparser."""

import struct

PACKAGE = "bleparser==3.7.3"
STATED = {
    "thermometer": "the library does not know the Tempo Disc T",
    "pressure": "the library takes pressure for a number with a sign; above 3276.7 hPa there is no air (none is made here)",
}


def packets(random):
    def word(low, high):
        return random.choice([low, high, *[random.randint(low, high)] * 6])

    while True:
        kind = random.choice([0x17, 0x1B])
        last = word(-500, 1500) if kind == 0x17 else word(0, 32767)
        data = struct.pack(
            ">BBHHhHhH", kind, word(0, 100), random.randrange(0x8000), random.randrange(0x8000), word(-500, 1500),
            word(0, 1000), last, random.randrange(0x10000))
        yield {"address": "F0:11:22:33:44:55", "name": None, "services": [], "manufacturer": "3301" + data.hex(),
               "service_data": {}, "key": None}


def expected(packet):
    from oracles._bleparser import parse

    read = parse(packet)
    return {key: read[key] for key in ("temperature", "humidity", "battery", "dewpoint", "pressure") if key in read}
