#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libraries.py ROOT PROGRAM... - removes from the tree ROOT every shared library that none of the PROGRAMs is linked with,
directly or through another. Fails when one is missing.
"""
import os
import re
import subprocess
import sys


def needed(path):
    """The libraries that an ELF asks for by name, and its interpreter."""
    text = subprocess.run(["readelf", "-dlW", path], check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    interpreter = re.findall(r"program interpreter: (.*?)\]", text)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text) + [os.path.basename(name) for name in interpreter]


def is_elf(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def main(root, programs):
    libraries = {}
    for folder, _, files in os.walk(f"{root}/usr/lib"):
        for name in files:
            libraries.setdefault(name, []).append(os.path.join(folder, name))
    keep, waiting = set(), [f"{root}/{program}" for program in programs]
    for program in waiting:
        keep.add(os.path.realpath(program))
    while waiting:
        path = waiting.pop()
        for name in needed(path):
            found = libraries.get(name)
            if not found:
                sys.exit(f"libraries.py: {path.removeprefix(root)} needs {name}, which no package of packages.list has")
            # In the image, too, a link of a library leads to a file beside it.
            real = os.path.realpath(found[0])
            if not real.startswith(os.path.realpath(root) + "/"):
                sys.exit(f"libraries.py: {found[0]} leads out of the tree")
            if real not in keep:
                keep.add(real)
                waiting.append(real)
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.join(folder, name)
            if is_elf(path) and os.path.realpath(path) not in keep:
                os.remove(path)
    # Links to what is gone.
    for folder, _, files in os.walk(f"{root}/usr/lib"):
        for name in files:
            path = os.path.join(folder, name)
            if re.search(r"\.so(\.|$)", name) and os.path.islink(path) and not os.path.exists(path):
                os.remove(path)


if __name__ == "__main__":
    main(os.path.realpath(sys.argv[1]), sys.argv[2:])
