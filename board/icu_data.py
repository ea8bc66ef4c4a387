#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""icu_data.py LIBRARY FOLDER - cuts the languages out of the data of ICU in Foundation's lib_FoundationICU.a. FOLDER/icudata.s
has what is left, and FOLDER/icudata.ld makes the linker take it in place of the library's own.

Foundation brings the names of days, units, places and currencies in 200 languages, and tables for old character sets: 34 MB,
nearly half of the program. Martlet writes UTF-8, and times as ISO 8601. Calendars, time zones, number formats and comparison stay.
Where a language is asked for that is not there, ICU answers in English if that is the process's own, and else in its root.
"""
import pathlib
import re
import struct
import sys

# What is kept where there is one for each language, and the list of them.
LANGUAGES = {"en", "en_001", "en_US", "en_US_POSIX", "res_index"}
MAGIC = b"\xda\x27", b"CmnD"


def is_wanted(name):
    tree, _, file = name.rpartition("/")
    stem, _, kind = file.rpartition(".")
    if kind in ("cnv", "dict") or tree == "translit":
        return False
    return kind != "res" or stem in LANGUAGES or not re.fullmatch(r"[a-z]{2,3}(_\w*)?", stem)


def find_data(library):
    """Where ICU's package of data begins: a header of UDataInfo with the format CmnD. unicode/udata.h."""
    at = -1
    while (at := library.find(MAGIC[1], at + 1)) >= 0:
        if at >= 12 and library[at - 10:at - 8] == MAGIC[0]:
            return at - 12
    sys.exit("icu_data.py: there is no data of ICU in this library")


def read(library):
    """(header, [(name, octets)…]) of all items but the last, whose end nothing says."""
    start = find_data(library)
    length, = struct.unpack_from("<H", library, start)
    table = start + length
    count, = struct.unpack_from("<I", library, table)
    places = []
    for index in range(count):
        name, data = struct.unpack_from("<II", library, table + 4 + 8 * index)
        places.append((library[table + name:library.index(0, table + name)].decode("ascii"), table + data))
    if is_wanted(places[-1][0].partition("/")[2]):
        sys.exit(f"icu_data.py: {places[-1][0]} is the last item, and wanted: where it ends is not known")
    return library[start:table], [(name, library[begin:end]) for (name, begin), (_, end) in zip(places, places[1:])]


def packed(header, items):
    """The items behind their table, each at a multiple of 16 octets."""
    names = b"".join(name.encode("ascii") + b"\0" for name, _ in items)
    place = 4 + 8 * len(items)
    data = -(-(len(header) + place + len(names)) // 16) * 16 - len(header)
    table = struct.pack("<I", len(items))
    parts = []
    for name, octets in items:
        table += struct.pack("<II", place, data)
        octets += bytes(-len(octets) % 16)
        parts.append(octets)
        place, data = place + len(name) + 1, data + len(octets)
    body = header + table + names
    return body + bytes(-len(body) % 16) + b"".join(parts)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2])
    library = pathlib.Path(sys.argv[1]).read_bytes()
    header, items = read(library)
    kept = [(name, octets) for name, octets in items if is_wanted(name.partition("/")[2])]
    own, name = "martlet_icu_data", items[0][0].partition("/")[0][:-1] + "_dat"  # icudt76l/af.res: icudt76_dat
    if name.encode("ascii") not in library:
        sys.exit(f"icu_data.py: the library has ICU's data, but not under the name {name}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "icudata.dat").write_bytes(packed(header, kept))
    (folder / "icudata.s").write_text(
        f'.section .rodata.icu, "a"\n.globl {own}\n.balign 16\n{own}:\n.incbin "icudata.dat"\n'
        '.section .note.GNU-stack, ""\n')
    # Nobody refers to the library's data then, and --gc-sections drops them.
    (folder / "icudata.ld").write_text(f"{name} = {own};\n")


if __name__ == "__main__":
    main()
