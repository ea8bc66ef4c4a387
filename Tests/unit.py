#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the unit tests that are built, and says at the end which failed and how.

usage: unit.py BUILD-FOLDER NAME [--changed] [--filter … | --skip … | --no-parallel]

The program of the tests is started itself: `swift test` would lock the folder, and read all manifests first.

All that the tests say is in .build/tests/NAME.log, too. Some thousand tests share the processors with gateways, brokers and
emulators that they start. Up to four that fail are run once more by themselves: those that pass then are reported as unsteady, with
what they said, here and in .build/tests/NAME-unsteady.txt, and fail nothing. More of them, one that fails again, or an end of the
whole process are failures. Where nothing was said for 15 minutes, the process hangs, and is ended. Of a process that hangs or
crashes, the tests are named that had begun and not ended.

--changed leaves out the targets of tests that have passed since their inputs changed (unchanged.py).
"""
import os
import pathlib
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree

import unchanged

if len(sys.argv) < 3:
    sys.exit(__doc__)
ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = (ROOT / sys.argv[1] / "martletPackageTests.xctest").resolve()
FOLDER = ROOT / ".build" / "tests"
MOST_UNSTEADY = 4
# A test hangs after ten minutes at most, and says so.
SILENCE = float(os.environ.get("MARTLET_UNIT_SILENCE", 15 * 60))


def run(name, arguments):
    """The exit status; what the tests say is shown and kept."""
    report(name).unlink(missing_ok=True)
    command = [PROGRAM, "--testing-library", "swift-testing", "--xunit-output", report(name), *arguments]
    with open(FOLDER / f"{name}.log", "wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={**os.environ, "NO_COLOR": "1"})
        hung = threading.Event()
        for line in iter(lambda: next_line(process, hung), b""):
            log.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        status = process.wait()
    if hung.is_set():
        say(f"Nothing was said for {SILENCE:.0f} s, so the tests were ended. These had begun and not ended:", unfinished(name))
        return status or 1
    if status < 0:
        say(f"The process of the tests was ended by signal {-status}. These tests had begun and not ended:", unfinished(name))
    return status


def next_line(process, hung):
    """A line, or nothing at the end; a process that says nothing for too long is killed."""
    def end():
        hung.set()
        process.kill()
    watch = threading.Timer(SILENCE, end)
    watch.start()
    try:
        return process.stdout.readline()
    finally:
        watch.cancel()


def report(name):
    return FOLDER / f"{name}.xml"


def failed(name):
    """Those that failed, as --filter takes them; nothing where the process did not come to its end; None without a report."""
    try:
        cases = xml.etree.ElementTree.parse(report(name)).iter("testcase")
    except OSError:
        return []
    except xml.etree.ElementTree.ParseError as error:
        say(f"The report of the tests is no XML: {error}", [str(report(name))])
        return None
    return sorted({f"{case.get('classname')}/{case.get('name')}" for case in cases if case.find("failure") is not None})


def unfinished(name):
    """The tests that had begun and not ended when the process did, from the log."""
    text = (FOLDER / f"{name}.log").read_text(errors="replace")
    begun = re.findall(r"^◇ Test (?!run |case )(.+) started\.$", text, re.M)
    ended = set(re.findall(r"^[✔✘] Test (?!run )(.+?)(?: with \d+ test cases?)? (?:passed|failed) after", text, re.M))
    return [test for test in begun if test not in ended][:60]


def words(name):
    """What the tests said of failures, from the log."""
    lines = (FOLDER / f"{name}.log").read_text(errors="replace").splitlines()
    said = [number for number, line in enumerate(lines) if re.match(r"✘|.*\berror:|.*(Fatal error|unexpected signal)", line)]
    kept = {number + after for number in said for after in range(4 if said else 0)
            if after == 0 or number + after < len(lines) and lines[number + after].startswith("↳")}
    return [lines[number] for number in sorted(kept)][:60]


def say(title, lines):
    print(f"\n{title}", *(f"  {line}" for line in lines), sep="\n", flush=True)


def main():
    name, arguments = sys.argv[2], sys.argv[3:]
    FOLDER.mkdir(parents=True, exist_ok=True)
    if "--changed" not in arguments:
        return judged(name, arguments)
    arguments.remove("--changed")
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))

    def belongs(target):
        return all(bool(re.search(options[option], f"{target}.")) == wanted
                   for option, wanted in (("--filter", True), ("--skip", False)) if option in options)
    passed = unchanged.Passed(FOLDER / f"{name}-passed.json", belongs)
    if not passed.changed:
        print(f"{name}: nothing has changed since these tests passed; make check ALL=1 runs them all the same")
        return 0
    print(f"{name}: {', '.join(passed.changed)}")
    begun = unchanged.begun(ROOT / sys.argv[1])
    options["--filter"] = f"^({'|'.join(passed.changed)})\\."
    status = judged(name, [word for pair in options.items() for word in pair])
    if status == 0:
        passed.keep(begun)
    return status


def judged(name, arguments):
    """The exit status, after a second try of the few tests that failed."""
    unsteady = FOLDER / f"{name}-unsteady.txt"
    unsteady.unlink(missing_ok=True)
    status = run(name, arguments)
    tests = failed(name)
    if tests is None:
        return status or 1
    if status == 0:
        return 0
    if not 1 <= len(tests) <= MOST_UNSTEADY:
        say(f"The unit tests failed; all that they said is in .build/tests/{name}.log:", words(name))
        return status
    say("Once more, by themselves:", tests)
    if status := run(f"{name}-again", ["--no-parallel", "--filter", "|".join(f"^{re.escape(test)}" for test in tests)]):
        say("Failed among others, and by themselves:", words(f"{name}-again"))
        return status
    passed = re.findall(r"^✔ Test run with (\d+) tests?", (FOLDER / f"{name}-again.log").read_text(errors="replace"), re.M)
    if not passed or int(passed[-1]) < len(tests):
        say("Failed, and could not be run by themselves:", tests + words(name))
        return 1
    unsteady.write_text("\n".join(tests + words(name)) + "\n")
    say(f"UNSTEADY: failed among others, passed by themselves: {' '.join(tests)}", words(name))
    return 0


sys.exit(main())
