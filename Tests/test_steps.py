#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of steps.py: order, places, failures and times of steps."""
import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import time
import tomllib
import unittest

import steps


class StepsTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "logs").mkdir()
        (self.folder / "page.md").write_text(f"before\n{steps.BEGIN}\n{steps.END}\nafter\n")
        for name, path in (("TABLE", "steps.toml"), ("FOLDER", "logs"), ("RECORD", "steps.json"), ("PAGE", "page.md"), ("ROOT", "")):
            self.addCleanup(setattr, steps, name, getattr(steps, name))
            setattr(steps, name, self.folder / path)

    def run_steps(self, table, *arguments):
        """The status, all that was printed, and the order in which the steps wrote their names."""
        (self.folder / "steps.toml").write_text("[places]\ncores = 2\n" + table)
        self.addCleanup(setattr, sys, "argv", sys.argv)
        sys.argv = ["steps.py", *arguments]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = steps.main()
        order = self.folder / "order"
        return status, printed.getvalue(), order.read_text().split() if order.exists() else []

    def test_a_step_begins_when_its_needs_have_passed(self):
        status, _, order = self.run_steps("""
            [step.last]
            run = "echo last >>order"
            after = ["middle"]
            [step.middle]
            run = "sleep 0.2; echo middle >>order"
            after = ["first"]
            [step.first]
            run = "sleep 0.2; echo first >>order"
            """)
        self.assertEqual((status, order), (0, ["first", "middle", "last"]))

    def test_what_comes_after_a_failure_does_not_begin_and_the_others_end(self):
        status, printed, order = self.run_steps("""
            [step.bad]
            run = "echo broken; exit 3"
            [step.after]
            run = "echo after >>order"
            after = ["bad"]
            [step.other]
            run = "sleep 0.3; echo other >>order"
            """)
        self.assertEqual((status, order), (1, ["other"]))
        self.assertIn("broken", printed)
        self.assertIn("failed: bad;", printed)
        self.assertIn("not begun: after", printed)
        self.assertIn("steps: 1 passed, 2 failed", printed)

    def test_places_are_never_given_twice_and_a_long_step_gets_its_places(self):
        mark = "echo +{0} >>order; sleep 0.1; echo -{0} >>order"
        rows = "".join(f'[step.s{n}]\nrun = "{mark.format(n)}"\nplaces = {{ cores = {1 if n else 2} }}\n' for n in range(6))
        status, _, order = self.run_steps(rows)
        self.assertEqual(status, 0)
        taken = 0
        for word in order:
            taken += (2 if word[1:] == "0" else 1) * (1 if word[0] == "+" else -1)
            self.assertLessEqual(taken, 2)
        self.assertEqual(len(order), 12)

    def test_scenes_are_steps_and_one_runs_alone_with_its_needs(self):
        table = """
            [step.need]
            run = "echo need >>order"
            [step.set]
            run = "echo SCENE >>order"
            after = ["need"]
            [step.set.scenes]
            "a.one" = {}
            "a.two" = { places = { cores = 2 } }
            [step.never]
            run = "echo never >>order"
            named = true
            """
        self.assertEqual(self.run_steps(table, "a.two")[2], ["need", "a.two"])
        (self.folder / "order").unlink()
        self.assertEqual(sorted(self.run_steps(table)[2]), ["a.one", "a.two", "need"])

    def test_a_step_that_passes_by_itself_is_reported(self):
        status, printed, order = self.run_steps("""
            [step.shy]
            run = "echo UNSTEADY test; [ -e there ] || { touch there; exit 1; }"
            [step.after]
            run = "echo after >>order"
            after = ["shy"]
            """)
        self.assertEqual((status, order), (0, ["after"]))
        self.assertIn("UNSTEADY: failed among others", printed)

    def test_five_that_fail_are_no_accident(self):
        for count, status in ((4, 0), (5, 1)):
            rows = "".join(f'[step.s{n}]\nrun = "[ -e there{count}{n} ] || {{ touch there{count}{n}; exit 1; }}"\n' for n in range(count))
            self.assertEqual(self.run_steps(rows)[0], status)

    def test_a_long_step_is_not_starved_by_short_ones(self):
        (self.folder / "page.md").write_text(f"{steps.BEGIN}\n| `big` | 99 | 0 | 0 | |\n{steps.END}\n")
        rows = '[step.held]\nrun = "sleep 0.6"\nplaces = { cores = 1 }\n[step.quick]\nrun = "true"\nplaces = { cores = 1 }\n'
        rows += "".join(f'[step.s{n}]\nrun = "echo s{n} >>order"\nplaces = {{ cores = 1 }}\nafter = ["quick"]\n' for n in range(4))
        rows += '[step.big]\nrun = "echo big >>order"\nplaces = { cores = 2 }\nafter = ["quick"]\n'
        self.assertEqual(self.run_steps(rows)[2][0], "big")

    def test_every_scene_of_the_interoperability_tests_is_a_step(self):
        here = pathlib.Path(__file__).parent
        listed = re.search(r"^TESTS = \[(.*?)\]", (here / "Scenes" / "Interop" / "run.py").read_text(), re.S | re.M)[1]
        table = tomllib.loads((here / "steps.toml").read_text())
        self.assertEqual(set(re.findall(r"\w+\.\w+", listed)), set(table["step"]["interop"]["scenes"]))

    def test_the_longest_way_is_first(self):
        self.assertEqual(steps.ways([steps.Step("a", {"run": ""}, {}), steps.Step("b", {"run": "", "after": ["a"]}, {})],
                                    {"a": 5, "b": 7}), {"a": 12, "b": 7})

    def test_times_are_kept_and_growth_is_named(self):
        (self.folder / "page.md").write_text(f"{steps.BEGIN}\n| `slow` | 0.1 | 0 | 0 | |\n{steps.END}\n")
        self.addCleanup(setattr, steps, "SLACK", steps.SLACK)
        steps.SLACK = 0
        status, printed, _ = self.run_steps('[step.slow]\nrun = "sleep 0.5"\n', "--record")
        self.assertEqual(status, 0)
        self.assertIn("SLOWER: slow", printed)
        self.assertGreater(json.loads((self.folder / "steps.json").read_text())["steps"][0]["clock_s"], 0.4)
        self.assertIn("| `slow` |", (self.folder / "page.md").read_text())

    def set(self, **values):
        for name, value in values.items():
            self.addCleanup(setattr, steps, name, getattr(steps, name))
            setattr(steps, name, value)

    def test_a_step_that_hangs_is_ended_with_all_its_processes(self):
        self.set(LEAST=0.5, UNKNOWN=0.5, GRACE=0.3)
        began = time.monotonic()
        status, printed, order = self.run_steps("""
            [step.hangs]
            run = "trap '' TERM; echo begun >>order; sleep 60 & echo $! >child; echo waits for a bell; wait; sleep 60"
            [step.other]
            run = "echo other >>order"
            """)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual((status, sorted(order)), (1, ["begun", "begun", "other"]))
        self.assertIn("hangs hangs: not ended within its limit of 0 s", printed)
        self.assertIn("waits for a bell", printed)
        self.assertIn("failed: hangs;", printed)
        child = pathlib.Path("/proc", (self.folder / "child").read_text().strip(), "stat")
        while child.exists() and child.read_text().split()[2] not in "ZX":
            self.assertLess(time.monotonic() - began, 30)
            time.sleep(0.05)

    def test_a_step_that_hung_once_is_reported(self):
        self.set(LEAST=0.5, UNKNOWN=0.5, GRACE=0.3)
        status, printed, _ = self.run_steps("""
            [step.shy]
            run = "[ -e there ] || { touch there; sleep 60; }"
            """)
        self.assertEqual(status, 0)
        self.assertIn("UNSTEADY: failed among others", printed)
        self.assertIn("shy: hangs: not ended within its limit", printed)

    def test_a_step_over_its_limit_fails_though_it_ends_well(self):
        self.set(LEAST=0.3, UNKNOWN=0.3)
        status, printed, _ = self.run_steps("""
            [step.polite]
            run = "trap 'exit 0' TERM; while true; do sleep 0.05; done"
            """)
        self.assertEqual(status, 1)
        self.assertIn("FAIL polite", printed)

    def test_a_limit_is_ten_times_the_committed_time_and_ten_minutes_at_least(self):
        for row, seconds, limit in (({}, {"a": 100}, 1000), ({}, {"a": 2}, 600), ({"limit": 900}, {"a": 2}, 900), ({}, {}, 3600)):
            self.assertEqual(steps.limit(steps.Step("a", {"run": "", **row}, {}), seconds), limit)

    def test_steps_that_run_are_named_once_a_minute(self):
        self.set(MINUTE=0.2)
        _, printed, _ = self.run_steps('[step.slow]\nrun = "sleep 0.5"\n[step.long]\nrun = "sleep 0.5"\n')
        lines = [line for line in printed.splitlines() if "running:" in line]
        self.assertTrue(1 <= len(lines) <= 3, printed)
        self.assertRegex(lines[0], r"^ +\d+ s  running: (slow|long) \(0 s\), (slow|long) \(0 s\)$")

    def test_what_cannot_be_is_refused(self):
        for table in ('[step.a]\nrun = "true"\nafter = ["b"]\n', '[step.a]\nrun = "true"\nplaces = { cores = 3 }\n',
                      '[step.a]\nruns = "true"\n', '[step.a]\nrun = "true"\nafter = ["a"]\n'):
            with self.assertRaises(SystemExit, msg=table):
                self.run_steps(table)


if __name__ == "__main__":
    unittest.main()
