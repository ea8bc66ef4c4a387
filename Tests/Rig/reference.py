# SPDX-License-Identifier: Apache-2.0
"""The reference database of the interoperability tests: the other copy of
Tests/Scenes/Interop/martlet-peer/ReferenceDatabase.swift, for the servers and clients written in Python."""
import contextlib
import json
import struct
import time


def uuid(number):
    return f"0000{number:04x}-4d61-7274-6c65-745065657200"


MAIN, INCLUDED, CHANGING, BATTERY = uuid(0x0001), uuid(0x0100), uuid(0x0200), "180f"
CONSTANT, DYNAMIC, LONG, WRITABLE, COUNTING = (uuid(number) for number in range(0x0010, 0x0015))
NOTIFYING, INDICATING, CONTROL, DESCRIBED = (uuid(number) for number in range(0x0015, 0x0019))
WRITE_ONLY, ENCRYPTED, REFUSING, PAIR_FIRST, PAIR_SECOND = (uuid(number) for number in range(0x001A, 0x001F))
INCLUDED_VALUE, BATTERY_LEVEL = uuid(0x0101), "2a19"
CHANGING_VALUE = uuid(0x0201)
PSM = "abdd3056-28fa-441d-a470-55a75a52553a"

CONSTANT_VALUE, DYNAMIC_VALUE, INCLUDED_CONTENT = b"constant value", b"dynamic value", b"included value"
ENCRYPTED_VALUE = b"for bonded peers"
LONG_VALUE = bytes(number * 7 % 256 for number in range(400))
DESCRIPTION = "both kinds"
FORMAT = bytes([0x08, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00])

# The first octet of what is written to CONTROL; where a number follows, it is how many values to send.
NOTIFY, INDICATE, CHANGE_SERVICES, DISCONNECT, FLOOD, OPEN_WINDOW = 1, 2, 3, 4, 5, 6

READ_REFUSED, WRITE_REFUSED = 0x80, 0x81


def value(index):
    return struct.pack("<I", index)


class Counter:
    """What COUNTING keeps: how many write commands came, and how many of them not in their order."""

    def __init__(self):
        self.came = self.misplaced = 0

    def write(self, octets):
        if struct.unpack_from("<I", octets) != (self.came,):
            self.misplaced += 1
        self.came += 1

    def read(self):
        return struct.pack("<II", self.came, self.misplaced)


def emit(**fields):
    print(json.dumps(fields), flush=True)


class Unmet(Exception):
    """A step did not hold; the message says why."""


def expect(condition, message):
    if not condition:
        raise Unmet(message)


class Steps:
    """Reports each step of a client's script; `with steps.step("read short"): ...`."""

    def __init__(self):
        self.failures = 0

    @contextlib.contextmanager
    def step(self, name):
        started, report = time.monotonic(), {"detail": ""}
        try:
            yield report
            ok = True
        except Exception as error:  # whatever it was, the next steps may hold
            self.failures += 1
            ok, report["detail"] = False, f"{type(error).__name__}: {error}"
        emit(step=name, ok=ok, detail=report["detail"], seconds=round(time.monotonic() - started, 3))
