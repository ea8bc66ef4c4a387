#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""grafana_types.py DASHBOARD - read a dashboard by the types that Grafana publishes, write it again, and compare.

What the types do not know is lost on the way: a key with a slip of the hand, an option of another kind of panel.
"""
import json
import sys

from grafana_foundation_sdk.cog import encoder, plugins
from grafana_foundation_sdk.models import dashboard


def differences(before, after, place="dashboard"):
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key in after:
                yield from differences(value, after[key], f"{place}.{key}")
            elif value is not None:
                yield f"{place}.{key}: not known to Grafana"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after)):
            yield from differences(old, new, f"{place}[{index}]")
    elif before != after:
        yield f"{place}: {before!r} is read as {after!r}"


def main():
    plugins.register_default_plugins()
    with open(sys.argv[1], encoding="utf-8") as file:
        before = json.load(file)
    after = json.loads(json.dumps(dashboard.Dashboard.from_json(before), cls=encoder.JSONEncoder))
    found = list(differences(before, after))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
