# SPDX-License-Identifier: Apache-2.0
"""SAF Tehnika's Aranet, compared with aranet4."""

import struct
from types import SimpleNamespace

PACKAGE = "aranet4==2.6.0"
STATED = {
    "no value": "the library says -1, or gives an error's number as Bq/m³; the field is left out",
    "pressure": "0 hPa is no pressure of any air, and is left out",
    "radon": "a model without temperature and humidity sends 0 for both; they are left out",
    "humidity": "more than 100 % is refused with its packet; the library gives it (none is made here)",
    "age": "seconds since the sample would make each packet another one; the field is left out",
    "temperature": "bit 15 is no value either; the library would give more than 1638 °C",
}
COLOURS = {1: "green", 2: "yellow", 3: "red"}


def packets(random):
    def word(low, high, *others):
        return random.choice([low, high, *others, *[random.randint(low, high)] * 6])

    while True:
        model = random.randrange(4)
        head = bytes([random.choice([0x20, 0x21, 0x2C]), *random.randbytes(3)])
        temperature, pressure = word(0, 0x3FF0, 0x4000, 0x7FFF, 0x8000), word(1, 0x7FFF, 0x8000, 0xFFFF, 0)
        humidity, battery, status = word(0, 1000, 0x8000, 0xFFFF), word(0, 100), random.randrange(4)
        interval, age, counter = word(0, 0xFFFF), word(0, 0xFFFF), word(0, 0xFF)
        if model == 0:
            data = head + random.randbytes(4) + struct.pack(
                "<HHHBBBHHB", word(0, 0x7FFF, 0x8000, 0xFFFF), temperature, pressure, word(0, 100, 0xFF), battery, status,
                interval, age, counter)
        elif model == 2:
            data = b"\x02" + head + random.randbytes(1) + struct.pack(
                "<IIHBBBHHB", word(0, 0xFFFFFFFF), word(0, 0xFFFFFFFF), word(0, 0xFFFF), 0, battery, status, interval, age,
                counter)
        else:
            first = random.randrange(0x10000) if model == 1 else word(0, 0x1EFF, 0x1F00, 0xFFFF)
            third = random.randrange(0x10000) if model == 1 else pressure
            if model == 3 and not random.randrange(5):
                temperature = humidity = 0
            data = bytes([model]) + head + random.randbytes(3) + struct.pack(
                "<HHHHBBBHHB", first, temperature, third, humidity, 0, battery, status, interval, age, counter)
        yield {"address": "F0:11:22:33:44:55", "name": None, "services": [], "manufacturer": "0207" + data.hex(),
               "service_data": {}, "key": None}


def expected(packet):
    from aranet4.client import Aranet4Advertisement

    data = bytes.fromhex(packet["manufacturer"][4:])
    read = Aranet4Advertisement(
        SimpleNamespace(name=None, address=packet["address"]),
        SimpleNamespace(manufacturer_data={0x0702: data}, rssi=-60)).readings
    out = {"battery": read.battery, "sample_interval": read.interval}
    kind = int(read.type)
    # Its twentieths of a degree are rounded to tenths.
    if 0 <= read.temperature < 0x4000 / 20 and kind != 2:
        out["temperature"] = (read.temperature, 0.0500001)
    if kind != 2 and 0 <= read.humidity <= 100:
        out["humidity"] = read.humidity
    if kind in (0, 3) and read.pressure > 0:
        out["pressure"] = read.pressure
    if kind == 0:
        if read.co2 >= 0:
            out["co2"] = read.co2
        if int(read.status) in COLOURS:
            out["co2_status"] = COLOURS[int(read.status)]
    if kind == 2:
        out |= {"radiation_total": read.radiation_total / 1e6, "radiation_duration": read.radiation_duration,
                "radiation_rate": read.radiation_rate / 1e3}
    if kind == 3:
        if 0 <= read.radon_concentration < 0x1F00:
            out["radon"] = read.radon_concentration
        # The library takes a 0 of either for none.
        temperature, humidity = struct.unpack_from("<HxxH", data, 10)
        for key, raw, none in (("temperature", temperature, 0xC000), ("humidity", humidity, 0x8000)):
            out.pop(key, None) if raw == 0 else None
            if raw == 0 and (temperature if key == "humidity" else humidity) & (0xC000 if key == "humidity" else 0x8000) == 0:
                if temperature or humidity:
                    out[key] = 0
    return out
