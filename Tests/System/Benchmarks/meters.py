# SPDX-License-Identifier: Apache-2.0
"""What processes cost, and what they printed."""
import json
import os
import pathlib

from harness import Failed, check


def cpu_seconds(pid):
    """User and system time of the process, threads that have ended included; in steps of 10 ms."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def major_faults(pid):
    """Pages that the process waited for, as they had to be read from a disk."""
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[9])


def _line(path, key):
    for line in path.read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise Failed(f"{path} has no {key}")


def memory_kib(pid, key):
    return _line(pathlib.Path(f"/proc/{pid}/status"), key)


def bytes_written(pid):
    """What the process had the kernel write to block devices, in whole pages of its cache; the file system's own journal
    is not in it."""
    return _line(pathlib.Path(f"/proc/{pid}/io"), "write_bytes")


def last_line(process):
    lines = [line for line in process.output.read_text().splitlines() if line.startswith("{")]
    check(lines, f"{process.name} printed no result: {process.text()[-300:]}")
    return json.loads(lines[-1])


def readings_of(path):
    """The readings that mosquitto_sub has written to a file, payload by payload."""
    result = []
    for line in path.read_text().splitlines():
        try:
            payload = json.loads(line)
        except json.JSONDecodeError:
            break  # being written
        result += payload if isinstance(payload, list) else [payload]
    return result
