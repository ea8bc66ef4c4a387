#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""depends.py ARCH PROGRAM - the packages that PROGRAM needs, for a Depends field.

dpkg-shlibdeps says so for programs of this machine. It cannot for others, whose libraries are not installed here: for
those the ELF's own list of libraries is read, and the table below says who has them.
"""
import os
import re
import subprocess
import sys
import tempfile

# libssl3 is called libssl3t64 from Debian 13 on, and provides the old name.
PACKAGES = {
    "libm.so.6": None, "libc.so.6": None, "ld-linux-aarch64.so.1": None, "ld-linux-x86-64.so.2": None,
    "libpthread.so.0": None, "libdl.so.2": None, "librt.so.1": None, "libutil.so.1": None,
    "libgcc_s.so.1": "libgcc-s1", "libstdc++.so.6": "libstdc++6",
    "libsqlite3.so.0": "libsqlite3-0", "libmosquitto.so.1": "libmosquitto1", "libqrencode.so.4": "libqrencode4",
    "libssl.so.3": "libssl3t64 | libssl3", "libcrypto.so.3": "libssl3t64 | libssl3",
}


def run(*command, **options):
    # readelf's words are read below.
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment, **options).stdout


def here(program):
    """By dpkg-shlibdeps, which wants a source package around it."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/debian")
        with open(f"{folder}/debian/control", "w") as control:
            control.write("Source: martlet\n\nPackage: martlet\nArchitecture: any\n")
        text = run("dpkg-shlibdeps", "-O", os.path.abspath(program), cwd=folder)
    return text.strip().removeprefix("shlibs:Depends=")


def elsewhere(program):
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", program))
    unknown = [name for name in needed if name not in PACKAGES]
    if unknown:
        sys.exit(f"depends.py: no package is known for {', '.join(unknown)}")
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"Name: GLIBC_([\d.]+)", run("readelf", "-VW", program))}
    if not versions:
        sys.exit(f"depends.py: {program} needs no version of glibc")
    packages = {PACKAGES[name] for name in needed} - {None}
    return ", ".join([f"libc6 (>= {'.'.join(map(str, max(versions)))})", *sorted(packages)])


if __name__ == "__main__":
    architecture, program = sys.argv[1:]
    print((here if architecture == run("dpkg", "--print-architecture").strip() else elsewhere)(program))
