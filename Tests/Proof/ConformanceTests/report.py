#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/conformance.json and docs/conformance.md from what the conformance tests recorded.

    report.py            writes the two files
    report.py --check    compares them with what the last run recorded; fails when they differ, and when too few of
                         the core ids or the ids of legacy pairing pass

The records are in $MARTLET_CONFORMANCE_RESULTS, or else .build/conformance; see Tests/Proof/ConformanceTests/Recorder.swift.
"""

import argparse
import collections
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
RESULTS = pathlib.Path(os.environ.get("MARTLET_CONFORMANCE_RESULTS", ROOT / ".build" / "conformance"))
MINIMUM = 385
COUNTED = ("GATT", "GAP", "L2CAP", "SM")
# LE legacy pairing is refused unless the operator allows it for a peer: these pass with that.
MINIMUM_LEGACY = 33

NOT_CORE = {
    "legacy": "no script yet",
    "signed": "signed writes are optional and not there: they are ignored, and no signing key is given or taken"
    " (SMNeverTests)",
    "eatt": "enhanced credit-based channels and EATT are optional and not there",
    "opt": "optional and not there",
    "bredr": "not applicable: LE only, no BR/EDR",
    "iso": "not applicable: no isochronous channels",
    "older": "no longer in the current test suite",
}

# Why core ids have no script, by the beginning of the id: the first that fits.
NO_CROSS_TRANSPORT = (
    "not applicable: LE only, no BR/EDR; keys for the other transport are neither offered nor derived (SMNeverTests)"
)
WITHOUT_SCRIPT = (
    ("SM/CEN/SCCT/", NO_CROSS_TRANSPORT),
    ("SM/PER/SCCT/", NO_CROSS_TRANSPORT),
)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def records():
    found = {}
    for path in sorted(RESULTS.glob("*.json")) if RESULTS.is_dir() else []:
        record = load(path)
        found[record["id"]] = record
    return found


def rows():
    recorded = records()
    reasons = load(HERE / "expected-failures.json")
    catalogue = load(HERE / "catalogue.json")
    known = {case["id"] for case in catalogue}
    for id in [*reasons, *recorded]:
        if id not in known:
            sys.exit(f"conformance: {id} is not in the catalogue")
    for case in catalogue:
        id, mark = case["id"], case["mark"]
        record = recorded.get(id)
        row = {"id": id, "layer": case["layer"], "mark": mark, "status": "none", "test": "", "reason": ""}
        if record:
            row["status"], row["test"] = record["status"], record["test"]
            if record["status"] == "fail":
                row["reason"] = reasons.get(id) or record.get("error", "")
        elif id in reasons:
            row["reason"] = reasons[id]
        else:
            reasons_of = [reason for start, reason in WITHOUT_SCRIPT if id.startswith(start)]
            row["reason"] = [*reasons_of, NOT_CORE.get(mark, "no script yet")][0]
        yield row, case["summary"]


def family(id):
    """GATT/CL/GAR/BV-01-C is of the family GATT GAR, GAP/CONN/TERM/BV-01-C of GAP CONN/TERM."""
    parts = id.split("/")
    if parts[0] in ("GATT", "SM"):
        return f"{parts[0]} {parts[2] if len(parts) > 3 else parts[1]}"
    return f"{parts[0]} {'/'.join(parts[1:-1])}"


def count(chosen):
    status = collections.Counter(row["status"] for row in chosen)
    return status["pass"], status["fail"], status["none"]


def markdown(table):
    lines = [
        "# Conformance",
        "",
        "One row for each test case of the Bluetooth SIG's that concerns a Bluetooth LE host. The ids are the SIG's, the",
        "wording is ours. A test case passes when its script in `Tests/Proof/ConformanceTests` passed in the last run: the host",
        "runs on a virtual controller, and a second controller on the same air is driven with raw octets as the lower",
        "tester. This is no qualification. `make conformance` writes this file and `conformance.json`.",
        "",
        "The scripts are about the host, which can do more than its API lets a program ask for. No program reaches pairing",
        "with data that came by other means, non-bondable mode, passive scans, scans for discoverable devices only,",
        "directed advertising and advertising for a limited time: the test cases that rest on these pass by calls inside",
        "the host.",
        "The scripts also bring their own advertising data: what `CBPeripheralManager` makes of a program's dictionary is",
        "shown octet by octet in `Tests/Unit/CoreBluetoothTests/AdvertisementComposerTests.swift`.",
        "",
        "| layer | core ids | pass | fail | none | other ids | of these pass |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    total = [0] * 6
    for layer in ("GATT", "GAP", "L2CAP", "SM"):
        core = [row for row, _ in table if row["layer"] == layer and row["mark"] == "core"]
        other = [row for row, _ in table if row["layer"] == layer and row["mark"] != "core"]
        numbers = [len(core), *count(core), len(other), count(other)[0]]
        lines.append(f"| {layer} | " + " | ".join(map(str, numbers)) + " |")
        total = [sum(pair) for pair in zip(total, numbers)]
    lines.append("| all | " + " | ".join(map(str, total)) + " |")
    counted, passed = counts([row for row, _ in table])
    legacy, legacy_passed = counts([row for row, _ in table], mark="legacy")
    lines += ["", f"Core ids of {', '.join(COUNTED)}: {passed} of {counted} pass."]
    lines += ["", f"LE legacy pairing: {legacy_passed} of {legacy} pass, with legacy pairing allowed for the tester."]
    lines += [
        "",
        "Marks: `core` is what the host has to do; `legacy` what it does for peers that the operator names; the others are"
        " optional or not applicable, as the row says.",
    ]
    families = collections.OrderedDict()
    for row, summary in table:
        families.setdefault(family(row["id"]), []).append((row, summary))
    for name, members in families.items():
        lines += ["", f"## {name}", "", "| id | mark | status | what | test, or reason |", "| --- | --- | --- | --- | --- |"]
        for row, summary in members:
            note = "; ".join(cell(text) for text in (row["reason"], row["test"]) if text)
            lines.append(f"| {row['id']} | {row['mark']} | {row['status']} | {cell(summary)} | {note} |")
    return "\n".join(lines) + "\n"


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def counts(table, mark="core"):
    chosen = [row for row in table if row["mark"] == mark and row["layer"] in COUNTED]
    return len(chosen), count(chosen)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing them")
    check = parser.parse_args().check
    if not RESULTS.is_dir():
        sys.exit(f"conformance: nothing is recorded in {RESULTS}; run `swift test --filter ConformanceTests` first")
    table = list(rows())
    outputs = {
        ROOT / "docs" / "conformance.json": "[\n"
        + ",\n".join(json.dumps(row, ensure_ascii=False) for row, _ in table)
        + "\n]\n",
        ROOT / "docs" / "conformance.md": markdown(table),
    }
    counted, passed = counts([row for row, _ in table])
    legacy, legacy_passed = counts([row for row, _ in table], mark="legacy")
    problems = []
    for path, text in outputs.items():
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            problems.append(f"{path.relative_to(ROOT)} is not what the last run recorded")
            problems += differences(path, table)
    if problems:
        problems.append("run `make conformance` and commit the two files")
    if check and passed < MINIMUM:
        problems.append(f"{passed} core ids of {', '.join(COUNTED)} pass; at least {MINIMUM} of {counted} have to")
    if check and legacy_passed < MINIMUM_LEGACY:
        problems.append(f"{legacy_passed} of {legacy} ids of legacy pairing pass; at least {MINIMUM_LEGACY} have to")
    if problems:
        sys.exit("\n".join(f"conformance: {line}" for line in problems))
    print(
        f"conformance: {passed} of {counted} core ids of {', '.join(COUNTED)} pass; of legacy pairing"
        f" {legacy_passed} of {legacy}, with legacy pairing allowed"
    )


def differences(path, table):
    """The first rows whose status is another now."""
    if path.suffix != ".json" or not path.is_file():
        return []
    try:
        committed = {row["id"]: row["status"] for row in load(path)}
    except (ValueError, KeyError, TypeError):
        return ["it cannot be read"]
    changed = [
        f"{row['id']} was {committed.get(row['id'], 'missing')}, is {row['status']} now: {row['reason']}"
        for row, _ in table
        if committed.get(row["id"]) != row["status"]
    ]
    return changed[:20] + ([f"and {len(changed) - 20} more"] if len(changed) > 20 else [])


if __name__ == "__main__":
    main()
