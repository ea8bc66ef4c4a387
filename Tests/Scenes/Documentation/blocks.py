# SPDX-License-Identifier: Apache-2.0
"""What stands in the fences of a page: commands, configurations, and what a command prints."""
import dataclasses
import re
import subprocess

FENCE = re.compile(r"^( *)```([a-z]*)\n(.*?)^\1```", re.M | re.S)
HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)")
NUMBER = re.compile(r"(…)|(gw-\w+)|(-?\d+(?:\.\d+)?)")


@dataclasses.dataclass
class Block:
    language: str
    text: str
    line: int
    """Of its first line in the page."""


def blocks(page):
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        indent, body = len(found[1]), found[3]
        lines = [line[indent:] for line in body.splitlines(keepends=True)]
        yield Block(found[2], "".join(lines), text.count("\n", 0, found.start()) + 2)


def commands(text):
    """The commands of a block as a shell takes them: with their here-documents and lines that go on."""
    waiting, end = "", None
    for line in text.splitlines(keepends=True):
        waiting += line
        if end:
            end = None if line.strip() == end else end
        elif here := HEREDOC.search(line):
            end = here[1]
        if end or line.endswith("\\\n"):
            continue
        if subprocess.run(["bash", "-n"], input=waiting, text=True, capture_output=True).returncode == 0:
            if waiting.strip() and not waiting.lstrip().startswith("#"):
                yield waiting.strip("\n")
            waiting = ""
    if waiting.strip():
        raise ValueError(f"this is no whole command:\n{waiting}")


def first_line(command):
    """As tables show it: the first line, without the comment behind it."""
    return re.sub(r"\s+#.*$", "", command.splitlines()[0]).rstrip(" \\")


def shape(line):
    """What a line of output looks like: its words, with any numbers."""
    return re.compile(r"\s+".join(map(word_shape, line.split())))


def word_shape(word):
    said, at = "", 0
    for number in NUMBER.finditer(word):
        said += re.escape(word[at:number.start()])
        said += ".*" if number[1] else r"gw-\w+" if number[2] else r"-?\d+(?:\.\d+)?"
        at = number.end()
    return said + re.escape(word[at:])


def missing(expected, output):
    """The first line of a ```text block whose shape is nowhere in the output."""
    for line in expected.splitlines():
        if line.strip() not in ("", "…") and not shape(line).search(output):
            return line
    return None
