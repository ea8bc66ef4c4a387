# SPDX-License-Identifier: Apache-2.0
"""Characteristics whose flags say what follows, compared with bluetooth-sig."""

import struct

PACKAGE = "bluetooth-sig==0.6.0"
STATED = {
    "rounding": "times are rounded to milliseconds, and what is converted from other units to what such a sensor can tell apart",
    "floats": "the library takes the exponent of an SFLOAT as offset by 8, and that of a FLOAT as offset by 128; IEEE 11073-20601 "
              "has two's complement",
    "averages": "the faster and slower averages of pulse oximeters are left out, and so are extremes and angles of a pedal",
    "no value": "what stands for none has tests of our own (none is made here)",
}
DATE = bytes.fromhex("e8070b180a0000")
POUND, INCH, MMHG = 0.45359237, 0.0254, 7.500616


def word(random, high=0xFFFE):
    return random.choice([0, high, *[random.randint(0, high)] * 6])


def sfloat(random):
    """Whole: with other exponents the library refuses what is too great by its reading."""
    return struct.pack("<H", random.randint(0, 2045))


def has(flags, bit):
    return flags >> bit & 1


def heart_rate(random):
    flags = random.randrange(32)
    value = bytes([flags]) + (struct.pack("<H", word(random, 400)) if has(flags, 0) else bytes([word(random, 255)]))
    value += struct.pack("<H", word(random)) if has(flags, 3) else b""
    for _ in range(random.randint(1, 7) if has(flags, 4) else 0):
        value += struct.pack("<H", word(random))
    return value


def cycling_power(random):
    flags = random.randrange(1 << 12) & ~(1 << 3 | 1 << 1)
    value = struct.pack("<Hh", flags, word(random, 4000))
    sizes = {0: 1, 2: 2, 4: 6, 5: 4, 6: 4, 7: 4, 8: 3, 9: 2, 10: 2, 11: 2}
    for bit, size in sizes.items():
        if has(flags, bit):
            value += bytes([random.randint(0, 200)]) if bit == 0 else random.randbytes(size)
    return value


def cadence(random):
    flags = random.randrange(4)
    return bytes([flags]) + random.randbytes(6 * has(flags, 0) + 4 * has(flags, 1))


def running(random):
    flags = random.randrange(8)
    value = struct.pack("<BHB", flags, word(random), word(random, 255))
    return value + random.randbytes(2 * has(flags, 0) + 4 * has(flags, 1))


def weight(random):
    flags = random.randrange(16)
    value = struct.pack("<BH", flags, word(random)) + DATE * has(flags, 1)
    value += bytes([random.randint(0, 254)]) * has(flags, 2)
    return value + (struct.pack("<HH", word(random), word(random)) if has(flags, 3) else b"")


def body(random):
    flags = random.randrange(1 << 12)
    value = struct.pack("<HH", flags, word(random, 1000)) + DATE * has(flags, 1)
    value += bytes([random.randint(0, 254)]) * has(flags, 2)
    for bit in range(3, 12):
        value += struct.pack("<H", word(random, 1000 if bit == 4 else 0xFFFE)) if has(flags, bit) else b""
    return value


def pressure(random):
    flags = random.randrange(32)
    value = bytes([flags]) + sfloat(random) + sfloat(random) + sfloat(random) + DATE * has(flags, 1)
    value += sfloat(random) if has(flags, 2) else b""
    return value + bytes([random.randint(0, 254)]) * has(flags, 3) + bytes(2) * has(flags, 4)


def temperature(random):
    flags = random.choice([0, 2, 4, 6])
    value = struct.pack("<I", random.randint(0, 9999) | (random.choice([0, -1, -2]) & 255) << 24)
    return bytes([flags]) + value + DATE * has(flags, 1) + bytes([random.randint(1, 9)]) * has(flags, 2)


def glucose(random):
    flags = random.randrange(32)
    value = struct.pack("<BH", flags, word(random)) + DATE + struct.pack("<h", random.randint(-600, 600)) * has(flags, 0)
    if has(flags, 1):
        value += struct.pack("<H", (-5 & 15) << 12 | random.randint(1, 2045))
        value += bytes([random.randint(1, 4) << 4 | random.randint(1, 10)])
    return value + bytes(2) * has(flags, 3)


def oximeter(random):
    flags = random.randrange(16)
    value = bytes([flags]) + sfloat(random) + sfloat(random) + DATE * has(flags, 0) + bytes(2) * has(flags, 1)
    return value + bytes(3) * has(flags, 2) + (sfloat(random) if has(flags, 3) else b"")


def oximeter_on(random):
    flags = random.randrange(32)
    value = bytes([flags]) + b"".join(sfloat(random) for _ in range(2 + 2 * has(flags, 0) + 2 * has(flags, 1)))
    value += bytes(2) * has(flags, 2) + bytes(3) * has(flags, 3)
    return value + (sfloat(random) if has(flags, 4) else b"")


MAKERS = {
    0x2A37: heart_rate, 0x2A63: cycling_power, 0x2A5B: cadence, 0x2A53: running, 0x2A9D: weight, 0x2A9C: body,
    0x2A35: pressure, 0x2A1C: temperature, 0x2A18: glucose, 0x2A5E: oximeter, 0x2A5F: oximeter_on,
}
# Their name, ours, and how far they may be apart.
NAMES = [
    ("heart_rate", "heart_rate", 0), ("energy_expended", "energy_expended", 0), ("instantaneous_power", "power", 0),
    ("pedal_power_balance", "pedal_balance", 0), ("accumulated_torque", "accumulated_torque", 0),
    ("accumulated_energy", "energy_expended", 0), ("cumulative_wheel_revolutions", "wheel_revolutions", 0),
    ("last_wheel_event_time", "wheel_event_time", 0.00051), ("cumulative_crank_revolutions", "crank_revolutions", 0),
    ("last_crank_event_time", "crank_event_time", 0.00051), ("instantaneous_speed", "speed", 0.000051),
    ("instantaneous_cadence", "cadence", 0), ("instantaneous_stride_length", "stride_length", 0),
    ("total_distance", "total_distance", 0), ("is_running", "running", 0), ("user_id", "user_index", 0), ("bmi", "bmi", 0),
    ("body_fat_percentage", "body_fat", 0), ("basal_metabolism", "basal_metabolism", 0), ("muscle_percentage", "muscle", 0),
    ("impedance", "impedance", 0), ("sequence_number", "sequence", 0),
]
MASSES = [("weight", "weight"), ("muscle_mass", "muscle_mass"), ("fat_free_mass", "fat_free_mass"),
          ("soft_lean_mass", "soft_lean_mass"), ("body_water_mass", "body_water")]
FLOATS = [("systolic", "blood_pressure_systolic"), ("diastolic", "blood_pressure_diastolic"),
          ("mean_arterial_pressure", "blood_pressure_mean")]


def packets(random):
    while True:
        number = random.choice([*MAKERS])
        yield {"characteristic": f"{number:04x}", "value": MAKERS[number](random).hex()}


translator = None


def expected(packet):
    global translator
    from bluetooth_sig import BluetoothSIGTranslator

    translator = translator or BluetoothSIGTranslator()
    value = bytes.fromhex(packet["value"])
    found = translator.parse_characteristic(packet["characteristic"].upper(), value)
    out = {}
    for theirs, ours, apart in NAMES:
        one = getattr(found, theirs, None)
        if one is not None:
            out[ours] = (float(one), apart or abs(one) * 1e-9 + 1e-9)
    is_imperial = bool(value[0] & 1)
    for theirs, ours in MASSES:
        one = getattr(found, theirs, None)
        if one is not None:
            out[ours] = (one * POUND, 0.000051) if is_imperial else (one, 1e-9)
    if getattr(found, "height", None) is not None:
        out["height"] = (found.height * INCH, 1e-9) if is_imperial else (found.height, 1e-9)
    if getattr(found, "rr_intervals", None):
        out["rr_interval"] = [(one, 0.00051) for one in found.rr_intervals]
    if packet["characteristic"] == "2a37" and value[0] & 4:
        out["sensor_contact"] = int(found.sensor_contact == 2)
    return out | floats(packet, found, value)


def floats(packet, found, value):
    """What is read wrong by a power of ten: by that the library's value is mended, which still has to be ours."""
    out = {}
    for theirs, ours in FLOATS:
        one = getattr(found, theirs, None)
        if one is not None:
            one = of_exponent(one, value, 1 + 2 * [name for name, _ in FLOATS].index(theirs))
            out[ours] = (one * MMHG, 0.051) if value[0] & 1 else (one, 1e-9)
    fields = getattr(found, "optional_fields", None)
    if fields is not None:
        if fields.pulse_rate is not None:
            out["pulse_rate"] = (of_exponent(fields.pulse_rate, value, 7 + 7 * has(value[0], 1)), 1e-9)
        if fields.user_id is not None:
            out["user_index"] = fields.user_id
    if packet["characteristic"] in ("2a5e", "2a5f"):
        out["oxygen_saturation"] = (of_exponent(found.spo2, value, 1), 1e-9)
        out["pulse_rate"] = (of_exponent(found.pulse_rate, value, 3), 1e-9)
        if found.pulse_amplitude_index is not None:
            out["pulse_amplitude"] = (of_exponent(found.pulse_amplitude_index, value, len(value) - 2), 1e-9)
    if packet["characteristic"] == "2a1c":
        exponent = value[4]
        one = found.temperature * 10.0 ** ((exponent - 256 if exponent > 127 else exponent) - (exponent - 128))
        out["temperature"] = (one, 1e-9)
    if getattr(found, "glucose_concentration", None) is not None:
        one = of_exponent(found.glucose_concentration, value, 10 + 2 * has(value[0], 0))
        # Moles a litre; or kilograms, which 180.156 grams a mole make moles of.
        out["glucose"] = (one * 1000 if has(value[0], 2) else one * 1e6 / 180.156, 0.00051)
    return out


def of_exponent(theirs, value, place):
    exponent = int.from_bytes(value[place:place + 2], "little") >> 12
    return theirs * 10.0 ** ((exponent - 16 if exponent > 7 else exponent) - (exponent - 8))
