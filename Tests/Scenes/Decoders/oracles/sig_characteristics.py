# SPDX-License-Identifier: Apache-2.0
"""Characteristics of one number, compared with bluetooth-sig, which reads the GATT Specification Supplement itself."""

import re
import pathlib

PACKAGE = "bluetooth-sig==0.6.0"
STATED = {
    "no value": "not known, not valid, or more than it can say: left out; the library says so in many ways (tests of our own)",
    "units": "mm, m³/h, seconds, µT, ppm, µg/m³ and m/s² in place of m, l/s, hours, T, ppb, kg/m³ and g",
    "concentrations": "the library takes the exponent of an SFLOAT as offset by 8; IEEE 11073-20601 has two's complement",
    "2afd, 2afe, 2c0a, 2ba8": "the library leaves out the factors of 1000, 10^-7 and 1/1000",
    "2ba8": "the library refuses more than 4294967 Wh, which is the limit in kWh (none is made here)",
}
TABLE = pathlib.Path(__file__).resolve().parents[4] / "Sources/Readings/Decoders/NumberCharacteristic+Table.swift"

# What their number has to be multiplied with.
FACTORS = {0x2B1B: 3.6, 0x2C30: 3600, 0x2AA0: 1e6, 0x2AA1: 1e6, 0x2C1D: 9.80665, 0x2C1E: 9.80665, 0x2C0A: 1e-7, 0x2BA8: 1e-3,
           0x2BD1: 1e-3}


def rows():
    """Identifier, kind, octets and what the specification allows, of each row of one number."""
    text = re.sub(r"\s+", " ", TABLE.read_text())
    for kind, number, rest in re.findall(r"\b(unsigned|signed|gas)\( ?0x(\w{4}), ((?:[^()]|\([^()]*\))*)\)", text):
        octets = 2 if kind == "gas" else int(
            re.search(r"octets: (\d)" if kind == "signed" else r"\.\w+, (\d)", rest).group(1))
        allowed = re.search(r"allowed: (\S+?)\.\.\.(\S+?)$|allowed: (degrees)", rest)
        names = re.findall(r"\.([a-z]\w+)", rest.split("octets:")[0] if kind == "signed" else rest.split(",")[1])
        keys = [re.sub(r"(?<=[a-z0-9])([A-Z]+)", lambda found: "_" + found.group(1).lower(), name) for name in names]
        yield int(number, 16), kind, octets, allowed and allowed.groups(), keys


def integer(text):
    return int(text.replace("_", ""), 0)


VECTORS = {0x2AA0: 2, 0x2AA1: 3, 0x2C1D: 3, 0x2C1E: 3}


def packets(random):
    table = list(rows())
    assert len(table) > 80, len(table)
    while True:
        number, kind, octets, allowed, keys = random.choice(table)
        if kind == "gas":
            # 12 bits of digits, and an exponent as gases have.
            exponent = random.randint(-8, 0)
            value = (random.randint(0, 2045) | (exponent & 15) << 12).to_bytes(2, "little")
            yield {"characteristic": f"{number:04x}", "value": value.hex(), "keys": keys, "kind": kind}
            continue
        top = (1 << 8 * octets) - 1
        low, high = (-(top + 1) // 2, top // 2) if kind == "signed" else (0, top)
        if allowed:
            low, high = (0, 35999) if allowed[2] else (integer(allowed[0]), integer(allowed[1]))
        # The last few of a range often stand for no value: those have tests of their own.
        if number == 0x2BA8:
            high = 4294967
        elif not allowed:
            high -= 3
            low += 2 if kind == "signed" else 0
        value = b""
        for _ in range(VECTORS.get(number, 1)):
            one = random.choice([low, high, *[random.randint(low, high)] * 6])
            value += (one & top).to_bytes(octets, "little")
        yield {"characteristic": f"{number:04x}", "value": value.hex(), "keys": keys, "kind": kind}


translator = None


def expected(packet):
    global translator
    from bluetooth_sig import BluetoothSIGTranslator

    translator = translator or BluetoothSIGTranslator()
    number, value = int(packet["characteristic"], 16), bytes.fromhex(packet["value"])
    found = translator.parse_characteristic(packet["characteristic"].upper(), value)
    if hasattr(found, "total_seconds"):
        found = found.total_seconds()
    numbers = [getattr(found, f"{axis}_axis") for axis in "xyz"[:len(packet["keys"])]] if number in VECTORS else [found]
    factor = FACTORS.get(number, 1)
    if packet["kind"] == "gas":
        nibble = value[1] >> 4
        # From their reading of the exponent to IEEE's, and from kg/m³ to µg/m³.
        factor *= 10.0 ** ((nibble - 16 if nibble > 7 else nibble) - (nibble - 8)) * (1 if number == 0x2BD1 else 1e9)
    return {key: (one * factor, abs(one * factor) * 1e-9 + 1e-9) for key, one in zip(packet["keys"], numbers)}
