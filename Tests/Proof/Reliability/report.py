#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/reliability.md from docs/reliability.json, which run.py writes.

    report.py                  writes the table
    report.py --check          fails when the page is not what the JSON says
    report.py --check MARTLET  and when MARTLET knows other faults, other sources or other layers than the page

Seconds are of one run on one machine: nothing compares them.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORD = ROOT / "docs" / "reliability.json"
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- faults:begin -->", "<!-- faults:end -->"
INTRODUCTION = """# Reliability

What the gateway does when its controller fails.

"""
FAULTS = f"""## Faults

What controllers are known to do wrong, and what became of it: `martlet run` with four sensors on links, which number their
values, two that advertise, and a broker, at [`martlet virtual-radio`](testing.md) with the fault. `make reliability` does it
again. Seconds are from the fault, or from the start of the gateway where the controller is made like that, to the first new
reading of the last of the six. Lost are values that a sensor has numbered and that never came, because its link broke before
they were through; counted is what the gateway says of them (`martlet_device_gap_total`). The test fails where the two differ.

{BEGIN}
{END}
"""


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def source(text):
    repository, separator, number = text.partition("#")
    return f"[{text}](https://github.com/{repository}/issues/{number})" if separator else text


def table(rows):
    lines = ["| fault | the controller's behaviour | seen in | layer | cured by | s | lost | counted |",
             "| --- | --- | --- | --- | --- | ---: | ---: | ---: |"]
    for row in rows:
        figures = ["–" if row[key] is None else row[key] for key in ("seconds", "lost", "counted")]
        cells = [f"`{row['fault']}`", row["summary"], ", ".join(map(source, row["sources"])), row["layer"], row["step"], *figures]
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return "\n".join(lines)


def page(text):
    """The page with the new table; all that stands around it stays."""
    old = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else INTRODUCTION
    if BEGIN not in old:
        old = old.rstrip("\n") + "\n\n" + FAULTS
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        sys.exit(f"reliability: {PAGE.relative_to(ROOT)} has no place for the table: {BEGIN} and {END}, once each")
    head, rest = old.split(BEGIN)
    return f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("martlet", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    rows = json.loads(RECORD.read_text(encoding="utf-8"))
    text = page(table(rows))
    problems = []
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        problems.append("docs/reliability.md is not what docs/reliability.json says: run Tests/Proof/Reliability/report.py")
    if options.martlet:
        answer = subprocess.run([options.martlet.absolute(), "virtual-radio", "--list-faults", "--json"], capture_output=True,
                                text=True, check=True)
        def essence(faults, name):
            return {fault[name]: (fault["sources"], fault["layer"], fault["summary"]) for fault in faults}
        there, here = essence(json.loads(answer.stdout)["faults"], "name"), essence(rows, "fault")
        for name in sorted(there.keys() | here.keys()):
            if there.get(name) != here.get(name):
                problems.append(f"{name} is another one, or missing, in docs/reliability.json: run make reliability")
    if problems:
        sys.exit("\n".join(f"reliability: {problem}" for problem in problems))
    cured = sum(row["seconds"] is not None for row in rows)
    print(f"reliability: {cured} of {len(rows)} faults are got over")


if __name__ == "__main__":
    main()
