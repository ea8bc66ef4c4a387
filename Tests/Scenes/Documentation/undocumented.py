#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""undocumented.py GRAPH... - names public declarations without a doc comment in the given symbol graphs; fails if there
are any. What only fulfils somebody else's requirement needs none: the requirement has it."""
import json
import pathlib
import sys

# Of RawRepresentable, Hashable, Error and NSObject; Swift gives these no relationship to the requirement.
REQUIREMENTS = {"rawValue", "init(rawValue:)", "==(_:_:)", "hash(into:)", "hash", "isEqual(_:)", "description",
                "errorDomain", "errorCode", "errorUserInfo", "errorDescription", "copy(with:)"}


def undocumented(graph):
    """Names, sorted, of the symbols of one graph."""
    inherited = {relation["source"] for relation in graph["relationships"]
                 if relation["kind"] in ("overrides", "defaultImplementationOf")}
    for symbol in graph["symbols"]:
        path = symbol["pathComponents"]
        if "docComment" in symbol or symbol["identifier"]["precise"] in inherited or path[-1] in REQUIREMENTS:
            continue
        yield f"{'.'.join(path)} ({symbol['kind']['displayName']})"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    graphs = [json.loads(pathlib.Path(name).read_text()) for name in sys.argv[1:]]
    count = sum(len(graph["symbols"]) for graph in graphs)
    missing = sorted(name for graph in graphs for name in undocumented(graph))
    for name in missing:
        print(f"no doc comment: {name}")
    if missing or not count:
        sys.exit(f"{len(missing)} of {count} public declarations have no doc comment")
    print(f"{count} public declarations are documented")


main()
