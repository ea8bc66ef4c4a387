#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""changelog.py CHANGELOG.md VERSION EPOCH - CHANGELOG.md as Debian writes it."""
import datetime
import email.utils
import re
import sys
import textwrap

MAINTAINER = "Martlet contributors <martlet@users.noreply.github.com>"


def sections(text):
    """Version, date or None, and entries, newest first."""
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        match = re.match(r"\[(.*?)\](?: - (\S+))?", title)
        entries = [" ".join(entry.split()) for entry in re.findall(r"^- ((?:.+\n?(?:  .+\n?)*))", body, flags=re.M)]
        yield match[1], match[2], entries


def main(path, version, epoch):
    with open(path) as file:
        found = list(sections(file.read()))
    if not found or not found[0][2]:
        sys.exit(f"changelog.py: {path} has no entries")
    commit = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    for name, date, entries in found:
        # What is to come is this version.
        number = version if name == "Unreleased" else name
        moment = datetime.datetime.fromisoformat(f"{date}T00:00:00+00:00") if date else commit
        print(f"martlet ({number}) unstable; urgency=medium\n")
        for entry in entries:
            text = entry.replace("`", "")
            print(textwrap.fill(text, 76, initial_indent="  * ", subsequent_indent="    ", break_on_hyphens=False))
        print(f"\n -- {MAINTAINER}  {email.utils.format_datetime(moment)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
