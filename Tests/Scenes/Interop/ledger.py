# SPDX-License-Identifier: Apache-2.0
"""The books of an interoperability run: what sensors sent against what a consumer got."""
import sqlite3
import struct

from across_kills import Sent, compare
from harness import COUNTER_VALUE, check


def unique(readings):
    """The readings without repeats, by (gw, n). A repeat must be the same reading, word for word but for its lane."""
    seen = {}
    for reading in readings:
        key = (reading["gw"], reading["n"])
        bare = {name: value for name, value in reading.items() if name != "historical"}
        check(seen.setdefault(key, bare) == bare, f"two different readings carry {key}: {seen[key]} and {bare}")
    return list(seen.values())


def check_no_repeats(readings):
    keys = [(reading["gw"], reading["n"]) for reading in readings]
    check(len(keys) == len(set(keys)), f"{len(keys) - len(set(keys))} readings arrived more than once")


def of(sensor, readings):
    """The readings of one sensor in the order of the journal."""
    return sorted((reading for reading in readings if reading["dev"] == sensor.dev), key=lambda reading: reading["n"])


def check_order_of_arrival(sensor, readings, lane):
    """In one lane a sensor's readings come in the order of the journal."""
    numbers = [reading["n"] for reading in readings
               if reading["dev"] == sensor.dev and bool(reading.get("historical")) == (lane == "history")]
    check(numbers == sorted(numbers), f"{sensor.name}: {lane} arrived out of order")


def counter_sequence(reading):
    check(reading.get("characteristic") == COUNTER_VALUE, f"a counter's reading has no raw value: {reading}")
    return struct.unpack_from("<I", bytes.fromhex(reading["raw"]))[0]


def content(sensor, reading):
    """What of a reading has to equal the value that the sensor sent; the same form as `expected` gives."""
    if sensor.kind == "counter":
        return reading["characteristic"], reading["raw"]
    if sensor.kind == "thermometer":
        return "temperature", round(reading["temperature"], 2)
    if sensor.kind == "heart-rate":
        return "heart_rate", reading["heart_rate"]
    for key in ("temperature", "humidity", "pressure"):
        if key in reading:
            return key, round(reading[key], 3)
    check(False, f"{sensor.name}: no known quantity in {reading}")


def expected(sensor, event):
    """The value that the sensor sent, in the gateway's units."""
    value = bytes.fromhex(event["value"])
    if sensor.kind == "counter":
        return COUNTER_VALUE, event["value"]
    if sensor.kind == "thermometer":
        return "temperature", round(int.from_bytes(value[1:4], "little", signed=True) / 100, 2)
    if sensor.kind == "heart-rate":
        return "heart_rate", value[1]
    number = int.from_bytes(value, "little", signed=len(value) == 2)
    return {"2A6E": lambda: ("temperature", round(number / 100, 3)),
            "2A6F": lambda: ("humidity", round(number / 100, 3)),
            "2A6D": lambda: ("pressure", round(number / 1000, 3))}[short_uuid(event["uuid"])]()


def short_uuid(text):
    """`UUID-16:2A6E (Temperature)` → `2A6E`."""
    return text.split(":")[-1].split(" ")[0]


def check_exact(sensor, readings):
    """Every value sent arrived, once, in order, and nothing else did."""
    sent = [expected(sensor, event) for event in sensor.sent()]
    got = [content(sensor, reading) for reading in of(sensor, readings)]
    check(sent, f"{sensor.name} has sent nothing")
    if sent == got:
        return
    at = next((index for index, pair in enumerate(zip(sent, got)) if pair[0] != pair[1]), min(len(sent), len(got)))
    check(False, f"{sensor.name}: sent {len(sent)}, arrived {len(got)}; they part at {at}: "
                 f"sent {sent[at:at + 3]}, arrived {got[at:at + 3]}")


def journal_rows(path, copy_to):
    """The numbers and raw values in a dead gateway's journal, read from a copy with its write-ahead log."""
    for suffix in ("", "-wal"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            copy_to.with_name(copy_to.name + suffix).write_bytes(source.read_bytes())
    database = sqlite3.connect(copy_to)
    try:
        return database.execute("SELECT * FROM reading ORDER BY 1").fetchall()
    finally:
        database.close()


def buffered_rows(path):
    """How many rows a living gateway's journal holds."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute("SELECT count(*) FROM reading").fetchone()[0]
    finally:
        database.close()


def check_across_kills(sensor, readings, kills):
    """The books of a sensor when the gateway was killed `kills` times; returns how many values are missing.

    What the gateway had received and not yet committed is lost with it, and so is what a sensor says to a dead gateway
    until its link times out. What it had committed and not yet confirmed arrives.
    """
    missing = 0
    sent = [Sent(expected(sensor, event), event["link"], event["event"] == "sent")
            for event in sensor.events("sent", "unconfirmed")]
    got = [content(sensor, reading) for reading in of(sensor, readings)]
    streams = {entry.value[0] for entry in sent} | {value[0] for value in got}
    for stream in sorted(streams):
        lost, problem = compare([entry for entry in sent if entry.value[0] == stream],
                                [value for value in got if value[0] == stream], kills)
        check(problem is None, f"{sensor.name}: {problem}")
        missing += lost
    return missing
