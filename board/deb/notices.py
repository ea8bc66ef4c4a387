#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""notices.py ROOT TOOLCHAIN - licences and notices of everything that is linked into the program."""
import itertools
import json
import os
import sys

# Of these, only what the program links is there; the rest of a toolchain is not distributed with it.
RUNTIME = "The Swift runtime, its standard library, Dispatch and Foundation with ICU"


# Sources of others inside a package say it on their own top.
INSIDE = {"tomlkit": ["Sources/CTOML/Sources/toml.hpp"]}


def texts(folder):
    names = sorted(
        name for name in os.listdir(folder)
        if name.upper().startswith(("LICENSE", "LICENCE", "NOTICE", "COPYING")) and os.path.isfile(f"{folder}/{name}"))
    return [f"{folder}/{name}" for name in names]


def head(lines):
    """The comment that a source file begins with."""
    return "".join(line.removeprefix("//").removeprefix(" ") for line in itertools.takewhile(
        lambda line: line.startswith("//"), lines) if not line.startswith("//---"))


def show(title, files):
    print("=" * 78 + f"\n{title}\n" + "=" * 78 + "\n")
    for file in files:
        with open(file, encoding="utf-8") as text:
            print((head(text) if file.endswith(".hpp") else text.read()).strip() + "\n")


def main(root, toolchain):
    print("Martlet is linked with what is listed here. Its own licence is the Apache License 2.0.\n")
    with open(f"{root}/Package.resolved") as file:
        pins = json.load(file)["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        name = os.path.basename(pin["location"]).removesuffix(".git")
        # Of the build to install, or of the one for all tests: both have the same versions.
        folder = next(filter(os.path.isdir, (f"{root}/.build/{build}checkouts/{name}" for build in ("", "test/"))))
        files = texts(folder)
        if not files:
            sys.exit(f"notices.py: {name} has no licence in {folder}")
        files += [f"{folder}/{inner}" for inner in INSIDE.get(pin["identity"], [])]
        version = pin["state"].get("version") or pin["state"]["revision"]
        show(f"{name} {version}, {pin['location']}", files)
    show(RUNTIME, [f"{toolchain}/share/swift/LICENSE.txt"])


if __name__ == "__main__":
    main(*sys.argv[1:])
