#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of unit.py, with a program in the place of the tests that are built."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent

# Each start takes the next of `plans`: the tests that it has, how they end, and how it ends itself.
BUNDLE = """#!{python}
import json, os, pathlib, signal, sys, time
here = pathlib.Path(__file__).parent
with open(here / "starts", "a") as starts:
    print(json.dumps(sys.argv[1:]), file=starts)
count = len((here / "starts").read_text().splitlines())
outcomes, end = json.loads((here / "plans").read_text())[count - 1]
cases = []
print("◇ Test run started.")
for name, outcome in outcomes.items():
    print(f'◇ Test "{{name}}" started.')
    if outcome == "begun":
        continue
    if outcome == "failed":
        print(f'✘ Test "{{name}}" recorded an issue at File.swift:7:9: Expectation failed: {{name}} == 1')
        print("↳ it was two")
    print(f'{{"✔" if outcome == "passed" else "✘"}} Test "{{name}}" {{outcome}} after 0.1 seconds.', flush=True)
    failure = "<failure message='x'/>" if outcome == "failed" else ""
    cases.append(f"<testcase classname='Tests.Suite' name='{{name}}()' time='1'>{{failure}}</testcase>")
if end == "crash":
    print("Fatal error: Index out of range", flush=True)
    os.kill(os.getpid(), signal.SIGILL)
if end == "hang":
    sys.stdout.flush()
    time.sleep(60)
report = sys.argv[sys.argv.index("--xunit-output") + 1]
pathlib.Path(report).write_text("<testsuites>" + "".join(cases) + "</testsuites>")
failed = "failed" in outcomes.values()
print(f'{{"✘" if failed else "✔"}} Test run with {{len(outcomes)}} tests in 1 suite {{"failed" if failed else "passed"}} after 1 second.')
sys.exit(1 if failed else 0)
"""


class UnitTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "Tests").mkdir()
        for name in ("unit.py", "unchanged.py"):
            shutil.copy(HERE / name, self.folder / "Tests")
        self.bundle = self.folder / "build" / "martletPackageTests.xctest"
        self.bundle.parent.mkdir()
        self.bundle.write_text(BUNDLE.format(python=sys.executable))
        self.bundle.chmod(0o755)

    def run_unit(self, *plans, options=("--filter", "Suite"), **environment):
        """The status, what was printed, and the arguments of each start of the bundle."""
        (self.bundle.parent / "plans").write_text(json.dumps(plans))
        starts = self.bundle.parent / "starts"
        starts.unlink(missing_ok=True)
        result = subprocess.run([sys.executable, self.folder / "Tests" / "unit.py", "build", "named", *options],
                                capture_output=True, text=True, timeout=60,
                                env={**os.environ, "MARTLET_UNIT_SILENCE": "1", **environment})
        lines = starts.read_text().splitlines() if starts.exists() else []
        return result.returncode, result.stdout, [json.loads(line) for line in lines]

    @property
    def unsteady(self):
        return self.folder / ".build" / "tests" / "named-unsteady.txt"

    def test_what_passes_runs_once(self):
        status, printed, starts = self.run_unit([{"a": "passed"}, ""])
        self.assertEqual((status, len(starts)), (0, 1))
        self.assertEqual(starts[0][-2:], ["--filter", "Suite"])
        self.assertNotIn("UNSTEADY", printed)

    def test_a_test_that_passes_by_itself_is_reported_with_what_it_said(self):
        status, printed, starts = self.run_unit([{"a": "passed", "b": "failed"}, ""], [{"b": "passed"}, ""])
        self.assertEqual(status, 0)
        self.assertIn("UNSTEADY: failed among others, passed by themselves: Tests.Suite/b()", printed)
        self.assertIn("b == 1", self.unsteady.read_text())
        self.assertIn("it was two", self.unsteady.read_text())
        self.assertIn("--no-parallel", starts[1])
        self.assertEqual(starts[1][-1], r"^Tests\.Suite/b\(\)")

    def test_a_test_that_fails_again_fails(self):
        status, printed, _ = self.run_unit([{"a": "failed"}, ""], [{"a": "failed"}, ""])
        self.assertEqual(status, 1)
        self.assertIn("Failed among others, and by themselves:", printed)
        self.assertFalse(self.unsteady.exists())

    def test_five_that_fail_are_no_accident(self):
        status, printed, starts = self.run_unit([{name: "failed" for name in "abcde"}, ""])
        self.assertEqual((status, len(starts)), (1, 1))
        self.assertIn("The unit tests failed", printed)

    def test_a_report_that_cannot_be_read_fails(self):
        status, printed, starts = self.run_unit([{'a "quoted" <name>': "passed"}, ""])
        self.assertEqual((status, len(starts)), (1, 1))
        self.assertIn("The report of the tests is no XML", printed)

    def test_a_second_try_that_finds_no_test_fails(self):
        status, printed, _ = self.run_unit([{"a": "failed"}, ""], [{}, ""])
        self.assertEqual(status, 1)
        self.assertIn("could not be run by themselves", printed)

    def test_a_crash_fails_and_names_the_tests_that_ran(self):
        status, printed, starts = self.run_unit([{"a": "passed", "b": "begun", "c": "failed"}, "crash"])
        self.assertEqual((status, len(starts)), (256 - signal.SIGILL, 1))
        ends = printed[printed.index("ended by signal 4"):].splitlines()
        self.assertIn('  "b"', ends)
        self.assertNotIn('  "a"', ends)
        self.assertIn("Fatal error: Index out of range", printed[printed.index("The unit tests failed"):])

    def test_a_crash_at_the_second_try_fails(self):
        status, printed, _ = self.run_unit([{"a": "failed"}, ""], [{"a": "begun"}, "crash"])
        self.assertNotEqual(status, 0)
        self.assertFalse(self.unsteady.exists())

    def test_a_hang_is_ended_and_names_the_tests_that_ran(self):
        status, printed, starts = self.run_unit([{"a": "passed", "b": "begun"}, "hang"])
        self.assertNotEqual(status, 0)
        self.assertEqual(len(starts), 1)
        said = printed[printed.index("Nothing was said for 1 s"):].splitlines()
        self.assertIn('  "b"', said)
        self.assertNotIn('  "a"', said)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def run_changed(self, *plans, builds=True):
        """The status, and the targets that were run, of two modules with tests: `Upper` depends on `Lower`, and its tests read docs/."""
        modules = [("Lower", "library", []), ("Upper", "library", ["Lower"]),
                   ("LowerTests", "test", ["Lower"]), ("UpperTests", "test", ["Upper"])]
        for name, kind, _ in modules:
            file = self.folder / ("Tests" if kind == "test" else "Sources") / name / "File.swift"
            if not file.exists():
                self.write(file, 'let page = text("docs/\\(name).md")' if name == "UpperTests" else "")
        targets = [{"name": name, "type": kind, "path": f"{'Tests' if kind == 'test' else 'Sources'}/{name}",
                    "target_dependencies": below} for name, kind, below in modules]
        description = self.write("description", json.dumps({"targets": targets}))
        self.write("programs/swift", f"#!/bin/sh\ncat {description}\n").chmod(0o755)
        if builds:
            (self.folder / "build-begun").touch()
        status, _, starts = self.run_unit(
            *plans, options=("--changed", "--filter", "Tests", "--skip", "Alone"),
            PATH=f"{self.folder / 'programs'}:{os.environ['PATH']}")
        return status, [start[start.index("--filter") + 1] for start in starts]

    def test_what_has_passed_is_not_run_again_until_something_below_it_changes(self):
        passes, both = [{"a": "passed"}, ""], r"^(LowerTests|UpperTests)\."
        self.write("docs/page.md", "")
        self.assertEqual(self.run_changed(passes), (0, [both]))
        self.assertEqual(self.run_changed(passes), (0, []))
        self.write("Sources/Upper/File.swift", "// changed")
        self.assertEqual(self.run_changed(passes), (0, [r"^(UpperTests)\."]))
        self.write("Sources/Lower/File.swift", "// changed")
        self.assertEqual(self.run_changed(passes), (0, [both]))
        self.write("Sources/Lower/Another.swift", "// new")
        self.assertEqual(self.run_changed(passes), (0, [both]))
        self.write("docs/page.md", "changed")
        self.assertEqual(self.run_changed(passes), (0, [r"^(UpperTests)\."]))
        self.write("Package.swift", "// changed")
        self.assertEqual(self.run_changed(passes), (0, [both]))

    def test_what_was_written_after_the_build_has_not_passed(self):
        passes, both = [{"a": "passed"}, ""], r"^(LowerTests|UpperTests)\."
        self.assertEqual(self.run_changed(passes), (0, [both]))
        self.write("Sources/Upper/File.swift", "// changed while the tests were built")
        self.assertEqual(self.run_changed(passes, builds=False), (0, [r"^(UpperTests)\."]))
        self.assertEqual(self.run_changed(passes), (0, [r"^(UpperTests)\."]))
        self.assertEqual(self.run_changed(passes), (0, []))

    def test_what_has_failed_is_run_again(self):
        failure = [{"a": "failed"}, ""]
        self.assertEqual(self.run_changed(failure, failure)[0], 1)
        self.assertEqual(self.run_changed([{"a": "passed"}, ""]), (0, [r"^(LowerTests|UpperTests)\."]))


if __name__ == "__main__":
    unittest.main()
