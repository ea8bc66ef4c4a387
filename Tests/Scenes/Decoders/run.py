#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our decoders with other people's: random packets of each family go through both.

    run.py [FAMILY…] [--count N] [--seed S] [--borders FILE] PROGRAM
    run.py --prepare

PROGRAM is martlet-decode. Each family has a module in oracles/ that knows its packets and the library to compare with;
the libraries come from PyPI into a virtual environment below .build. What an oracle does otherwise on purpose stands in
its STATED. Of what is read alike, --borders writes the least and the greatest value of each quantity: borders.json, which
BorderTests reads, is made by all families with --count 4000 --seed 19. The first failure does not end the run; any failure
ends it with 1.
"""

import argparse
import collections
import importlib
import itertools
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import threading
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
VENV = ROOT / ".build" / "decoders-venv"
SHOWN = 10


def families():
    return sorted(path.stem for path in (HERE / "oracles").glob("*.py") if not path.stem.startswith("_"))


def package_of(module):
    """The line PACKAGE = "…" of an oracle, read before its imports can work."""
    for line in (HERE / "oracles" / f"{module}.py").read_text().splitlines():
        if line.startswith("PACKAGE"):
            return line.split("=", 1)[1].split("#")[0].strip().strip("\"'").split()
    raise SystemExit(f"{module}: no PACKAGE")


def environment(modules):
    """The interpreter that has the oracles' packages: this one, or that of a virtual environment."""
    wanted = sorted({package for module in modules for package in package_of(module)})
    if all(installed(package) for package in wanted):
        return None
    python = VENV / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() != VENV.resolve():
        if not python.exists():
            venv.create(VENV, with_pip=True)
        return python
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *wanted], check=True)
    importlib.invalidate_caches()
    missing = [package for package in wanted if not installed(package)]
    if missing:
        raise SystemExit(f"cannot be installed: {' '.join(missing)}")
    return None


def installed(package):
    import importlib.metadata

    name, _, version = package.partition("==")
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False


def ask(program, packets):
    """The program's answers to all packets, in their order."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def write():
        try:
            for packet in packets:
                process.stdin.write(json.dumps(packet) + "\n")
            process.stdin.close()
        except BrokenPipeError:
            pass  # It ended early: the count of its answers tells.

    writer = threading.Thread(target=write)
    writer.start()
    answers = [json.loads(line) for line in process.stdout]
    writer.join()
    if process.wait() != 0:
        raise SystemExit(f"{program} ended with {process.returncode} after {len(answers)} packets")
    return answers


def equal(ours, theirs):
    tolerance = None
    if isinstance(theirs, tuple):
        theirs, tolerance = theirs
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if isinstance(theirs, str) or isinstance(ours, str) or ours is None:
        return ours == theirs
    if tolerance is not None:
        return abs(ours - theirs) <= tolerance
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


def differences(ours, theirs):
    if ours is None:
        return ["not decoded"]
    return [
        f"{key}: ours {ours.get(key, 'nothing')}, theirs {theirs.get(key, 'nothing')}"
        for key in sorted(ours.keys() | theirs.keys())
        if key not in ours or key not in theirs or not equal(ours[key], theirs[key])
    ]


class Borders:
    """Of the packets that both sides read alike, those with the least and the greatest value of each quantity."""

    def __init__(self):
        self.found = {}

    def take(self, family, packet, fields):
        if "characteristic" in packet:
            return
        for key, value in fields.items():
            if isinstance(value, str) or isinstance(value, list):
                continue
            quantity = key.rstrip("0123456789").rstrip("_") if "_" in key else key
            for end, sign in (("least", 1), ("greatest", -1)):
                known = self.found.get((family, quantity, end))
                if known is None or sign * value < sign * known[0]:
                    self.found[family, quantity, end] = (value, packet, fields)

    def write(self, path):
        rows = {}
        for (family, quantity, end), (_, packet, fields) in sorted(self.found.items()):
            short = {key: value for key, value in packet.items() if value}
            row = rows.setdefault(json.dumps(short, sort_keys=True), {
                "family": family, "ends": [], "packet": short, "fields": fields})
            row["ends"].append(f"{end} {quantity}")
        lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows.values())
        pathlib.Path(path).write_text(f"[\n{lines}\n]\n")


def is_blank(packet):
    """Six octets or more that are all alike: unwritten memory, which is no packet of ours, and one of each library."""
    manufacturer = bytes.fromhex(packet.get("manufacturer") or "")
    values = [manufacturer, manufacturer[2:], *map(bytes.fromhex, packet.get("service_data", {}).values())]
    return any(len(value) > 5 and len(set(value)) == 1 for value in values)


def compare(module, program, count, seed, borders):
    """Prints a line about a family; whether all was well."""
    oracle = importlib.import_module(f"oracles.{module}")
    family = getattr(oracle, "FAMILY", module.replace("_", "-"))
    made = itertools.filterfalse(is_blank, oracle.packets(random.Random(f"{seed} {module}")))
    packets = list(itertools.islice(made, count))
    answers = ask(program, packets)
    stated = collections.Counter()
    equals = mismatches = 0
    for packet, answer in zip(packets, answers):
        theirs = oracle.expected(packet)
        # A reason in place of values, or beside them: the oracle does otherwise, and we know why.
        if isinstance(theirs, dict) and "stated" in theirs:
            theirs = dict(theirs)
            stated[theirs.pop("stated")] += 1
            # We refuse what the oracle reads.
            if theirs.pop("refused", False):
                theirs = None
        # A characteristic's values are of no family: the packet names the characteristic. An oracle for several families
        # names them in its packets.
        wanted = packet.get("characteristic") or packet.get("family", family)
        if theirs is None:
            found = [] if answer["fields"] is None else [f"ours {answer['fields']}, theirs nothing"]
        elif answer["family"] != wanted:
            found = [f"recognised as {answer['family']}"]
        else:
            found = differences(answer["fields"], theirs)
        if not found:
            equals += 1
            if theirs is not None:
                borders.take(wanted, packet, answer["fields"])
            continue
        mismatches += 1
        if mismatches <= SHOWN:
            print(f"  {module}: {json.dumps(packet)}")
            for line in found:
                print(f"    {line}")
    unknown = set(stated) - set(oracle.STATED)
    enough = len(packets) == len(answers) == count
    print(f"{module}: {len(answers)} packets, {equals} equal, {mismatches} not", flush=True)
    for case, reason in oracle.STATED.items():
        print(f"  stated: {case}{f' ({stated[case]} packets)' if stated[case] else ''}: {reason}", flush=True)
    if not enough:
        print(f"  {module}: {count} packets wanted, {len(packets)} made, {len(answers)} answered")
    if unknown:
        print(f"  {module}: not in STATED: {', '.join(sorted(unknown))}")
    return enough and not mismatches and not unknown


def prepare():
    """Installs the oracles' packages, and does no more."""
    if python := environment(families()):
        os.execv(python, [str(python), __file__, "--prepare"])


def main():
    if sys.argv[1:] == ["--prepare"]:
        return prepare()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="modules of oracles/; all of them by default")
    parser.add_argument("program", metavar="PROGRAM", help="martlet-decode")
    parser.add_argument("--count", type=int, default=2000, help="packets a family")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--borders", metavar="FILE", help="write the least and the greatest values that were compared")
    arguments = parser.parse_intermixed_args()
    chosen = [family.replace("-", "_") for family in arguments.families] or families()
    unknown = sorted(set(chosen) - set(families()))
    if unknown or not chosen:
        parser.error(f"no oracle: {', '.join(unknown) or HERE / 'oracles'}")
    python = environment(chosen)
    if python is not None:
        again = [__file__, *chosen, "--count", str(arguments.count), "--seed", str(arguments.seed), arguments.program]
        again += ["--borders", arguments.borders] if arguments.borders else []
        os.execv(python, [str(python), *again])
    sys.path.insert(0, str(HERE))
    print(f"seed {arguments.seed}, {arguments.count} packets a family", flush=True)
    failed, borders = [], Borders()
    for module in chosen:
        try:
            well = compare(module, arguments.program, arguments.count, arguments.seed, borders)
        except Exception as error:  # One oracle's trouble is told, and the others are still asked.
            print(f"{module}: {type(error).__name__}: {error}")
            well = False
        if not well:
            failed.append(module)
    if arguments.borders:
        borders.write(arguments.borders)
    if failed:
        raise SystemExit(f"not equal: {', '.join(failed)}")


if __name__ == "__main__":
    main()
