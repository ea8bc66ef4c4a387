#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steps.py [STEP…] - runs steps of steps.toml side by side, each after the steps that it needs; without STEP all of `make test`.

    steps.py --list            names the steps with their needs
    steps.py --record          also writes the times of this run into docs/testing.md
    steps.py --jobs 1 STEP…    one step at a time

A step starts when its needs have passed and the machine has the places that the step asks for. The step with the longest way to
the end starts first. Its output goes to .build/steps/STEP.log. A step that fails lets the others end and fails the run.
A step that fails among others runs once more when no other runs. One that passes then is reported as UNSTEADY, and is a defect of
the test or of the code. More than four such steps fail the run.
A step may take ten times as long as docs/testing.md says, and ten minutes at least. What takes longer hangs: its processes are
ended, and it has failed. Once a minute the steps that run are named.
The table of all times goes to .build/steps.json. A step that took half again as long as docs/testing.md says is named; that fails
nothing.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = pathlib.Path(__file__).with_name("steps.toml")
FOLDER = ROOT / ".build" / "steps"
RECORD = ROOT / ".build" / "steps.json"
PAGE = ROOT / "docs" / "testing.md"
BEGIN, END = "<!-- steps -->", "<!-- /steps -->"
SHOWN = 150  # lines of a failed step's log at the end
MOST_UNSTEADY = 4
GRACE = 15  # seconds that a step has to end
MINUTE = 60  # seconds between two lines that name the steps that run
TIMES, LEAST = 10, 600  # a step's limit: so many times its committed time, and so many seconds at least
UNKNOWN = 3600  # the limit in seconds of a step without a committed time
SLACK = 5  # seconds that a short step may take longer without a word


class Step:
    """A row of steps.toml, and what became of it."""

    def __init__(self, name, row, places):
        unknown = set(row) - {"run", "after", "places", "scenes", "named", "limit"}
        if unknown or "run" not in row:
            sys.exit(f"steps.toml: {name}: unknown or missing keys {sorted(unknown) or ['run']}")
        self.name, self.command = name, row["run"]
        self.after, self.places = row.get("after", []), row.get("places", {})
        self.named, self.least = row.get("named", False), row.get("limit", LEAST)
        for place, count in self.places.items():
            if count > places.get(place, 0):
                sys.exit(f"steps.toml: {name}: asks for {count} of {place}, the machine has {places.get(place, 0)}")
        self.tries, self.unsteady = 0, []
        self.process = self.status = self.ready = self.began = self.clock = self.processor = None
        self.limit = self.deadline = self.overdue = None
        self.lacked = ""

    @property
    def log(self):
        return FOLDER / f"{self.name}.log"

    def figures(self, start):
        waited = max(0.0, self.began - self.ready)
        return {"step": self.name, "began_s": round(self.began - start, 1), "clock_s": round(self.clock, 1),
                "processor_s": round(self.processor, 1), "waited_s": round(waited, 1),
                "waited_for": self.lacked if waited >= 1 else "", "status": self.status,
                "unsteady": self.unsteady}


def load():
    """The places of the machine, and all steps by name. A row with `scenes` is a step for each scene."""
    table = tomllib.loads(TABLE.read_text())
    places, steps = table["places"], {}
    for name, row in table["step"].items():
        scenes = row.get("scenes", {})
        for scene, asked in scenes.items():
            steps[scene] = Step(scene, {**row, "run": row["run"].replace("SCENE", scene), "scenes": {},
                                        "after": asked.get("after", []) + row.get("after", []),
                                        "places": {**row.get("places", {}), **asked.get("places", {})}}, places)
        if scenes:
            row = {"run": "true", "after": list(scenes), "named": row.get("named", False)}
        steps[name] = Step(name, row, places)
    for step in steps.values():
        for need in step.after:
            if need not in steps:
                sys.exit(f"steps.toml: {step.name} is after {need}, which is no step")
    refuse_circles(steps)
    return places, steps


def refuse_circles(steps):
    left = dict(steps)
    while free := [name for name, step in left.items() if not set(step.after) & set(left)]:
        for name in free:
            del left[name]
    if left:
        sys.exit(f"steps.toml: these wait for each other: {' '.join(left)}")


def wanted(steps, names):
    """The named steps with all that they need, in the order of the table."""
    found, open_names = set(), list(names)
    while open_names:
        name = open_names.pop()
        if name not in steps:
            sys.exit(f"steps.py: there is no step {name}; steps.py --list names them")
        if name not in found:
            found.add(name)
            open_names += steps[name].after
    return [step for step in steps.values() if step.name in found]


def committed():
    """Seconds by the clock of the run that docs/testing.md has."""
    section = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    return {name: float(clock) for name, clock in re.findall(r"^\| `([^`]+)` \| ([0-9.]+) \|", section, re.M)}


def ways(steps, seconds):
    """How long it takes from the start of each step to the end of all that waits for it."""
    after = {step.name: [other.name for other in steps if step.name in other.after] for step in steps}
    known = {}

    def way(name):
        if name not in known:
            known[name] = seconds.get(name, 10.0) + max((way(other) for other in after[name]), default=0.0)
        return known[name]
    return {step.name: way(step.name) for step in steps}


def limit(step, seconds):
    """How many seconds a step may take before it is taken for one that hangs."""
    usual = seconds.get(step.name)
    return max(step.least, UNKNOWN if usual is None else TIMES * usual)


def signal_all(step, number):
    """To all processes of a step."""
    try:
        os.killpg(step.process.pid, number)
    except ProcessLookupError:
        pass


class Run:
    """Steps that run side by side."""

    def __init__(self, places, steps, jobs, seconds):
        self.places, self.free, self.jobs, self.steps = places, dict(places), jobs, steps
        way = ways(steps, seconds)
        self.waiting = sorted(steps, key=lambda step: -way[step.name])
        self.running, self.ended, self.start = [], threading.Event(), time.monotonic()
        self.told = self.start
        for step in steps:
            step.limit = limit(step, seconds)
        # A step that calls make is no part of the make that called this.
        self.environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        # Where the programs are that the step `build` makes: other steps build none.
        self.environment["PREBUILT"] = ".build/test/release"

    def go(self):
        try:
            while True:
                self.ended.clear()
                self.collect()
                self.begin()
                if not self.running and not self.again():
                    break
                self.wait()
        except BaseException:
            self.stop()
            raise
        # A step after one that failed has never begun.
        return all(step.status == 0 for step in self.steps)

    def wait(self):
        """Until a step ends. Meanwhile limits are kept, and steps named."""
        while True:
            now = time.monotonic()
            next_look = min([self.told + MINUTE] + [step.deadline for step in self.running])
            if self.ended.wait(max(0.0, next_look - now)):
                return
            now = time.monotonic()
            if now >= self.told + MINUTE:
                self.told = now
                names = ", ".join(f"{step.name} ({now - step.began:.0f} s)" for step in self.running)
                print(f"{now - self.start:5.0f} s  running: {names}", flush=True)
            for step in self.running:
                if step.status is None and step.deadline <= now:
                    self.end(step, now)

    def end(self, step, now):
        """Ends a step that is over its limit: by asking, then by force."""
        if step.overdue:
            signal_all(step, signal.SIGKILL)
            step.deadline = float("inf")
            return
        step.overdue = f"hangs: not ended within its limit of {step.limit:.0f} s, so its processes are ended"
        print(f"{now - self.start:5.0f} s  {step.name} {step.overdue}", flush=True)
        signal_all(step, signal.SIGTERM)
        step.deadline = now + GRACE

    def begin(self):
        passed = {step.name for step in self.steps if step.status == 0}
        now = time.monotonic()
        taken = set()
        for step in list(self.waiting):
            if not set(step.after) <= passed:
                continue
            step.ready = step.ready or now
            lacking = [place for place, count in step.places.items() if place in taken or self.free[place] < count]
            if len(self.running) >= self.jobs:
                lacking = lacking or ["a job"]
            if lacking:
                step.lacked = step.lacked or lacking[0]
                # What a longer step waits for is not given to a shorter one, or the longer one would never have it.
                taken |= set(lacking)
                continue
            for place, count in step.places.items():
                self.free[place] -= count
            self.waiting.remove(step)
            self.launch(step)

    def again(self):
        """Runs a step that failed among others by itself; whether there was one."""
        failed = [step for step in self.steps if step.status not in (0, None)]
        tried = [step for step in self.steps if step.tries > 1]
        if not failed or len(failed) + len(tried) > MOST_UNSTEADY or any(step.tries > 1 for step in failed):
            return False
        step = failed[0]
        print(f"{time.monotonic() - self.start:5.0f} s  once more, by itself: {step.name}", flush=True)
        step.unsteady.append(f"{step.name}: {step.overdue or last_line(step.log)}")
        step.log.rename(step.log.with_suffix(".first.log"))
        step.status = step.overdue = None
        for place, count in step.places.items():
            self.free[place] -= count
        self.launch(step)
        return True

    def launch(self, step):
        step.tries += 1
        step.began = time.monotonic()
        step.deadline = step.began + step.limit
        with open(step.log, "wb") as log:
            step.process = subprocess.Popen(["bash", "-ec", step.command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True, env=self.environment)
        self.running.append(step)
        threading.Thread(target=self.watch, args=[step], daemon=True).start()

    def watch(self, step):
        _, status, usage = os.wait4(step.process.pid, 0)
        step.clock = time.monotonic() - step.began
        step.processor = usage.ru_utime + usage.ru_stime
        if step.overdue:
            signal_all(step, signal.SIGKILL)  # what its shell has left behind
        step.process.returncode = os.waitstatus_to_exitcode(status)
        step.status = step.process.returncode or (1 if step.overdue else 0)
        self.ended.set()

    def collect(self):
        for step in [step for step in self.running if step.status is not None]:
            self.running.remove(step)
            for place, count in step.places.items():
                self.free[place] += count
            passed, last = step.status == 0, step.overdue or last_line(step.log)
            step.unsteady += [line for line in step.log.read_text(errors="replace").splitlines() if line.startswith("UNSTEADY")]
            print(f"{time.monotonic() - self.start:5.0f} s  {'PASS' if passed else 'FAIL'} {step.name} ({step.clock:.0f} s, processor "
                  f"{step.processor:.0f} s){': ' + last if last else ''}", flush=True)
            if not passed:
                show(step)

    def stop(self):
        for step in self.running:
            signal_all(step, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while any(step.status is None for step in self.running) and time.monotonic() < deadline:
            time.sleep(0.1)
        for step in self.running:
            signal_all(step, signal.SIGKILL)
        print(f"interrupted; what ran: {' '.join(step.name for step in self.running)}", file=sys.stderr)


def last_line(path):
    """What a step says of its outcome: a scene's PASS or FAIL, or its last line."""
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines() if line.strip()]
    said = [line for line in lines if line.startswith(("PASS ", "FAIL "))] or lines
    return said[-1][:300] if said else ""


def show(step):
    lines = step.log.read_text(errors="replace").splitlines()
    print(f"--- the last lines of {step.log.relative_to(ROOT)}", *lines[-SHOWN:], f"--- end of {step.name}", sep="\n", flush=True)


def table(rows):
    lines = ["| step | clock, s | processor, s | waited, s | for |", "| --- | ---: | ---: | ---: | --- |"]
    return lines + [f"| `{row['step']}` | {row['clock_s']:.0f} | {row['processor_s']:.0f} | {row['waited_s']:.0f} | {row['waited_for']} |"
                    for row in rows]


def report(run, seconds):
    rows = [step.figures(run.start) for step in run.steps if step.clock is not None and step.command != "true"]
    rows.sort(key=lambda row: -row["clock_s"])
    clock, processor = time.monotonic() - run.start, sum(row["processor_s"] for row in rows)
    RECORD.write_text(json.dumps({"clock_s": round(clock, 1), "processor_s": round(processor, 1), "steps": rows}, indent=1) + "\n")
    print("", *table(rows), "", f"{clock / 60:.1f} min by the clock, {processor / 60:.1f} min of the processors", sep="\n")
    for row in rows:
        usual = seconds.get(row["step"])
        if usual and row["clock_s"] > max(1.5 * usual, usual + SLACK):
            print(f"SLOWER: {row['step']} took {row['clock_s']:.0f} s, {usual:.0f} s in docs/testing.md")
    unsteady = [line for step in run.steps for line in step.unsteady]
    if unsteady:
        print("UNSTEADY: failed among others, passed by themselves. Look into them:", *unsteady, sep="\n  ")
    return rows


def write_page(rows):
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    if not rest:
        sys.exit(f"{PAGE}: no {BEGIN}")
    PAGE.write_text(before + BEGIN + "\n\n" + "\n".join(table(rows)) + "\n\n" + END + rest.partition(END)[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--jobs", type=int, default=100)
    options = parser.parse_args()
    places, steps = load()
    chosen = wanted(steps, options.steps or [name for name, step in steps.items() if not step.named])
    if options.list:
        for step in chosen:
            asked = " ".join(f"{place}={count}" for place, count in step.places.items())
            print(f"{step.name:28} after: {' '.join(step.after) or '-'}; places: {asked or '-'}")
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    seconds = committed()
    run = Run(places, chosen, options.jobs, seconds)
    passed = run.go()  # ends with SystemExit where it is interrupted
    rows = report(run, seconds)
    if passed and options.record:
        if options.steps:
            sys.exit("steps.py: --record is of a run of all steps")
        write_page(rows)
    failed = [step.name for step in chosen if step.status not in (0, None)]
    left = [step.name for step in chosen if step.status is None]
    if failed:
        print(f"failed: {' '.join(failed)}; logs are in .build/steps" + (f"; not begun: {' '.join(left)}" if left else ""))
    done = [step for step in chosen if step.command != "true"]
    print(f"steps: {sum(step.status == 0 for step in done)} passed, {sum(step.status != 0 for step in done)} failed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
