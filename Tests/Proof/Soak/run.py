#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [--minutes 60 | --seconds N] [--seed N] [--json FILE] - seven days of a gateway's life in an hour.

One `martlet run`, a real broker and a hundred simulated sensors: half of them have links and number their values, half
advertise. The schedule is that of seven days, each compressed to a seventh of the time: every day the broker is away for
half an hour to two hours, and the controller has four of the faults of `martlet virtual-radio`, at moments that the seed
decides. Sensors send as often as ever, so that an hour holds an hour's readings; what is compressed is misfortune.

In the end has to hold, or the exit status is 1 and a sentence says what did not:

  - memory   the gateway's own memory (RssAnon) in the last tenth is at most 2 MiB above that of the second tenth
  - files    it has not more descriptors open in the last tenth than in the second
  - books    received = delivered + buffered + dropped; all that was delivered has arrived, and nothing is missing between
  - gaps     values that never came are as many as the gateway counted
  - silence  no sensor was without a new reading for longer than --silence seconds (by the time of reception)

A line a minute says how it goes; the report, with all samples, goes to FILE (.rig/logs/soak/report.json). Needs .rig.
"""
import argparse
import json
import pathlib
import random
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Rig"))
from faulty_radio import Archive, FaultyRadio, audit, counted_gaps, topic_of  # noqa: E402
from harness import Bench, Failed, Gateway, check, wait_for  # noqa: E402

DAYS = 7
LINKED, ADVERTISING = 50, 50
FAMILIES = ("ruuvi", "atc", "govee", "qingping", "tilt")
FAULTS_A_DAY = 4
OUTAGE_HOURS = (0.5, 2)
# Faults that pass, or that the host gets over. What a controller is made like is for `make reliability`.
FAULTS = ("hardware-error", "unanswered-features", "unanswered-scan-enable", "lost-octets", "lost-command-octets",
          "inserted-octets", "frozen", "batched-reports", "event-zero", "doubled-answers", "cancel-loses")
# Seconds between two faults: a recovery is not to be interrupted by the next one.
PAUSE = 25
MEMORY_LIMIT = 2 * 1024  # KiB
QUIET = 0.1  # the last part of the time has no faults and no outages


class Schedule:
    """What happens when, in seconds from the beginning: the same for the same seed and length."""

    def __init__(self, seconds, seed, faults):
        dice = random.Random(seed)
        day = seconds / DAYS
        end = seconds * (1 - QUIET)
        self.outages = []
        for number in range(DAYS):
            length = dice.uniform(*OUTAGE_HOURS) / 24 * day
            start = (number + dice.uniform(0.05, 0.95)) * day
            if start + length < end:
                self.outages.append((start, start + length))
        # The outages may overlap at the border of two days.
        self.outages = [outage for index, outage in enumerate(self.outages)
                        if index == 0 or outage[0] > self.outages[index - 1][1]]
        self.faults, last = [], 10.0
        for start in sorted(dice.uniform(10, end) for _ in range(DAYS * FAULTS_A_DAY)):
            moment = max(start, last + PAUSE)
            if moment < end:
                self.faults.append((moment, dice.choice(faults)))
                last = moment

    def arguments(self):
        return [f"{name}@{moment:.1f}" for moment, name in self.faults]


def kernel_says(pid):
    """The process's own memory and its resident memory, in KiB, and its descriptors."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    figures = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return (int(figures["RssAnon"].split()[0]), int(figures["VmRSS"].split()[0]),
            len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())))


class Silences:
    """The longest time that each sensor was without a new reading, by the time of reception of what arrived."""

    def __init__(self, archive):
        self.times = {}
        add = archive._add

        def noting(reading):
            if reading["n"] not in archive.numbers:
                self.times.setdefault(reading["dev"], []).append(reading["up_ms"])
            add(reading)
        archive._add = noting

    def longest(self, devices, last):
        """(seconds, sensor); `last`: milliseconds since boot until which the sensors were to be heard."""
        worst = (0.0, "")
        for dev in devices:
            times = sorted(self.times.get(dev, []))
            if not times:
                return (float("inf"), dev)
            for earlier, later in zip(times, times[1:] + [max(last, times[-1])]):
                worst = max(worst, ((later - earlier) / 1000, dev))
        return worst


def medians(samples, key, seconds, begin, end):
    found = [sample[key] for sample in samples if begin * seconds <= sample["at"] < end * seconds]
    return statistics.median(found) if found else None


def soak(bench, options, seconds, report):
    schedule = Schedule(seconds, options.seed, options.faults)
    broker = bench.broker()
    archive = Archive(bench, broker)
    silences = Silences(archive)
    radio = FaultyRadio(bench, LINKED, [FAMILIES[number % len(FAMILIES)] for number in range(ADVERTISING)],
                        faults=schedule.arguments())
    configuration = bench.configuration(broker.port, [], extra=radio.rules(), mqtt="history_rows_per_second = 0\n")
    gateway = Gateway(bench, configuration, radio.controller)
    devices = [topic_of(address) for address in radio.linked + radio.heard]
    report.update(seed=options.seed, seconds=seconds, sensors=len(devices), outages=schedule.outages,
                  faults=schedule.faults, samples=[])
    began, away, told = time.monotonic(), False, 0.0
    outages = list(schedule.outages)
    interval = min(60.0, seconds / 10)
    step = min(5.0, seconds / 60)
    while (at := time.monotonic() - began) < seconds:
        check(gateway.process.alive(), f"martlet ended after {at:.0f} s: {gateway.process.text()[-500:]}")
        check(radio.process.alive(), f"the virtual radio ended after {at:.0f} s: {radio.process.text()[-500:]}")
        check(archive.process.alive(), "the consumer ended")
        if not away and outages and outages[0][0] <= at:
            broker.stop()
            away = True
        elif away and outages[0][1] <= at:
            broker.start()
            outages.pop(0)
            away = False
        own, resident, descriptors = kernel_says(gateway.process.pid)
        archive.read()
        sample = {"at": round(at, 1), "own_kib": own, "resident_kib": resident, "descriptors": descriptors,
                  "arrived": len(archive.numbers), "struck": len(radio.struck)}
        report["samples"].append(sample)
        if at - told >= interval:
            told = at
            day, hour = divmod(at / seconds * DAYS * 24, 24)
            print(f"soak: day {day + 1:.0f} {hour:02.0f} h ({at / 60:.1f} of {seconds / 60:.1f} min): {sample['arrived']} readings, "
                  f"{own / 1024:.1f} MiB own, {resident / 1024:.1f} MiB resident, {descriptors} descriptors, "
                  f"{sample['struck']} faults" + (", broker away" if away else ""), flush=True)
        time.sleep(step)
    if away:
        broker.start()

    # The sensors fall silent; what waits is delivered.
    last = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    status = wait_for("martlet answers", gateway.status, 60)
    radio.process.end()
    wait_for("everything that waits is delivered",
             lambda: (found := gateway.status()) and found["journal"]["buffered"] + found["journal"]["waiting"] == 0, 300)
    final = wait_for("martlet answers", gateway.status, 60)
    gateway.stop()
    books = audit(bench.martlet, configuration)
    total = books["total"]
    try:
        wait_for("all that was delivered arrives", lambda: (archive.read(), len(archive.numbers) >= total["delivered"])[1], 60)
    except Failed:
        pass  # said below, with numbers
    report.update(books=total, arrived=len(archive.numbers), repeats=archive.repeats, struck=radio.struck,
                  counters=final["controller"].get("counters", {}))
    judge(report, seconds, options, archive, silences.longest(devices, last), books,
          counted_gaps(status, radio), gateway)


def judge(report, seconds, options, archive, silence, books, counted, gateway):
    wrong, samples, total = [], report["samples"], books["total"]
    memory = [medians(samples, "own_kib", seconds, *part) for part in ((0.1, 0.2), (0.9, 1))]
    files = [medians(samples, "descriptors", seconds, *part) for part in ((0.1, 0.2), (0.9, 1))]
    lost = archive.lost
    report.update(own_kib=memory, descriptors=files, lost=lost, counted=counted, longest_silence=silence)
    if None in memory or memory[1] - memory[0] > MEMORY_LIMIT:
        wrong.append(f"memory: {memory[0]} KiB in the second tenth, {memory[1]} KiB in the last one")
    if None in files or files[1] > files[0]:
        wrong.append(f"files: {files[0]} descriptors in the second tenth, {files[1]} in the last one")
    if not books["balances"]:
        wrong.append(f"books: martlet audit says that they do not balance: {total}")
    if total["buffered"]:
        wrong.append(f"books: {total['buffered']} readings still wait")
    highest = max(archive.numbers, default=0)
    holes = highest - len(archive.numbers)
    if len(archive.numbers) != total["delivered"]:
        wrong.append(f"books: {total['delivered']} delivered, {len(archive.numbers)} arrived")
    if holes > sum(total["dropped"].values()):
        wrong.append(f"books: {holes} numbers are missing at the consumer, and {total['dropped']} readings were dropped")
    if lost != counted:
        wrong.append(f"gaps: {lost} values never came, and the gateway counted {counted}")
    if silence[0] > options.silence:
        wrong.append(f"silence: {silence[1]} was without a reading for {silence[0]:.0f} s, more than {options.silence} s")
    missed = [name for _, name in report["faults"]][len(report["struck"]):]
    if missed:
        wrong.append(f"schedule: {len(missed)} faults never struck, the first {missed[0]}")
    if "Fatal error" in gateway.process.text():
        wrong.append("martlet trapped")
    report["wrong"] = wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("martlet", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seconds", type=float, help="instead of --minutes: a short try, 120 at least")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--faults", nargs="*", default=FAULTS, metavar="NAME", help="those that may strike")
    parser.add_argument("--silence", type=float, default=180, help="seconds that a sensor may be without a reading")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    seconds = options.seconds or options.minutes * 60
    if seconds < 120:
        parser.error("two minutes are the least: the second tenth and the last one have to be something")
    bench = Bench("soak", options.martlet.absolute())
    path = options.json or bench.folder / "report.json"
    report = {"wrong": []}
    try:
        soak(bench, options, seconds, report)
    except Failed as failure:
        report["wrong"].append(str(failure))
    finally:
        path.write_text(json.dumps(report, indent=1) + "\n")
        bench.close()
    for sentence in report["wrong"]:
        print(f"soak: FAILED {sentence}")
    if report["wrong"]:
        print(f"soak: the same again with --seed {options.seed}; report {path}, logs {bench.folder}")
        return 1
    print(f"soak: {report['arrived']} readings of {report['sensors']} sensors, each arrived, {report['lost']} values lost on broken "
          f"links and counted; {len(report['struck'])} faults, {len(report['outages'])} outages; own memory "
          f"{report['own_kib'][0] / 1024:.1f} → {report['own_kib'][1] / 1024:.1f} MiB, {report['descriptors'][1]:.0f} descriptors; "
          f"longest silence {report['longest_silence'][0]:.0f} s; seed {options.seed}; report {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
