#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target, one after the other, until each has had so many executions without a finding.

usage: campaign.py PROGRAM [--executions N] [--folder FOLDER] [--round SECONDS] [--seeds FOLDER] [TARGET …]

It starts from what the targets know themselves, and from what `make fuzz-seeds` has left. FOLDER keeps a corpus for each
target, the findings, the logs and summary.json, so that a campaign that was stopped goes on where it was; several may
run at once on different targets. A target with a finding is left alone until its findings are removed.
"""

import argparse
import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# Seconds after which an input counts as a hang.
HANG = 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--executions", type=int, default=10_000_000)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(".build/fuzz/campaign"))
    parser.add_argument("--round", type=int, default=600, help="seconds of a target before the next has its turn")
    parser.add_argument("--seeds", type=pathlib.Path, default=pathlib.Path(".build/seeds"))
    options = parser.parse_intermixed_args()
    known = subprocess.run([options.program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for target in options.targets:
        if target not in known:
            sys.exit(f"no target {target}; there are: {' '.join(known)}")
    campaign = Campaign(options.program.resolve(), options.folder, options.seeds)
    wanted = options.targets or known
    while rest := [target for target in wanted if campaign.is_open(target, options.executions)]:
        for target in rest:
            campaign.run(target, options.executions, options.round)
    bad = [target for target in wanted if campaign.findings(target)]
    for target in bad:
        print(f"{target}: {' '.join(map(str, campaign.findings(target)))}")
    sys.exit(1 if bad else 0)


class Campaign:
    def __init__(self, program, folder, recorded):
        self.program, self.folder, self.recorded = program, folder, recorded
        self.file = folder / "summary.json"
        folder.mkdir(parents=True, exist_ok=True)
        # The program's, as far as it was built just now.
        self.commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        self.summary = self.written()

    def written(self):
        return json.loads(self.file.read_text()) if self.file.exists() else {}

    def findings(self, target):
        return sorted(self.folder.glob(f"findings/{target}/*"))

    def is_open(self, target, executions):
        done = self.summary.get(target, {}).get("executions", 0)
        return done < executions and not self.findings(target)

    def run(self, target, executions, seconds):
        places = {name: self.folder / name / target for name in ("corpus", "seeds", "findings")}
        for place in places.values():
            place.mkdir(parents=True, exist_ok=True)
        (self.folder / "log").mkdir(exist_ok=True)
        subprocess.run([self.program, "--write-seeds", target, places["seeds"]], check=True)
        entry = self.summary.setdefault(target, {"executions": 0, "seconds": 0})
        command = [
            self.program, target, f"-runs={executions - entry['executions']}", f"-max_total_time={seconds}",
            f"-timeout={HANG}", "-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={places['findings']}/", places["corpus"], places["seeds"],
        ]
        if (recorded := self.recorded / target).is_dir():
            command.append(recorded)
        began = time.monotonic()
        log = self.folder / "log" / f"{target}.log"
        # Swift's own crash reports can take minutes.
        environment = os.environ | {"SWIFT_BACKTRACE": "enable=no"}
        with log.open("w") as output:
            try:
                subprocess.run(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                    timeout=seconds + 120, preexec_fn=lambda: os.nice(10))
            except subprocess.TimeoutExpired:
                print(f"{target}: did not end by itself", file=sys.stderr)
        self.note(target, log.read_text(errors="replace"), time.monotonic() - began)

    def note(self, target, log, seconds):
        entry = self.summary[target]
        executions = re.findall(r"stat::number_of_executed_units:\s*(\d+)", log) or re.findall(r"^#(\d+)\t", log, re.M)
        coverage = [int(number) for number in re.findall(r"cov: (\d+)", log)]
        entry["executions"] += int(executions[-1]) if executions else 0
        entry["seconds"] = round(entry["seconds"] + seconds)
        entry["coverage"] = max(coverage, default=0)
        entry["corpus"] = len(list((self.folder / "corpus" / target).iterdir()))
        entry["findings"] = len(self.findings(target))
        entry["commit"] = self.commit
        # Others may be writing theirs.
        with (self.folder / "summary.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.summary = self.written() | {target: entry}
            partial = self.file.with_suffix(".new")
            partial.write_text(json.dumps(self.summary, indent=2, sort_keys=True) + "\n")
            partial.replace(self.file)
        print(f"{target}: {entry}", flush=True)


if __name__ == "__main__":
    main()
