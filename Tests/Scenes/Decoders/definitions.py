#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts the definitions of Theengs Decoder by `martlet decoder import`, and compares what they read with the library itself.

    definitions.py MARTLET [--show NAME]
    definitions.py --prepare

The library and the definitions come from PyPI, from the package's source; nothing of them stays outside of .build. Each definition
that has values of our quantities is converted alone. Its packets are those of Tests/Support/Corpus that the library takes for this
model; without one, packets are made of the condition. For a quantity that none has, octets are changed until the library reads it.
The packets with
the library's values become vectors of the converted file, and `martlet check-config` decodes them. A definition fits if the file
has every quantity of ours, and each vector gives the library's values and no others. LEAST is how many have to fit.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import tempfile

import run
from oracles.theengs import PACKAGE

SOURCES = run.ROOT / ".build" / "decoders-sources"
CORPUS = run.ROOT / "Tests" / "Support" / "Corpus" / "packets.jsonl"
LEAST = 98
TRIES = 600  # changed or invented packets for what no packet has
VECTORS = 48  # packets a definition

# Their names: ours. A number behind the name stays.
NAMES = {
    "tempc": "temperature", "hum": "humidity", "batt": "battery", "volt": "voltage", "pres": "pressure", "bpm": "heart_rate",
    "act_bpm": "heart_rate", "steps": "steps", "weight": "weight", "impedance": "impedance", "lvl_cm": "liquid_level",
    "level": "level", "count": "count", "alarm": "problem", "open": "opening", "motion": "motion", "presence": "presence",
    "lowbatt": "battery_low", "power": "power", "energy": "energy", "current": "current", "accx": "acceleration_x",
    "accy": "acceleration_y", "accz": "acceleration_z", "x_axis": "acceleration_x", "y_axis": "acceleration_y",
    "z_axis": "acceleration_z", "co2": "co2", "lux": "illuminance", "moi": "moisture", "fer": "conductivity",
    "for": "formaldehyde", "pm25": "pm25", "pm10": "pm10", "gravity": "specific_gravity", "mov": "movement_counter",
    "seq": "sequence", "txpower": "tx_power", "tx": "tx_power", "rot": "rotation", "distance": "distance",
    "tempc2_dp": "dewpoint", "litres": "volume", "seconds": "duration", "duration": "duration", "sector": "brush_sector",
    "state": "text", "status": "text", "lightlevel": "light_level", "quality": "level_quality", "voltage": "voltage",
    "rain": "precipitation", "windspeed": "wind_speed", "uptime": "uptime", "moving": "moving", "position": "position",
    "formaldehyde": "formaldehyde", "light_level": "light_level", "humidity": "humidity", "temperature": "temperature",
}
TEXTS = {"text"}
# How many of our units one of theirs is.
UNITS = {"pressure": {"bar": 1000, "kPa": 10, "Pa": 0.01, "hPa": 1}, "weight": {"kg": 1, "g": 0.001, "lb": 0.45359237},
         "liquid_level": {"cm": 0.01, "m": 1}}


def prepare():
    """The package's source, unpacked."""
    name, _, version = PACKAGE.partition("==")
    folder = SOURCES / f"{name.lower()}-{version}"
    if not folder.exists():
        SOURCES.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--no-binary", name, "--dest", SOURCES, PACKAGE], check=True)
        [archive] = SOURCES.glob(f"*-{version}.tar.gz")
        with tarfile.open(archive) as opened:
            opened.extractall(SOURCES, filter="data")
    return folder


class Definition:
    """One of a header's definitions, with the units of its properties."""

    def __init__(self, header, name, table, units):
        self.header, self.name, self.model, self.units = header, name, table.get("model_id"), units
        self.hasUUID = "uuid" in json.dumps(table["condition"])
        self.condition = table["condition"]
        self.keys = {self.ours(key.lstrip("_")) for key in table.get("properties", {})} - {None}

    def ours(self, name):
        """Our key of a property, and how many of our units one of its units is; None if it is none of ours."""
        if name in NAMES:
            ours = NAMES[name]
            return ours, UNITS.get(ours, {}).get(self.units.get(name), 1)
        digits = re.search(r"\d+$", name)
        if digits and name[:digits.start()] in NAMES:
            ours = NAMES[name[:digits.start()]]
            return f"{ours}_{int(digits[0])}", UNITS.get(ours, {}).get(self.units.get(name), 1)
        return None

    def values(self, read):
        """The library's values by our keys."""
        found = {}
        for name, value in read.items():
            ours = self.ours(name)
            # A word in place of a number, or a number in place of a word, is no value of the quantity.
            if ours is not None and isinstance(value, str) == (ours[0] in TEXTS):
                found[ours[0]] = value if isinstance(value, (bool, str)) else value * ours[1]
        return found


def definitions(folder):
    for header in sorted((folder / "src" / "devices").glob("*_json.h")):
        literals = dict(re.findall(r'^const char\* *(\w+) *= *"(.*)";', header.read_text(), re.MULTILINE))
        tables = {name: json.loads(json.loads(f'"{text}"')) for name, text in literals.items()}
        units = {}
        for name, table in tables.items():
            for key, facts in (table if isinstance(table, dict) else {}).get("properties", {}).items():
                if "unit" in facts:
                    units[key] = facts["unit"]
        seen = {}
        for table in tables.values():
            for one in table if isinstance(table, list) else [table]:
                if "condition" in one:
                    model = one.get("model_id", "?")
                    seen[model] = seen.get(model, 0) + 1
                    yield Definition(header, model if seen[model] == 1 else f"{model}#{seen[model]}", one, units)


def packets():
    """The packets of the corpus, as parts."""
    for line in CORPUS.read_text().splitlines():
        row = json.loads(line)
        part = {"address": row.get("address"), "name": row.get("name"), "services": list(row.get("services", [])),
                "service_data": dict(row.get("service_data", {})), "manufacturer": row.get("manufacturer")}
        data = bytes.fromhex(row.get("adv", ""))
        while len(data) > 1 and 0 < data[0] < len(data):
            kind, value, data = data[1], data[2:data[0] + 1], data[data[0] + 1:]
            if kind == 0xFF:
                part["manufacturer"] = value.hex()
            elif kind == 0x16 and len(value) >= 2:
                part["service_data"][value[1::-1].hex()] = value[2:].hex()
            elif kind in (8, 9):
                part["name"] = value.decode("utf-8", "replace")
            elif kind in (2, 3):
                part["services"] += [value[i:i + 2][::-1].hex() for i in range(0, len(value) - 1, 2)]
        yield part


def read(packet):
    """What the library says."""
    from TheengsDecoder import decodeBLE

    asked = {"id": packet["address"], "name": packet["name"], "manufacturerdata": packet["manufacturer"]}
    for uuid in packet["services"]:
        asked["servicedatauuid"] = uuid
    for uuid, data in packet["service_data"].items():
        asked |= {"servicedatauuid": uuid, "servicedata": data}
    return json.loads(decodeBLE(json.dumps({key: value for key, value in asked.items() if value})) or "{}", strict=False)


def structures(packet):
    """The packet as AD structures; they may be more than an advertisement has room for."""
    def one(kind, data):
        return bytes([len(data) + 1, kind]) + data

    out = b""
    for uuid in packet["services"]:
        octets = bytes.fromhex(uuid.replace("-", ""))[::-1]
        out += one(3 if len(octets) == 2 else 7, octets)
    for uuid, data in packet["service_data"].items():
        octets = bytes.fromhex(uuid.replace("-", ""))[::-1]
        out += one(0x16 if len(octets) == 2 else 0x21, octets + bytes.fromhex(data))
    if packet["manufacturer"]:
        out += one(0xFF, bytes.fromhex(packet["manufacturer"]))
    if packet["name"]:
        out += one(9, packet["name"].encode())
    return out.hex()


def changed(packet, random):
    """The packet with one to three other octets."""
    def other(text):
        data = bytearray.fromhex(text)
        for _ in range(random.randint(1, 3)):
            if data:
                data[random.randrange(len(data))] = random.choice([0, 1, 2, 3, 4, 8, 16, 64, 128, 255, random.randrange(256)])
        return data.hex()
    return packet | {"manufacturer": other(packet["manufacturer"]) if packet["manufacturer"] else None,
                     "service_data": {uuid: other(data) for uuid, data in packet["service_data"].items()}}


def invented(definition, random):
    """A packet that the condition asks for, of random octets; None if the condition is too nested for this."""
    terms, part = [], []
    for word in definition.condition:
        if isinstance(word, list):
            word = "nested"
        if word in ("|", "&"):
            terms, part = terms + [part], []
        else:
            part.append(word)
    packet = {"address": "AA:BB:CC:DD:EE:FF", "name": None, "services": [], "service_data": {}, "manufacturer": None}
    digits, uuid = {"manufacturerdata": [], "servicedata": []}, None
    for source, *rest in terms + [part]:
        length = 2 * random.randint(6, 13)
        if rest[:1] and rest[0] in ("=", ">="):
            length, rest = rest[1], rest[2:]
        if source in digits:
            octets = digits[source] or [random.choice("0123456789abcdef") for _ in range(length)]
            if rest[:1] == ["index"] and isinstance(rest[2], str) and rest[2] != "!":
                octets[rest[1]:rest[1] + len(rest[2])] = rest[2]
            elif rest[:1] and rest[0] in ("mac@index", "revmac@index"):
                octets[rest[1]:rest[1] + 12] = "aabbccddeeff" if rest[0] == "mac@index" else "ffeeddccbbaa"
            digits[source] = octets
        elif source == "name":
            packet["name"] = (" " * rest[1] + rest[2] if rest[0] == "index" else rest[1]) + "1"
        elif source == "uuid":
            uuid = rest[-1]
    if digits["manufacturerdata"]:
        packet["manufacturer"] = "".join(digits["manufacturerdata"])
    if digits["servicedata"]:
        packet["service_data"][uuid or "fff0"] = "".join(digits["servicedata"])
    elif uuid:
        packet["services"].append(uuid)
    return packet if all(len(octets) % 2 == 0 for octets in digits.values()) else None


def some(definition):
    """Packets of a model without any in the corpus: made of its condition, and taken by the library for this model."""
    chance, found = random.Random(definition.name), []
    for _ in range(TRIES):
        try:
            packet = invented(definition, chance)
        except (IndexError, TypeError, KeyError):
            return found
        said = read(packet) if packet else {}
        if said.get("model_id") == definition.model and definition.values(said):
            found.append((packet, said))
            if len(found) == 5:
                break
    return found


def vector(packet, values):
    def said(value):
        return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, str)) else repr(round(value, 9))
    lines = ["[[vector]]", f'advertisement = "{structures(packet)}"', "tolerance = 0.0051"]
    if packet["address"]:
        lines.append(f'address = "{packet["address"]}"')
    return lines + ["values = { " + ", ".join(f"{key} = {said(value)}" for key, value in values.items()) + " }"]


def convert(martlet, definition, samples):
    """The file for decoders.d, or the reason why there is none. A definition without a UUID gets that of its packets."""
    command = [martlet, "decoder", "import", str(definition.header), "--model", definition.name, "--family", "converted"]
    if not definition.hasUUID and samples and samples[0][0]["service_data"]:
        command += ["--service-data", next(iter(samples[0][0]["service_data"]))]
    result = subprocess.run(command, capture_output=True, text=True)
    return (result.stdout, None) if result.returncode == 0 else (None, result.stderr.strip().rpartition("_json.h: ")[2])


def complaints(martlet, text, vectors):
    """What check-config says of the file with these vectors: by the vector's place, and of the rest."""
    with tempfile.TemporaryDirectory(prefix="martlet-definition-") as folder:
        folder = pathlib.Path(folder)
        (folder / "decoders.d").mkdir()
        lines, at = text.splitlines(), {}
        for place, one in enumerate(vectors):
            at[len(lines) + 1] = place
            lines += one
        (folder / "decoders.d" / "one.toml").write_text("\n".join(lines) + "\n")
        (folder / "martlet.toml").write_text("")
        result = subprocess.run([martlet, "check-config", "--config", folder / "martlet.toml"], capture_output=True, text=True)
    found, others = {}, []
    for line, words in re.findall(r"one\.toml:(\d+): (.*)", result.stdout + result.stderr):
        if int(line) in at:
            found[at[int(line)]] = words
        else:
            others.append(words)
    return found, others


def cover(definition, samples, wanted):
    """Changed packets that have the quantities which no sample has."""
    chance, more = random.Random(definition.name), []
    for _ in range(TRIES if wanted and samples else 0):
        packet = changed(chance.choice(samples)[0], chance)
        said = read(packet)
        if said.get("model_id") == definition.model:
            values = definition.values(said)
            if wanted & values.keys():
                wanted -= values.keys()
                more.append((packet, values))
                if not wanted:
                    break
    return more


def judge(martlet, definition, samples, isOnlyOne):
    """Why the definition does not fit; None if it fits. With it, the packets that it has read."""
    samples = samples or some(definition)
    text, reason = convert(martlet, definition, samples)
    if text is None:
        return f"not converted: {reason}", []
    keys = {key for key, _ in definition.keys}
    samples = [(packet, definition.values(said)) for packet, said in samples]
    samples = [(packet, values) for packet, values in samples if values][:VECTORS]
    samples += cover(definition, samples, keys - {key for _, values in samples for key in values})
    if not samples:
        return "no packet", []
    found, others = complaints(martlet, text, [vector(*sample) for sample in samples])
    # A packet of another definition of this model.
    foreign = {place for place, words in found.items() if words.startswith("this [[vector]] is not taken")} if not isOnlyOne else set()
    taken = [samples[place][0] for place in range(len(samples)) if place not in found]
    bad = [words for place, words in sorted(found.items()) if place not in foreign]
    if bad or not taken:
        return (bad or ["takes none of its packets"])[0], taken
    others = [words for words in others if not words.startswith("no [[vector]] has a value of")]
    return (others[0] if others else None), taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("martlet", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--show", metavar="NAME", help="only definitions with this name")
    options = parser.parse_args()
    python = run.environment(["theengs"])
    if python is not None:
        os.execv(python, [str(python), *sys.argv])
    folder = prepare()
    by_model = {}
    for packet in packets():
        said = read(packet)
        if "model_id" in said:
            by_model.setdefault(said["model_id"], []).append((packet, said))
    fit, packets_read, converted = [], 0, 0
    all_of_them = [one for one in definitions(folder) if one.keys and (options.show in (None, one.name))]
    for definition in all_of_them:
        alone = sum(one.model == definition.model for one in all_of_them) == 1
        reason, taken = judge(options.martlet, definition, by_model.get(definition.model, []), alone)
        converted += reason is None or not reason.startswith("not converted")
        if reason is None:
            fit.append(definition.name)
            packets_read += len(taken)
        else:
            print(f"  {definition.name}: {reason}", flush=True)
    print(f"{len(all_of_them)} definitions with values of ours: {converted} are converted, {len(fit)} read what the library reads "
          f"({packets_read} packets)", flush=True)
    if not options.show and len(fit) < LEAST:
        raise SystemExit(f"definitions: {len(fit)} fit, {LEAST} have to")


if __name__ == "__main__":
    if sys.argv[1:] == ["--prepare"]:
        prepare()
    else:
        main()
