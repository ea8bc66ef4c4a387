# SPDX-License-Identifier: Apache-2.0
"""What the log of a running gateway says of its problems, read by a machine."""
import re

LINE = re.compile(r"^\S+ (?P<level>trace|debug|info|notice|warning|error|critical) +(?:(?P<part>[\w-]+): )?(?P<text>.*)$")
LEVELS = {"failure": "error", "warning": "warning", "notice": "notice"}


def value_of(key, text):
    found = re.search(rf'(?:^| ){re.escape(key)}=("(?:[^"\\]|\\.)*"|\S+)', text)
    return found and found[1].strip('"')


class GatewayLog:
    """The lines of one process."""

    def __init__(self, text):
        self.begun, self.over = {}, {}  # levels of the lines on a problem, by its code, the oldest first; number of ends
        self.silence = {}  # the last word on each sensor: whether it is silent, and the level
        for line in text.splitlines():
            found = LINE.match(line)
            if not found:
                continue
            level, words = found["level"], found["text"]
            code, sensor = value_of("problem.code", words), value_of("sensor", words)
            if words.startswith("a problem is over "):
                self.over[code] = self.over.get(code, 0) + 1
            elif words.startswith("a problem "):
                self.begun.setdefault(code, []).append(level)
            elif found["part"] == "collector" and words.startswith(("no values ", "values again ")):
                self.silence[sensor] = (words.startswith("no values "), level)
