#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/attacks.json, and the table of docs/security.md, from what the attack tests recorded.

    report.py            writes the two files
    report.py --check    compares them with what the last run recorded; fails when they differ

A row is harmless when its test passed in the last run. One whose attack no test can try says why in the catalogue, as
"not-applicable" (the host has nothing that it could concern) or as "out-of-scope" (the host does not defend against it);
what a test shows of its surroundings does not make it harmless. All others are open. The records are in $MARTLET_ATTACK_RESULTS, or else .build/attacks; see Tests/Proof/AttackTests/Recorder.swift.
"""

import argparse
import collections
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
UNTRIED = ("not-applicable", "out-of-scope")
RESULTS = pathlib.Path(os.environ.get("MARTLET_ATTACK_RESULTS", ROOT / ".build" / "attacks"))
JSON = ROOT / "docs" / "attacks.json"
DOCUMENT = ROOT / "docs" / "security.md"
BEGIN, END = "<!-- attacks:begin -->", "<!-- attacks:end -->"
SECTIONS = ((1, "HCI and its transport"), (25, "L2CAP"), (52, "ATT and GATT"), (84, "SMP, keys, GAP"), (115, "Others"), (151, "The page, settings and commands"))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows():
    """Each row as docs/attacks.json has it, with its entry of the catalogue."""
    catalogue = load(HERE / "catalogue.json")
    recorded = {int(path.stem): load(path) for path in RESULTS.glob("*.json")}
    for unknown in recorded.keys() - {entry["row"] for entry in catalogue}:
        sys.exit(f"attacks: row {unknown} is not in the catalogue")
    for entry in catalogue:
        record = recorded.get(entry["row"])
        status = entry.get("status", "open")
        if status != "open" and (status not in UNTRIED or not entry.get("reason")):
            sys.exit(f"attacks: row {entry['row']} of the catalogue is {status!r}, without a reason or not known")
        if record and record["status"] != "pass":
            status = "open"
        elif record and status == "open":
            status = "harmless"
        row = {"row": entry["row"], "id": entry["id"], "status": status, "test": record["test"] if record else ""}
        yield row, entry, (record or {}).get("error", "")


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def table(list_of_rows):
    count = collections.Counter(row["status"] for row, _, _ in list_of_rows)
    numbers = ", ".join(f"{count[status]} {status}" for status in ("harmless", *UNTRIED, "open"))
    lines = [
        "Each row was a fault of some Bluetooth host, controller or of the specification. Its test drives a whole host",
        "with raw octets, beside a peer that has to be served as before: the host stays ready, nothing protected leaves,",
        "nothing is left behind. `make attacks` writes this table and `attacks.json`.",
        "",
        f"{len(list_of_rows)} rows: {numbers}.",
    ]
    starts = dict(SECTIONS)
    for row, entry, error in list_of_rows:
        if row["row"] in starts:
            lines += ["", f"### {starts[row['row']]}", ""]
            lines += ["| row | id | what is tried | what happens | status |", "| ---: | --- | --- | --- | --- |"]
        happens = {"harmless": entry["outcome"], "open": error or "no test yet"}.get(row["status"], entry.get("reason", ""))
        cells = [str(row["row"]), row["id"], entry["title"], happens, row["status"]]
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return "\n".join(lines)


def document(text):
    """docs/security.md with the new table; all that stands around it stays."""
    old = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.is_file() else f"# Security\n\n## Attacks\n\n{BEGIN}\n{END}\n"
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        sys.exit(f"attacks: {DOCUMENT.relative_to(ROOT)} has no place for the table: {BEGIN} and {END}, once each")
    head, rest = old.split(BEGIN)
    return f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing them")
    check = parser.parse_args().check
    if not RESULTS.is_dir():
        sys.exit(f"attacks: nothing is recorded in {RESULTS}; run `swift test --filter AttackTests` first")
    found = list(rows())
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row, _, _ in found)
    outputs = {JSON: f"[\n{lines}\n]\n", DOCUMENT: document(table(found))}
    problems = []
    for path, text in outputs.items():
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            problems.append(f"{path.relative_to(ROOT)} is not what the last run recorded")
    if check and JSON.is_file():
        committed = {row["row"]: row["status"] for row in load(JSON)}
        for row, _, error in found:
            if committed.get(row["row"]) == "harmless" and row["status"] != "harmless":
                problems.append(f"row {row['row']}, {row['id']}, is said to be harmless: {error or 'not recorded'}")
    if problems:
        sys.exit("\n".join(f"attacks: {line}" for line in [*problems, "run `make attacks` and commit the two files"]))
    harmless = sum(row["status"] == "harmless" for row, _, _ in found)
    untried = sum(row["status"] in UNTRIED for row, _, _ in found)
    print(f"attacks: {harmless} of {len(found)} rows are harmless, {untried} say why they are not tried")


if __name__ == "__main__":
    main()
