#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a campaign's figures to docs/fuzzing.json, and as a table into docs/security.md.

usage: figures.py SUMMARY    summary.json of campaign.py
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BEGIN, END = "<!-- fuzzing:begin -->", "<!-- fuzzing:end -->"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    summary = json.loads(pathlib.Path(sys.argv[1]).read_text())
    rows = [{"target": target, "tries": about(target), **entry} for target, entry in sorted(summary.items())]
    (ROOT / "docs/fuzzing.json").write_text(json.dumps(rows, indent=2) + "\n")
    lines = ["| target | what is tried | executions | findings open |", "| --- | --- | ---: | ---: |"]
    lines += [f"| `{row['target']}` | {row['tries']} | {row['executions']:,} | {row['findings']} |" for row in rows]
    document = ROOT / "docs/security.md"
    text = document.read_text()
    head, rest = text.split(BEGIN)
    document.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def about(target):
    """The first clause of what the target's type says of itself."""
    for file in (ROOT / "Tests/Proof/Fuzz/martlet-fuzz").glob("*Target.swift"):
        text = file.read_text()
        if f'static let name = "{target}"' in text:
            comment = re.findall(r"^/// (.*)$", text.split("struct ")[0], re.M)
            return re.split(r"[:;] ", " ".join(comment))[0].rstrip(".")
    return ""


if __name__ == "__main__":
    main()
