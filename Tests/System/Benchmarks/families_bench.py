#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does an advertisement cost more when there are three times as many families? At most 5 %.

    families_bench.py MARTLET_DECODE [--rounds N]

The packets are those of Tests/Support/Corpus. martlet-decode looks for the family of each, with the families that there are and with
three times as many, in turns; the least time of all rounds counts, so that a busy machine does not matter much.
"""
import argparse
import json
import pathlib
import subprocess
import sys

PACKETS = pathlib.Path(__file__).resolve().parents[2] / "Support/Corpus/packets.jsonl"
GREATEST = 1.05


def parts(octets):
    """An advertisement's facts as martlet-decode takes them."""
    found = {"services": [], "service_data": {}}
    data = bytes.fromhex(octets)
    while len(data) > 1 and 0 < data[0] < len(data):
        kind, value, data = data[1], data[2:data[0] + 1], data[data[0] + 1:]
        if kind == 0xFF:
            found["manufacturer"] = value.hex()
        elif kind == 0x16 and len(value) >= 2:
            found["service_data"][value[1::-1].hex()] = value[2:].hex()
        elif kind in (8, 9):
            found["name"] = value.decode("utf-8", "replace")
        elif kind in (2, 3):
            found["services"] += [value[i:i + 2][::-1].hex() for i in range(0, len(value) - 1, 2)]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    rows = [json.loads(line) for line in PACKETS.read_text().splitlines()]
    packets = [{"address": row.get("address"), **(parts(row["adv"]) if "adv" in row else {
        key: row[key] for key in ("name", "services", "manufacturer", "service_data") if row.get(key)})} for row in rows]
    text = "".join(json.dumps(packet) + "\n" for packet in packets)
    run = subprocess.run([options.program, "--cost", str(options.rounds)], input=text, capture_output=True, text=True, check=True)
    cost = json.loads(run.stdout)
    ratio = cost["three_ns"] / cost["one_ns"]
    print(f"{len(packets)} packets: {cost['one_ns']:.0f} ns each, {cost['three_ns']:.0f} ns with three times as many families: "
          f"{(ratio - 1) * 100:+.1f} %")
    if ratio > GREATEST:
        sys.exit(f"families_bench: more than {(GREATEST - 1) * 100:.0f} %")


main()
