#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [--only NAME …] [--record FILE] - a gateway meets each fault of `martlet virtual-radio`, and gets on.

`martlet run`, with a real broker, collects from four sensors with links, which number their values, and listens to two that
advertise. The fault strikes when readings of all six arrive; a controller that is made like that has it from the beginning.
What is measured is how long it takes until something that was sent afterwards arrives of each sensor, what the gateway did
meanwhile, the values that never came, and how many of them the gateway itself has counted. Values that were lost behind the
controller's back have to be counted, and what arrived has to be what the books say.

Writes what it saw to FILE (docs/reliability.json), from which report.py makes the table of docs/reliability.md. Needs .rig.
Logs lie in .rig/logs/reliability.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Rig"))
from faulty_radio import Archive, FaultyRadio, audit, catalogue, counted_gaps, topic_of, uptime_ms  # noqa: E402
from harness import Bench, Failed, Gateway, check, wait_for  # noqa: E402

ROOT = HERE.parents[2]
RECORD = ROOT / "docs" / "reliability.json"
# The preset on which a fault means something; else the standard one.
PRESETS = {
    "scan-stop-refused": "bcm43455", "connect-fails-after-advertising": "bcm43455", "listed-and-refused": "csr8510",
    "scan-refused-while-linked": "rtl8761b", "extended-unknown": "rtl8761b", "extended-scan-refused": "rtl8761b",
    "extended-connection-refused": "rtl8761b", "shared-buffers": "dual-mode", "shared-completions": "dual-mode",
}
# Sensors with links that go on: what a controller does not bear it does not get.
LINKS = {"reset-at-fourth-link": 3}
# Nothing is heard on these, so no sensor is found: that is to be said in words, and no sensor to be blamed.
UNHEARD = ("scan-refused",)
# From the start: they wait for a command that is not sent again without a reason.
AT_ONCE = ("unanswered-features", "unanswered-scan-enable", "lost-command-octets")
# In the octets between controller and host.
LINE = ("lost-octets", "lost-command-octets", "inserted-octets")
STRIKES = 8     # seconds after the gateway's connection
AFTERWARDS = 5  # seconds of readings after that
# More of them, for what the gateway learns.
LATER = {"tells-once": 240}


def step_of(log):
    """What the gateway did about it, by its log."""
    steps = re.findall(r"the radio is brought back .*\bstep=(\w+)", log)
    if not steps:
        # The first time is the start.
        return "transport opened again" if log.count("controller opened") > 1 else "none needed"
    counts = [(step, steps.count(step)) for step in dict.fromkeys(steps)]
    return ", ".join(f"`{step}`" + (f" {count} times" if count > 1 else "") for step, count in counts)


def replay(martlet, capture, name, log):
    """A recording of the fault leads to the same steps. What happens to octets on the line no packet shows."""
    if name in LINE:
        return
    answer = subprocess.run([martlet, "replay", capture, "--json"], capture_output=True, text=True, timeout=60)
    check(answer.returncode == 0, f"martlet replay says: {answer.stderr}")
    decisions = [decision for decision in json.loads(answer.stdout)["decisions"] if decision.get("is_recorded") is not None]
    lived = re.findall(r"the radio is brought back .*\bstep=(\w+)", log)
    check([decision["step"] for decision in decisions] == lived,
          f"{name}: the gateway did {lived}, the replay of its recording {decisions}")


def meet(bench, fault, number, limit):
    """One fault; what came of it, as a row."""
    name = fault["name"]
    timed = fault["timed"]
    preset = PRESETS.get(name, "standard")
    broker = bench.broker()
    archive = Archive(bench, broker, f"archive-{number}")
    radio = FaultyRadio(bench, 4, ["ruuvi", "atc"], preset, [f"{name}@{0 if name in AT_ONCE else STRIKES}" if timed else name], f"radio-{number}")
    configuration = bench.configuration(broker.port, [], extra=radio.rules(), mqtt="history_rows_per_second = 0\n")
    capture = bench.folder / f"{name}.btsnoop"
    gateway = Gateway(bench, configuration, radio.controller, capture, name=f"martlet-{number}")
    linked, heard = ([topic_of(address) for address in kind] for kind in (radio.linked, radio.heard))

    def goes_on(moment):
        if name in UNHEARD:
            refusals = ((gateway.status() or {}).get("controller", {}).get("health") or {}).get("refusals") or []
            return [refusal["use"] for refusal in refusals] == ["scan"]
        fresh = {dev for dev, newest in archive.newest.items() if newest > moment}
        return len(fresh.intersection(linked)) >= LINKS.get(name, len(linked)) and fresh.issuperset(heard)
    try:
        since = uptime_ms()
        if timed:
            def struck():
                archive.read()
                check(gateway.process.alive(), f"martlet ended: {gateway.process.text()[-500:]}")
                return name in radio.struck
            wait_for(f"{name} strikes", struck, 60)
            since = uptime_ms()
        began = time.monotonic()

        def all_go_on():
            archive.read()
            check(gateway.process.alive(), f"martlet ended: {gateway.process.text()[-500:]}")
            return goes_on(since + 1500)
        wait_for(f"readings of all six sensors arrive after {name}", all_go_on, limit)
        seconds = time.monotonic() - began
        later = LATER.get(name, AFTERWARDS)
        time.sleep(later)
        wait_for(f"readings of all six sensors arrive later after {name}",
                 lambda: (archive.read(), goes_on(since + 1000 * later))[1], limit)
        status = wait_for("martlet answers", gateway.status, 30)
        if name in UNHEARD:
            check(not status["collector"]["scanning"], f"{name}: the status says that it scans")
        (bench.folder / f"status-{number}.json").write_text(json.dumps(status, indent=1))
        counted = counted_gaps(status, radio)
        step = step_of(gateway.process.text())
        gateway.stop()
        books = audit(bench.martlet, configuration)
        check(books["balances"], f"the books do not balance after {name}: {books}")
        total = books["total"]
        wait_for("everything delivered arrives",
                 lambda: (archive.read(), len(archive.numbers) >= total["delivered"])[1], 30)
        lost = archive.lost
        check(lost == counted, f"{name}: {lost} values never came, and the gateway counted {counted}")
        check("Fatal error" not in gateway.process.text(), "martlet trapped")
        # In a recording a stop after a refused start looks as if nobody wanted the scan any more.
        if name not in UNHEARD:
            replay(bench.martlet, capture, name, gateway.process.text())
        return {"fault": name, "step": step, "seconds": round(seconds, 1), "lost": lost, "counted": counted,
                "preset": preset}
    finally:
        for process in (gateway.process, radio.process, archive.process, broker.process):
            process.discard()
        broker.folder.rename(bench.folder / f"broker-{number}")
        state = bench.folder / "state"
        if state.exists():
            state.rename(bench.folder / f"state-{number}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("martlet", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these faults; the others stay as they were")
    parser.add_argument("--record", type=pathlib.Path, default=RECORD)
    parser.add_argument("--limit", type=int, default=300, help="seconds until everything has to go on")
    options = parser.parse_args()
    martlet = options.martlet.absolute()
    faults = catalogue(martlet)["faults"]
    known = {row["fault"]: row for row in json.loads(options.record.read_text())} if options.record.exists() else {}
    unknown = set(options.only) - {fault["name"] for fault in faults}
    if unknown:
        sys.exit(f"reliability: no such fault: {', '.join(sorted(unknown))}")
    bench = Bench("reliability", martlet)
    failures, rows = 0, []
    try:
        for number, fault in enumerate(faults):
            about = {key: fault[key] for key in ("sources", "layer", "summary")}
            if options.only and fault["name"] not in options.only:
                if fault["name"] in known:
                    rows.append({**known[fault["name"]], **about})
                continue
            try:
                row = meet(bench, fault, number, options.limit)
                print(f"ok   {fault['name']}: {row['step']}, {row['seconds']} s, {row['lost']} values lost, "
                      f"{row['counted']} counted", flush=True)
            except Failed as failure:
                failures += 1
                row = {"fault": fault["name"], "step": "none that helped", "seconds": None, "lost": None, "counted": None,
                       "preset": PRESETS.get(fault["name"], "standard")}
                print(f"FAIL {fault['name']}: {failure}", flush=True)
            rows.append({**row, **about})
    finally:
        bench.close()
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    options.record.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"reliability: {len(rows)} rows in {options.record}, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
