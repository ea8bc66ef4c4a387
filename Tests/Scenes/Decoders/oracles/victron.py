# SPDX-License-Identifier: Apache-2.0
"""Victron's Instant Readout, compared with victron-ble."""

PACKAGE = "victron-ble==0.9.3"
STATED = {
    "current": "the sentinels of 22 bits are 1FFFFF and 3FFFFF; the library compares a signed number with 3FFFFF",
    "state_of_charge": "the sentinel of 10 bits is 3FF; the library compares a BMS's with 3FFF",
    "consumed_charge": "a BMS counts it as a monitor does, below 0; the library leaves out the sign",
    "multi voltage": "14 ones are no voltage; the library takes them for 163.83 V",
    "auxiliary": "FFFF is no temperature and no midpoint, 7FFF no starter battery; the library knows one of them",
    "cell_voltage": "a cell above or below its range has no number; the library says infinity",
    "sense": "a Battery Sense has a voltage and a temperature only",
    "codes": "error and alarm codes outside of the library's lists stay numbers; they are compared with what was packed",
}

# The name of a state is ours; the numbers are Victron's.
STATES = {0: "off", 1: "low_power", 2: "fault", 3: "bulk", 4: "absorption", 5: "float", 6: "storage", 7: "equalize",
          9: "inverting", 11: "power_supply", 245: "starting_up", 246: "repeated_absorption", 247: "recondition",
          248: "battery_safe", 249: "active", 252: "external_control"}
ERRORS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 14, 17, 18, 20, 21, 22, 23, 24, 26, 27, 28, 29, 33, 34, 35, 38, 39, 40, 255]
ALARMS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
REASONS = [0, 1, 2, 4, 8, 16, 0x20, 0x40, 0x80, 0x100]
MONITOR = [("minutes", 16, None), ("voltage", 16, "volts"), ("alarm", 16, ALARMS), ("aux", 16, None), ("mode", 2, None),
           ("current", 22, None), ("consumed", 20, None), ("charge", 10, "charge")]
# By record: its fields' names, bits and what they may be.
LAYOUTS = {
    0x01: [("state", 8, "state"), ("error", 8, ERRORS), ("voltage", 16, "volts"), ("current", 16, "amperes"),
           ("yield", 16, None), ("power", 16, None), ("load", 9, None)],
    0x02: MONITOR,
    0x03: [("state", 8, "state"), ("alarm", 16, None), ("voltage", 16, "volts"), ("apparent", 16, None),
           ("ac_voltage", 15, None), ("ac_current", 11, None)],
    0x04: [("state", 8, "state"), ("error", 8, ERRORS), ("input", 16, "volts16"), ("voltage", 16, "volts"),
           ("reason", 32, REASONS)],
    0x05: [("flags", 32, None), ("error", 16, None)] + [(f"cell{n}", 7, None) for n in range(8)]
    + [("voltage", 12, None), ("balancer", 4, [0, 1, 2, 3, 15]), ("temperature", 7, None)],
    0x08: [("state", 8, "state"), ("error", 8, ERRORS)] + [("v", 13, None), ("a", 11, None)] * 3
    + [("temperature", 7, None), ("ac", 9, None)],
    0x09: [("state", 8, "state"), ("output", 8, [0, 1, 4, 255]), ("error", 8, ERRORS), ("alarm", 16, ALARMS),
           ("warning", 16, ALARMS), ("input", 16, "volts"), ("voltage", 16, "volts16"), ("reason", 32, REASONS)],
    0x0A: [("error", 8, None), ("minutes", 16, None), ("voltage", 16, "volts"), ("current", 16, "amperes"),
           ("io", 16, None), ("alarm", 18, None), ("charge", 10, "charge"), ("consumed", 20, None),
           ("temperature", 7, None)],
    0x0B: [("state", 8, [0, 3, 5, 9]), ("error", 8, [0, 1, 2, 33]), ("current", 16, "amperes"),
           ("voltage", 14, "volts14"), ("source", 2, None), ("in", 16, None), ("out", 16, None), ("pv", 16, None),
           ("yield", 16, None)],
    0x0C: [("state", 8, "state"), ("error", 8, None), ("current", 16, "amperes"), ("voltage", 14, "volts14"),
           ("source", 2, None), ("in", 19, None), ("out", 19, None), ("alarm", 2, None), ("temperature", 7, None),
           ("charge", 7, "percent")],
    0x0D: [("type", 16, [1, 2, 8, 0xFFFF, 0xFFF7]), ("voltage", 16, "volts"), ("alarm", 16, None), ("aux", 16, None),
           ("mode", 2, [0, 2, 3]), ("current", 22, None)],
    0x0F: [("state", 8, "state"), ("error", 8, ERRORS), ("voltage", 16, "volts16"), ("current", 16, "amperes16"),
           ("input", 16, "volts16"), ("input_current", 16, "amperes16"), ("reason", 32, REASONS)],
}
RANGES = {"volts": (-100, 15000, 0x7FFF), "volts16": (0, 15000, 0xFFFF), "volts14": (0, 15000, 0x3FFF),
          "amperes": (-5000, 5000, 0x7FFF), "amperes16": (0, 5000, 0xFFFF), "charge": (0, 1000, 0x3FF),
          "percent": (0, 100, 0x7F)}


def value(random, bits, kind):
    top = (1 << bits) - 1
    if kind == "state":
        return random.choice([*STATES, 255])
    if isinstance(kind, list):
        return random.choice(kind)
    if kind is None:
        return random.choice([0, 1, top, top - 1, top >> 1, (top >> 1) + 1, *[random.randint(0, top)] * 6])
    low, high, sentinel = RANGES[kind]
    return random.choice([low, high, sentinel, *[random.randint(low, high)] * 6]) & top


def auxiliary(random, mode):
    choices = {0: [0, 1200, 0xFF9C, 0x7FFF, 15000], 1: [0, 2600, 15000, 0xFFFF], 2: [29315, 21315, 42315, 0xFFFF]}
    return random.choice(choices.get(mode, [0, 0x1234, 0xFFFF]))


def pack(layout, values):
    number = position = 0
    for (_, bits, _), field in zip(layout, values):
        number |= field << position
        position += bits
    return number.to_bytes((position + 7) // 8, "little")


def encrypt(key, nonce, plaintext):
    from Crypto.Cipher import AES
    from Crypto.Util import Counter

    counter = Counter.new(128, initial_value=nonce, little_endian=True)
    return AES.new(key, AES.MODE_CTR, counter=counter).encrypt(plaintext)


def packets(random):
    while True:
        record = random.choice(list(LAYOUTS))
        layout = LAYOUTS[record]
        values = [value(random, bits, kind) for _, bits, kind in layout]
        names = [name for name, _, _ in layout]
        if "aux" in names:
            values[names.index("aux")] = auxiliary(random, values[names.index("mode")])
        model = random.choice([0xA389, 0xA042, 0xA3A4, 0xA3A5] if record == 2 else [0xA389, 0xA042])
        key = random.randbytes(16)
        nonce = random.randrange(1 << 16)
        head = bytes([0x10, random.choice([0, 2, 0x80])]) + model.to_bytes(2, "little") + bytes([record])
        data = head + nonce.to_bytes(2, "little") + key[:1] + encrypt(key, nonce, pack(layout, values))
        yield {"address": "F0:11:22:33:44:55", "name": None, "services": [], "manufacturer": "e102" + data.hex(),
               "service_data": {}, "key": key.hex(), "packed": dict(zip(names, values))}


def expected(packet):
    from victron_ble.devices import detect_device_type

    data = bytes.fromhex(packet["manufacturer"][4:])
    record, packed = data[4], packet["packed"]
    device = detect_device_type(data)(packet["key"])
    values = dict(device.parse(data)._data)
    out = {}

    def put(key, number, factor=1):
        if number is not None:
            out[key] = number * factor

    state = values.get("charge_state") or values.get("device_state")
    if state is not None:
        out["charger_state"] = STATES[state.value & 0xFF]
    if record in (1, 4, 8, 9, 0x0B, 0x0F):
        error = values.get("charger_error") or values.get("error_code")
        if error is not None:
            out["charger_error"] = "none" if error.value == 0 else f"error_{error.value}"
    voltage = values.get("output_voltage") if record in (4, 9, 0x0F) else values.get("battery_voltage")
    put("voltage", voltage if voltage is not None else values.get("voltage"))
    if record == 0x0B and packed["voltage"] == 0x3FFF:
        out.pop("voltage")
    sentinel = packed.get("current") in (0x1FFFFF, 0x3FFFFF) and record in (2, 0x0D)
    if not sentinel:
        for name in ("battery_charging_current", "output_current", "battery_current", "current"):
            put("current", values.get(name))
    put("input_voltage", values.get("input_voltage"))
    put("input_current", values.get("input_current"))
    put("load_current", values.get("external_device_load"))
    put("yield_today", values.get("yield_today"), 1000 if record == 0x0B else 1)
    put("power", values.get("solar_power"))
    put("power", values.get("pv_power"))
    put("remaining_time", values.get("remaining_mins"), 60)
    if "consumed_ah" in values:
        put("consumed_charge", values["consumed_ah"], -1 if record == 0x0A else 1)
    if packed.get("charge") != 0x3FF:
        put("state_of_charge", values.get("soc"))
    put("apparent_power", values.get("ac_apparent_power"))
    put("ac_voltage", values.get("ac_voltage"))
    put("ac_current", values.get("ac_current"))
    put("temperature", values.get("battery_temperature"))
    put("temperature", values.get("temperature"))
    put("ac_input_power", values.get("ac_in_power"))
    put("ac_input_power", values.get("active_ac_in_power"))
    put("ac_power", values.get("ac_out_power"))
    put("ac_power", values.get("active_ac_out_power"))
    source = values.get("ac_in_state") or values.get("active_ac_in")
    if source is not None:
        out["ac_input"] = source.name.lower()
    if "off_reason" in values:
        out["off_reason"] = values["off_reason"].value
    if packed.get("aux") not in (0x7FFF, 0xFFFF):
        put("starter_voltage", values.get("starter_voltage"))
        put("midpoint_voltage", values.get("midpoint_voltage"))
        if values.get("temperature_kelvin") is not None:
            out["temperature"] = round(values["temperature_kelvin"] - 273.15, 2)
    for output in (1, 2, 3):
        put(f"voltage_{output}", values.get(f"output_voltage{output}"))
        put(f"current_{output}", values.get(f"output_current{output}"))
    for cell, volts in enumerate(values.get("cell_voltages", []), 1):
        if volts is not None and abs(volts) < 100:
            out[f"cell_voltage_{cell}"] = volts
    if record in (2, 3, 9, 0x0A, 0x0D) or record == 0x0C and packed["alarm"] != 3:
        out["alarm_code"] = packed["alarm"]
    if record == 5:
        out["alarm_code"], out["error_code"] = values["bms_flags"], values["error_flags"]
    if record == 0x0A:
        out["error_code"] = values["error_flags"]
    if record == 0x0C:
        put("error_code", values["error"])
    if record == 9:
        out["warning_code"] = values["warning_reason"].value
        if values["output_state"] is not None:
            out["power_on"] = int(values["output_state"].value == 1)
    if record == 0x0D:
        out["device_type"] = values["meter_type"].value
    if type(device).__name__ == "BatterySense":
        keep = {"voltage"} | ({"temperature"} if packed["mode"] == 2 else set())
        out = {key: number for key, number in out.items() if key in keep}
    return out
