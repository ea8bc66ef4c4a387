#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""notices.py ROOT TOOLCHAIN - licences and notices of everything that is linked into the program."""
import json
import os
import sys

# Of these, only what the program links is there; the rest of a toolchain is not distributed with it.
RUNTIME = "The Swift runtime, its standard library, Dispatch and Foundation with ICU"

# Libraries that are headers alone, from Debian.
HEADERS = {"toml++, https://github.com/marzer/tomlplusplus": "libtomlplusplus-dev"}


def texts(folder):
    names = sorted(
        name for name in os.listdir(folder)
        if name.upper().startswith(("LICENSE", "LICENCE", "NOTICE", "COPYING")) and os.path.isfile(f"{folder}/{name}"))
    return [f"{folder}/{name}" for name in names]


def show(title, files):
    print("=" * 78 + f"\n{title}\n" + "=" * 78 + "\n")
    for file in files:
        with open(file, encoding="utf-8") as text:
            print(text.read().strip() + "\n")


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
        version = pin["state"].get("version") or pin["state"]["revision"]
        show(f"{name} {version}, {pin['location']}", files)
    for title, package in HEADERS.items():
        show(title, [f"/usr/share/doc/{package}/copyright"])
    show(RUNTIME, [f"{toolchain}/share/swift/LICENSE.txt"])


if __name__ == "__main__":
    main(*sys.argv[1:])
