#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes Swift of the sensors that the files of this folder describe, and of their vectors.

usage: generate.py [--check]

One file here is one family, or one characteristic: its language is that of docs/own-decoders.md. Sources/Readings/Described has one Swift file for each,
Tests/Unit/ReadingsTests/Described the vectors. --check changes nothing, and fails where they are not what the files say. A test of the
gateway reads each file with the gateway's own reader, and compares.
"""
import decimal
import json
import pathlib
import re
import sys
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
TARGET = ROOT / "Sources/Readings/Described"
ROWS = [
    row
    for path in sorted((ROOT / "Sources/Readings").glob("QuantityTable*.swift"))
    for row in re.findall(r"\.init\(\s*\.(\w+),\s*\"([^\"]+)\",([^()]*)\)", path.read_text())
]
# The cases of Quantity by their keys, and those of two states.
CASES = {key: case for case, key, _ in ROWS}
BINARY = {f".{case}" for case, _, rest in ROWS if "kind: .binary" in rest}
VECTORS = ROOT / "Tests/Unit/ReadingsTests/Described"
HEAD = "// SPDX-License-Identifier: Apache-2.0\n// swift-format-ignore-file\n\n// Made by Sources/Readings/Sensors/generate.py of Sources/Readings/Sensors/%s.\n\n"
KINDS = {"u": "unsigned", "s": "signed", "sm": "signMagnitude", "bcd": "decimalDigits"}
WIDE = {"f32": ("float", 4), "sfloat": ("shortMedical", 2), "mfloat": ("medical", 4)}
OPERATIONS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "quotient", "%": "remainder", "<<": "shiftLeft",
    ">>": "shiftRight", "&": "and", "|": "or", "^": "exclusiveOr", "min": "atLeast", "max": "atMost", "±": "addAway",
    "e": "power10",
}
BARE = {"abs": "absolute", "neg": "negate", "not": "not"}


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def camel(name):
    head, *rest = re.split(r"[_-]", name)
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def quantity(raw):
    """The case of Quantity with this key."""
    if raw not in CASES:
        sys.exit(f"no quantity has the key {raw}")
    return "." + CASES[raw]


def number_type(text):
    if text in WIDE:
        return WIDE[text]
    kind, bits = re.fullmatch(r"(u|s|sm|bcd)(\d+)", text).groups()
    return KINDS[kind], int(bits) // 8


def plain(number):
    return decimal.Decimal(str(number))


def exact(number):
    _, digits, exponent = plain(number).as_tuple()
    mantissa = int("".join(map(str, digits)))
    if exponent > 0:
        mantissa, exponent = mantissa * 10**exponent, 0
    return f"Field.Decimal(mantissa: {-mantissa if plain(number) < 0 else mantissa}, places: {-exponent})"


def octets(table):
    kind, count = number_type(table.get("type", "u8"))
    parts = [f"offset: {table['offset']}"]
    if count != 1:
        parts.append(f"octets: {count}")
    if kind != "unsigned":
        parts.append(f"kind: .{kind}")
    if table.get("order") == "big":
        parts.append("isBigEndian: true")
    if "mask" in table:
        parts.append(f"mask: 0x{table['mask']:X}")
    return f"OctetNumber({', '.join(parts)})"


def listed(value):
    return value if isinstance(value, list) else [value]


def bounds(table):
    """The range from minimum to maximum."""
    return f"{table.get('minimum', '.min')}{'...' if 'maximum' in table else ' ... '}{table.get('maximum', '.max')}"


def condition(table):
    if "length" in table:
        lengths = listed(table["length"])
        return f"OctetCondition(.length, range: {lengths[0]}...{lengths[-1]})"
    subject = f"OctetCondition(.number({octets(table)}), "
    for key, suffix in (("equals", ""), ("not", ", isNegated: true")):
        if key in table:
            return subject + f"values: [{', '.join(str(n) for n in listed(table[key]))}]{suffix})"
    return subject + f"range: {bounds(table)})"


def conditions(value):
    return f"[{', '.join(condition(one) for one in listed(value))}]"


def constant(value, binary):
    if isinstance(value, bool) or binary:
        return f".int({int(bool(value))})"
    if isinstance(value, str):
        return f".string({quoted(value)})"
    return f".int({value})" if isinstance(value, int) else f".decimal({exact(value)})"


def steps(values, places):
    values, found = list(values), []
    while values:
        word = values.pop(0)
        if word in BARE:
            found.append(f".{BARE[word]}")
            continue
        operand = values.pop(0)
        what = f".field({places[operand]})" if isinstance(operand, str) else f".number({exact(operand)})"
        found.append(f".operation(.{OPERATIONS[word]}, {what})")
    return f"[{', '.join(found)}]"


def field(table, places):
    table = dict(table)
    name = quantity(table["quantity"]) if "quantity" in table else "nil"
    binary = name in BINARY
    if "value" in table:
        origin = f".constant({constant(table['value'], binary)})"
    elif "of" in table:
        origin = f".field({places[table['of']]})"
    elif table["type"] == "text":
        origin = f".text(offset: {table['offset']}, octets: {table['octets']})"
    else:
        origin = f".octets({octets(table)})"
    lines = [f"field = FormField({name}, {origin})"]
    for key in ("factor", "add"):
        if key in table:
            lines.append(f"field.{key} = {exact(table[key])}")
    if "unknown" in table:
        kind, count = number_type(table["type"])
        mask = table.get("mask")
        bits = (mask.bit_length() - (mask & -mask).bit_length() + 1) if mask else 8 * count
        values = [n - (1 << bits) if kind == "signed" and n >= 1 << (bits - 1) else n for n in table["unknown"]]
        lines.append(f"field.unknown = [{', '.join(map(str, values))}]")
    if "unknown_above" in table:
        lines.append(f"field.unknownAbove = {table['unknown_above']}")
    if "minimum" in table or "maximum" in table:
        lines.append(f"field.allowed = {bounds(table)}")
    if "when" in table:
        lines.append(f"field.conditions = {conditions(table['when'])}")
    if "lookup" in table:
        entries = {int(key, 0): constant(value, binary) for key, value in table["lookup"].items()}
        lines.append("field.lookup = [" + ", ".join(f"{k}: {v}" for k, v in sorted(entries.items())) + "]")
    if "otherwise" in table:
        lines.append(f"field.otherwise = {quoted(table['otherwise'])}")
    if "compute" in table:
        lines.append(f"field.steps = {steps(table['compute'], places)}")
    for key, ours in (("round", "places"), ("number", "index"), ("ends_after", "endsAfter")):
        if key in table:
            lines.append(f"field.{ours} = {table[key]}")
    if "number_of" in table:
        lines.append(f"field.indexField = {places[table['number_of']]}")
    known = {
        "quantity", "id", "offset", "type", "octets", "order", "mask", "factor", "add", "unknown", "unknown_above", "minimum",
        "maximum", "unit", "when", "of", "value", "lookup", "compute", "round", "number", "number_of",
        "ends_after", "otherwise",
    }
    assert set(table) <= known, set(table) - known
    return lines + ["form.fields.append(field)"]


def uuid(text):
    """A UUID of 16 or 128 bits."""
    digits = text.replace("-", "").upper()
    if len(digits) == 4:
        return f"BluetoothUUID(0x{digits} as UInt16)"
    return f"BluetoothUUID(high: 0x{digits[:16]}, low: 0x{digits[16:]})"


def source(form):
    if form.get("record"):
        return ".record"
    if "characteristic" in form:
        return f".characteristic({quoted(form['characteristic'].lower())})"
    if "manufacturer" in form:
        return ".anyManufacturer" if form["manufacturer"] == "any" else f".manufacturer(0x{form['manufacturer'].upper()})"
    short = len(form["service_data"]) == 4
    return f".serviceData(0x{form['service_data'].upper()})" if short else f".longServiceData({uuid(form['service_data'])})"


def check(table):
    kind, (first, last) = table["kind"], table["over"]
    method = {"sum": ".sum", "xor": ".exclusiveOr"}.get(kind)
    if method is None:
        parts = [f"width: {kind[3:]}", f"polynomial: 0x{table['polynomial']:X}"]
        if table.get("initial"):
            parts.append(f"initial: 0x{table['initial']:X}")
        if table.get("reflected"):
            parts.append("isReflected: true")
        if table.get("final"):
            parts.append(f"final: 0x{table['final']:X}")
        method = f".crc(CyclicCheck({', '.join(parts)}))"
    return f"[OctetCheck({method}, first: {first}, last: {last}, number: {octets(table)})]"


def pieces(values):
    """The parts of a nonce or of additional data."""
    found = []
    for text in values:
        if text.startswith("address"):
            found.append(f".address(isReversed: {'true' if text == 'address-reversed' else 'false'})")
        elif ":" in text:
            found.append(".value(offset: {}, count: {})".format(*text.split(":")))
        else:
            found.append(f".octets([{', '.join(f'0x{x:02X}' for x in bytes.fromhex(text))}])")
    return f"[{', '.join(found)}]"


def block(digits):
    octets_ = bytes.fromhex(digits)
    assert len(octets_) == 16, digits
    return f"[{', '.join(f'0x{x:02X}' for x in octets_)}]"


def cipher(table):
    mode = ".ctr" if table["kind"] == "aes-ctr" else ".ccm(tag: {1}, at: {0})".format(*table["tag"])
    extra = f", additionalData: {pieces(table['additional'])}" if "additional" in table else ""
    first, last = table["over"]
    return f"FormCipher({mode}, first: {first}, last: {last}, nonce: {pieces(table['nonce'])}{extra})"


def form_lines(form):
    bounds = listed(form["length"])
    lines = [f"form = SensorForm({source(form)}, length: {bounds[0]}...{bounds[-1]}, fields: [])"]
    if "with_manufacturer" in form:
        lines.append(f"form.companion = .manufacturer(0x{form['with_manufacturer'].upper()})")
    if "with_service_data" in form:
        lines.append(f"form.companion = .serviceData(0x{form['with_service_data'].upper()})")
    if "prefix" in form:
        pairs = re.findall("..", form["prefix"])
        masks = ["".join("0" if d == "?" else "F" for d in pair) for pair in pairs]
        entries = [f".init(mask: 0x{m}, value: 0x{p.replace('?', '0').upper()})" for m, p in zip(masks, pairs)]
        lines.append(f"form.prefix = [{', '.join(entries)}]")
    if "contains" in form:
        lines.append(f"form.contains = [{', '.join(f'0x{x:02X}' for x in bytes.fromhex(form['contains']))}]")
    if "when" in form:
        lines.append(f"form.conditions = {conditions(form['when'])}")
    if "service" in form:
        lines.append(f"form.service = {uuid(form['service'])}")
    if "local_name" in form:
        lines.append(f"form.localName = {quoted(form['local_name'])}")
    if "address_at" in form:
        lines.append(f"form.addressOffset = {form['address_at']}")
    if form.get("address_order") == "reversed":
        lines.append("form.isAddressReversed = true")
    if "counter" in form:
        lines.append(f"form.counter = {octets(form['counter'])}")
    if form.get("cipher", {}).get("kind") == "aes-cbc":
        key, initial = block(form["cipher"]["key"]), block(form["cipher"].get("iv", "00" * 16))
        lines.append(f"form.valueCipher = ValueCipher(key: {key}, initial: {initial})")
        form = {name: value for name, value in form.items() if name != "cipher"}
    for key, made in (("check", check), ("cipher", cipher)):
        if key in form:
            lines.append(f"form.{key + 's' if key == 'check' else key} = {made(form[key])}")
    if "model" in form:
        lines.append(f"form.model = {quoted(form['model'])}")
    if "models" in form:
        names = {int(key, 0): name for key, name in form["models"]["names"].items()}
        listed_ = ", ".join(f"{number}: {quoted(name)}" for number, name in sorted(names.items()))
        lines.append(f"form.models = SensorForm.NumberedModels({octets(form['models'])}, [{listed_}])")
    if "tolerate" in form:
        lines.append(f"form.tolerance = {form['tolerate']}")
    for key, ours in (("event", "isEvent"), ("unique", "isUnique")):
        if form.get(key):
            lines.append(f"form.{ours} = true")
    known = {
        "manufacturer", "service_data", "with_manufacturer", "with_service_data", "length", "prefix", "contains", "when",
        "service", "local_name", "address_at", "address_order", "counter", "model", "event", "unique", "field",
        "check", "cipher", "record", "models", "tolerate", "characteristic",
    }
    assert set(form) <= known, f"generate.py cannot say {set(form) - known}"
    places = {}
    for place, table in enumerate(form["field"]):
        lines += field(table, places)
        if "id" in table:
            places[table["id"]] = place
    return lines + ["definition.forms.append(form)"]


def forms(file):
    return file["form"] if "form" in file else [{**file["match"], "field": file["field"]}]


def characteristic(file):
    """The characteristic that the file is about; None for a family of advertisements."""
    return forms(file)[0].get("characteristic", "").lower() or None


def swift(file, name):
    lines = []
    for form in forms(file):
        lines += form_lines(form)
    body = "\n".join("        " + line for line in lines)
    extra = "".join(f"        definition.{key} = {quoted(file[key])}\n" for key in ("products", "hint") if key in file)
    imports = "import BluetoothCore\n\n"
    return (
        HEAD % name + imports + "extension SensorDefinition {\n"
        f"    static let {camel(file.get('family', pathlib.Path(name).stem))}: SensorDefinition = {{\n"
        f"        var definition = SensorDefinition(key: {quoted(characteristic(file) or file['family'])}, name: {quoted(file['name'])}, forms: [])\n"
        f"{extra}        var form: SensorForm\n        var field: FormField\n{body}\n        return definition\n    }}()\n}}\n"
    )


def fits(form, data):
    bounds = listed(form["length"])
    digits = data.hex().upper()
    return bounds[0] <= len(data) <= bounds[-1] and all(
        p in ("?", d) for p, d in zip(form.get("prefix", "").upper(), digits))


def vector(file, entry):
    """What ReadingsTests has of a vector: AD structures, an address, and the values."""
    address = entry.get("address")
    record = forms(file)[0].get("record", False) or characteristic(file)
    if record:
        octets_ = entry["data"].replace(" ", "")
    elif "advertisement" in entry:
        octets_ = entry["advertisement"].replace(" ", "")
    else:
        data = bytes.fromhex(entry["data"].replace(" ", ""))
        form = next((f for f in forms(file) if fits(f, data)), forms(file)[0])
        if "manufacturer" in form:
            head = b"" if form["manufacturer"] == "any" else bytes.fromhex(form["manufacturer"])[::-1]
            octets_ = bytes([len(head + data) + 1, 0xFF]) + head + data
        else:
            head = bytes.fromhex(form["service_data"])[::-1]
            octets_ = bytes([len(head + data) + 1, 0x16]) + head + data
        name = entry.get("local_name", form.get("local_name", "").strip("*")).encode()
        octets_ = octets_ + (bytes([len(name) + 1, 9]) + name if name else b"")
        octets_ = octets_.hex()
        if address is None and "address_at" in form:
            at = data[form["address_at"]:form["address_at"] + 6]
            at = at[::-1] if form.get("address_order") == "reversed" else at
            address = ":".join(f"{octet:02X}" for octet in at)
    key = f"key: {quoted(entry['key'])}, " if "key" in entry else "isRecord: true, " if record else ""
    number = (address or "AA:BB:CC:DD:EE:FF").replace(":", "")
    values, texts = "nil", ""
    if not entry.get("refused"):
        numbers = {k: float(v) for k, v in entry["values"].items() if not isinstance(v, str)}
        values = "[" + (", ".join(f"{quoted(k)}: {v}" for k, v in sorted(numbers.items())) or ":") + "]"
        words = ", ".join(f"{quoted(k)}: {quoted(v)}" for k, v in sorted(entry["values"].items()) if isinstance(v, str))
        texts = f"texts: [{words}], " if words else ""
    return (
        f"        DescribedVector(\n            {quoted(characteristic(file) or file['family'])}, 0x{number},\n            {quoted(octets_)},\n"
        f"            {values}, {texts}{key}tolerance: {float(entry.get('tolerance', 0))}),\n"
    )


def main():
    files = {path: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
    made = {}
    for path, file in files.items():
        stem = camel(path.stem)
        made[TARGET / (stem[0].upper() + stem[1:] + ".swift")] = swift(file, path.name)
    names = ", ".join(f".{camel(file['family'])}" for file in files.values() if "family" in file)
    values = ", ".join(f".{camel(path.stem)}" for path, file in files.items() if characteristic(file))
    made[TARGET / "DescribedFamilies.swift"] = (
        HEAD % "*.toml" + "extension SensorFamilies {\n    /// What files describe.\n"
        f"    static let described: [SensorDefinition] = [\n        {names},\n    ]\n}}\n\n"
        "extension Decoders {\n    /// Characteristics that files describe.\n"
        f"    static let described: [SensorDefinition] = [{values}]\n}}\n")
    vectors = "".join(vector(file, entry) for file in files.values() for entry in file["vector"])
    made[VECTORS / "DescribedVectors.swift"] = (
        HEAD % "*.toml" + "extension DescribedVector {\n    static let all: [DescribedVector] = [\n" + vectors + "    ]\n}\n")
    wrong = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    wrong += [path for path in TARGET.glob("*.swift") if path not in made]
    if "--check" in sys.argv:
        if wrong:
            sys.exit("not what the files say: " + ", ".join(str(p.relative_to(ROOT)) for p in wrong) + ". Run generate.py.")
        return
    for folder in (TARGET, VECTORS):
        folder.mkdir(parents=True, exist_ok=True)
    for path in wrong:
        if path in made:
            path.write_text(made[path])
        else:
            path.unlink()


main()
