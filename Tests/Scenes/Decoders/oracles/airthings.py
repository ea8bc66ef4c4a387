# SPDX-License-Identifier: Apache-2.0
"""Airthings' Wave sensors, whose characteristics are read, compared with airthings-ble."""

import struct

PACKAGE = "airthings-ble==1.2.0"
STATED = {
    "light": "the library gives a part of a hundred; what the sensor sends goes from 0 to 255, and is given as it is",
    "cold": "the library knows nothing below 0 °C; the Wave Plus sends numbers with a sign",
    "pressure": "above 1310 hPa the library says nothing; a sensor that knows none sends FFFF",
}
UUID = "b42e{}-ade7-11e4-89d3-123b93f75cba"
RADON, RADON_LONG, PLUS, RADON_2, MINI = (UUID.format(part) for part in ("01aa", "0a4c", "2a68", "4dcc", "3b98"))


def packets(random):
    def word(low, high, *others):
        return random.choice([low, high, *others, *[random.randint(low, high)] * 6])

    while True:
        uuid = random.choice([RADON, RADON_LONG, PLUS, PLUS, RADON_2, RADON_2, MINI, MINI])
        radon, long = word(0, 16383, 16384, 0xFFFF), word(0, 16383, 16384, 0xFFFF)
        gas, voc = word(0, 0xFFFE, 0xFFFF), word(0, 0xFFFE, 0xFFFF)
        if uuid in (RADON, RADON_LONG):
            # The library takes these as they come.
            value = struct.pack("<H", word(0, 16383))
        elif uuid == MINI:
            value = struct.pack("<2B5HLL", random.randrange(256), random.randrange(256), word(27315, 37315, 37316, 0xFFFF),
                                word(1, 65500), word(0, 10000, 10001, 0xFFFF), voc, random.randrange(0x10000), 0, 0)
        else:
            value = struct.pack(
                "<4B2Hh5H", 1, word(0, 200, 201, 255), random.randrange(256), random.randrange(256), radon, long,
                word(-4000, 10000, 10001, 0x7FFF), word(0, 65500, 0xFFFF), gas, voc, 0, 0)
        yield {"characteristic": uuid, "value": value.hex()}


def expected(packet):
    from airthings_ble.sensor_decoders import SENSOR_DECODERS

    value = bytearray.fromhex(packet["value"])
    uuid = packet["characteristic"]
    read = SENSOR_DECODERS[uuid](value)
    names = {"radon_1day_avg": "radon", "radon_longterm_avg": "radon_long", "voc": "voc_ppb"}
    out = {names.get(key, key): number for key, number in read.items() if number is not None and key != "date_time"}
    if uuid in (PLUS, RADON_2):
        out.pop("illuminance")
        out |= {"light_level": value[2], "stated": "light"}
        temperature, pressure = struct.unpack_from("<hH", value, 8)
        if temperature < 0:
            out |= {"temperature": temperature / 100, "stated": "cold"}
        if uuid == PLUS and 1310 * 50 < pressure < 0xFFFF:
            out |= {"pressure": pressure / 50, "stated": "pressure"}
    return out
