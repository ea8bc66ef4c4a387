#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""terminal.py BINARY - write docs/images/demo.svg: what a terminal shows after 14 s of martlet demo."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROWS, COLUMNS = 24, 104
HOME = "\x1b[H"


def output(command):
    """All that a command writes to a terminal of this size."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    said = b""
    try:
        while piece := os.read(terminal, 65536):
            said += piece
    except OSError:
        pass  # The other end is closed.
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        sys.exit(f"{' '.join(command)} failed:\n{said.decode(errors='replace')[-2000:]}")
    return said.decode()


def last_screen(text):
    """The last that was drawn before the end took the terminal back; each drawing begins at the corner."""
    screen = text.split("\x1b[?1049l")[0].rsplit(HOME, 1)[-1]
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", screen)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    screen = last_screen(output([sys.argv[1], "demo", "--seconds", "14"]))
    if "SENSOR" not in screen:
        sys.exit(f"that is no screen of martlet demo:\n{screen}")
    picture = subprocess.run([sys.executable, ROOT / "Tests/System/Image/picture.py", "A terminal with martlet demo"], input=screen,
                             text=True, check=True, capture_output=True).stdout
    (ROOT / "docs/images/demo.svg").write_text(picture, encoding="utf-8")


main()
