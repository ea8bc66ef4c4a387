#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plot.py - draws docs/benchmarks/*.json: packets.svg, what a packet costs each host, and readings.svg, what a reading costs."""
import json
import pathlib

import matplotlib
matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "benchmarks"
HOSTS = {"floor": ("a reader in C that only parses and counts", "#8a8f98"), "martlet": ("Martlet", "#0b6e4f"),
         "bumble": ("Bumble", "#c8553d")}
READINGS = {"qos1-in-c": "libmosquitto in C, QoS 1 alone", "live": "20,000 readings a second, one by one",
            "paged": "4,000 readings a second, one by one", "history": "a backlog, in batches",
            "wanted": "BTHome of 20 sensors", "encrypted": "BTHome, encrypted"}


def read(name):
    return json.loads((RESULTS / name).read_text())


def bars(axes, names, values, height, offset, colour, label=None):
    places = [place + offset for place in range(len(names))]
    drawn = axes.barh(places, values, height, color=colour, label=label)
    axes.bar_label(drawn, [f"{value:.3g}" if value else "" for value in values], padding=3, fontsize=8)


def finish(figure, axes, names, label, path):
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    # Without a date: the same figures make the same file.
    figure.savefig(RESULTS / path, metadata={"Date": None, "Creator": None})
    print(f"written: {RESULTS / path}")


def packets():
    rows = {(row["workload"], row["host"]): row["cpu_s_per_M"] for row in read("latest.json")}
    names = list(dict.fromkeys(workload for workload, _ in rows if workload not in ("pipeline", "paced-1000")))
    figure, axes = pyplot.subplots(figsize=(8, 0.62 * len(names) + 1.4))
    for index, (host, (label, colour)) in enumerate(HOSTS.items()):
        bars(axes, names, [rows.get((name, host), 0) for name in names], 0.27, 0.28 * (index - 1), colour, label)
    axes.set_xscale("log")
    axes.set_xlim(0.005, 200)
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    finish(figure, axes, names, "CPU time a packet, µs (logarithmic)", "packets.svg")


def readings():
    figures = read("ledger.json") | read("listening.json")
    names = [name for name in READINGS if name in figures]
    figure, axes = pyplot.subplots(figsize=(8, 0.42 * len(names) + 1.2))
    colours = [HOSTS["floor" if name == "qos1-in-c" else "martlet"][1] for name in names]
    bars(axes, names, [figures[name]["cpu_us"] for name in names], 0.6, 0, colours)
    axes.set_xlim(right=1.15 * max(figures[name]["cpu_us"] for name in names))
    finish(figure, axes, [READINGS[name] for name in names], "CPU time a reading, µs: from the radio to the broker's answer and the deletion",
           "readings.svg")


if __name__ == "__main__":
    matplotlib.rcParams.update({"svg.hashsalt": "martlet", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
    packets()
    readings()
