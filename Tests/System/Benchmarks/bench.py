#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py BUILD-FOLDER [--smoke] - the benchmarks: Martlet side by side with Bumble and with a floor in C, in one run on one
machine.

h4gen, a fake controller, floods the host over H4 on TCP and meters its process; the host counts in the application's
callback and checks every sequence number. Then what the journal and its two lanes cost, in `martlet run` with a broker.
Runs are interleaved and the median is reported. A run with a value lost, repeated or reordered is invalid, is reported,
and makes the whole fail; so is a link or a backlog that takes too much memory, and a reading that makes too many octets
written. `--smoke` checks the counts of small runs, and the memory, only.
"""
import argparse
import json
import os
import pathlib
import sqlite3
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Rig"))
import ledger_bench  # noqa: E402
import links_bench  # noqa: E402
import listening_bench  # noqa: E402
from flood import FLOOR, build_generator, sensor_rules, start_generator  # noqa: E402
from harness import (  # noqa: E402
    PYTHON, RIG_SOURCES, ROOT, Bench, Failed, Gateway, check, free_ports, program, wait_for)
from ledger_bench import check_payloads  # noqa: E402
from meters import cpu_seconds, last_line, memory_kib, readings_of  # noqa: E402

BUMBLE_HOST = RIG_SOURCES / "load" / "hosts" / "bumble_host.py"
BUMBLE_PIPELINE = RIG_SOURCES / "load" / "hosts" / "pipeline_bumble.py"
RESULTS = ROOT / "docs" / "benchmarks"

# name: (mode, links, generator's options, packets for Martlet and the floor, packets for Bumble, 0 for none)
FLOODS = {
    "notify-1": ("notify", 1, ["--size", 20], 2_000_000, 60_000),
    "notify-10": ("notify", 10, ["--size", 20], 2_000_000, 60_000),
    "notify-50": ("notify", 50, ["--size", 20], 2_000_000, 60_000),
    "notify-64": ("notify", 64, ["--size", 20], 2_000_000, 0),
    "notify-244-10": ("notify", 10, ["--size", 244], 1_000_000, 60_000),
    "adv": ("adv", 0, [], 1_000_000, 30_000),
    "extadv": ("extadv", 0, [], 1_000_000, 20_000),
    "adv-10000": ("adv", 0, ["--addrs", 10_000], 1_000_000, 0),
    "paced-1000": ("notify", 10, ["--size", 20, "--rate", 1000], 8_000, 8_000),
}
# More than Bumble's pipeline takes: it holds the generator back. Martlet follows, and is not to drop anything.
PIPELINE_LINKS, PIPELINE_RATE = 10, 20_000
PIPELINE_IN_FLIGHT = 100  # as many as a transaction holds
SENSORS = 20
# The memory of links: sensors, and services each, five of which every sensor has.
LINKS, SERVICES = 50, 10
LINK_LIMIT_KIB = 64


def flood(bench, workload, host, command, count):
    """One run of one host: {"cpu_s_per_M", "rss_kib", "callbacks", "gaps"}."""
    mode, links, options, _, _ = FLOODS[workload]
    # A device waits 100 ms for a scan response before it is told of: the connection stays open for so long, and longer.
    generator, port = start_generator(bench, mode, links, count, "--linger-ms", 1_000, *options)
    # On one processor: what a packet costs shall not depend on where its threads are put.
    process = bench.start(host, [program("taskset"), "-c", min(os.sched_getaffinity(0)), *command, port, mode, links])
    wait_for(f"{host} ends", lambda: not process.alive(), 170)
    wait_for("h4gen ends", lambda: not generator.alive(), 10)
    check(generator.process.returncode == 0, f"h4gen: {generator.text()[-300:]}")
    meter, counted = last_line(generator), last_line(process)
    check(counted["callbacks"] == meter["packets"] == count and counted["gaps"] == 0,
          f"of {count} packets ({meter['packets']} written) {counted['callbacks']} were counted, "
          f"with {counted['gaps']} gaps")
    return {"cpu_s_per_M": meter["host_cpu_s_per_M"], "rss_kib": meter["host_peak_rss_kib"], **pick(counted)}


def pick(counted):
    return {"callbacks": counted["callbacks"], "gaps": counted["gaps"]}


def martlet_pipeline(bench, count):
    """Notification → journal → QoS 1 → PUBACK → deleted, by `martlet run`."""
    broker = bench.broker()
    arrived = bench.start("consumer", [program("mosquitto_sub"), "-p", broker.port, "-q", 1, "-F", "%p",
                                       "-t", "martlet/dev/+/state", "-t", "martlet/dev/+/history"])
    generator, port = start_generator(bench, "notify", PIPELINE_LINKS, count, "--rate", PIPELINE_RATE,
                                      "--delay-ms", 1000, "--linger-ms", 120_000)
    configuration = bench.configuration(broker.port, sensor_rules(PIPELINE_LINKS),
                                        mqtt=f"max_in_flight = {PIPELINE_IN_FLIGHT}\n")
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}")
    generator.expect("h4gen: ready", 60)
    before = cpu_seconds(gateway.process.pid)

    journal = f"file:{bench.folder}/state/journal.db?mode=ro"
    payloads = []

    def all_deleted():
        check(gateway.process.alive(), f"martlet ended: {gateway.process.text()[-500:]}")
        time.sleep(1)  # parsing takes time from those that are measured
        payloads[:] = readings_of(arrived.output)
        if len(payloads) < count:
            return False
        with sqlite3.connect(journal, uri=True) as database:
            return database.execute("SELECT count(*) FROM reading").fetchone()[0] == 0
    wait_for("every reading is delivered and deleted", all_deleted, 60 + count / 1000)
    cpu = cpu_seconds(gateway.process.pid) - before
    rss = memory_kib(gateway.process.pid, "VmHWM")
    generator.discard()
    gateway.process.discard()

    check_payloads(payloads, count)
    return {"cpu_s_per_M": cpu * 1e6 / count, "rss_kib": rss, "callbacks": len(payloads), "gaps": 0}


def bumble_pipeline(bench, count):
    broker = bench.broker()
    generator, port = start_generator(bench, "notify", PIPELINE_LINKS, count, "--rate", PIPELINE_RATE,
                                      "--linger-ms", 120_000)
    host = bench.start("bumble", [PYTHON, BUMBLE_PIPELINE, port, PIPELINE_LINKS, count, broker.port,
                                  bench.folder / "bumble.db"])
    wait_for("Bumble's pipeline ends", lambda: not host.alive(), 60 + count / 1000)
    generator.discard()
    counted = last_line(host)
    check(counted["callbacks"] == count and counted["gaps"] == 0, f"of {count} readings: {counted}")
    return {"cpu_s_per_M": counted["cpu_s"] * 1e6 / count, "rss_kib": counted["rss_kib"], **pick(counted)}


def start_radio(bench, sensors, *options):
    """The port of a virtual radio in another process."""
    port = free_ports()
    radio = bench.start("virtual-radio", [bench.martlet, "virtual-radio", "--listen", f"tcp:{port}",
                                          "--sensors", sensors, *options])
    radio.expect(str(port), 15)
    return port


def memory_of_links(bench, host):
    """By how much the resident memory of a program grows with 50 links on which everything is discovered, in KiB."""
    port = start_radio(bench, LINKS, "--further-services", SERVICES - 5)
    process = bench.start("martlet", [host, port, "links", LINKS])
    wait_for("martlet-bench ends", lambda: not process.alive(), 170)
    counted = last_line(process)
    # GAP and GATT are the host's: an application is not shown them.
    check(counted["links"] == LINKS and counted["services"] == LINKS * (SERVICES - 2),
          f"not all was discovered: {counted}")
    growth = round((counted["after_kib"] - counted["before_kib"]) / LINKS, 1)
    check(growth < LINK_LIMIT_KIB, f"resident memory grows by {growth} KiB a link; the limit is {LINK_LIMIT_KIB}")
    return {**counted, "kib_a_link": growth}


def memory_with_sensors(bench, seconds):
    """Resident memory of `martlet run` that collects from 20 sensors of a virtual radio in another process, in KiB."""
    broker = bench.broker()
    consumer = bench.consumer(broker)
    port = start_radio(bench, SENSORS)
    feeds = ["180d/2a37", "1809/2a1c", "181a/2a6e", "181a/2a6f", "181a/2a6d", "180f/2a19",
             "5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10/5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"]
    gateway = Gateway(bench, bench.configuration(broker.port, [('name = "*"', feeds)]), f"tcp:127.0.0.1:{port}")
    wait_for(f"readings of {SENSORS} sensors arrive", lambda: len(
        {reading["dev"] for reading in consumer.readings()}) >= SENSORS, 90)
    time.sleep(seconds)
    result = {"sensors": SENSORS, "rss_kib": memory_kib(gateway.process.pid, "VmRSS"),
              "peak_rss_kib": memory_kib(gateway.process.pid, "VmHWM")}
    gateway.stop()
    return result


def attempt(name, bench_of, work, failures):
    """Runs `work` in a test folder of its own; None and a line in `failures` when the run is invalid."""
    bench = bench_of(name)
    try:
        return work(bench)
    except Failed as failure:
        failures.append(f"{name}: {failure}")
        print(f"INVALID {name}: {failure} (logs: {bench.folder})", flush=True)
    finally:
        bench.close()


def bench_factory(build):
    return lambda name: Bench(f"bench.{name}", build / "martlet")


def measure(build, repetitions, scale):
    """({(workload, host): [run…]}, memory, failures); `scale` divides the number of packets."""
    runs, failures, bench_of = {}, [], bench_factory(build)
    hosts = {"martlet": [build / "martlet-bench"], "floor": [FLOOR], "bumble": [PYTHON, BUMBLE_HOST]}

    def note(workload, host, work):
        run = attempt(f"{workload}.{host}", bench_of, work, failures)
        if run:
            runs.setdefault((workload, host), []).append(run)
            print(f"{workload:14s} {host:8s} {run['cpu_s_per_M']:8.2f} CPU s/M", file=sys.stderr, flush=True)

    for _ in range(repetitions):
        for workload, (_, _, _, ours, bumbles) in FLOODS.items():
            counts = {"martlet": ours // scale, "floor": ours // scale, "bumble": max(bumbles // scale, 500) if bumbles else 0}
            for host, count in counts.items():
                if count:
                    note(workload, host, lambda bench: flood(bench, workload, host, hosts[host], count))
        note("pipeline", "martlet", lambda bench: martlet_pipeline(bench, 60_000 // scale))
        note("pipeline", "bumble", lambda bench: bumble_pipeline(bench, 30_000 // scale))
    memory = {
        "run-20": attempt(
            "memory", bench_of, lambda bench: memory_with_sensors(bench, 2 if scale > 1 else 20), failures),
        "links-50": attempt(
            "links-50", bench_of, lambda bench: memory_of_links(bench, build / "martlet-bench"), failures),
    }
    return runs, memory, failures


def measure_workloads(build, repetitions, scale, title, workloads):
    """({workload: the run with the median CPU time}, failures)."""
    runs, failures, bench_of = {}, [], bench_factory(build)
    for _ in range(repetitions):
        for workload, (work, count) in workloads.items():
            run = attempt(f"{title}.{workload}", bench_of, lambda bench: work(bench, count // scale), failures)
            if run:
                runs.setdefault(workload, []).append(run)
                print(f"{title} {workload:10s} {run}", file=sys.stderr, flush=True)
    return {workload: sorted(several, key=lambda run: run.get("cpu_us", 0))[len(several) // 2]
            for workload, several in runs.items()}, failures


def measure_ledger(build, repetitions, scale):
    figures, failures = measure_workloads(build, repetitions, scale, "ledger", ledger_bench.WORKLOADS)
    backlog = attempt("ledger.backlog", bench_factory(build),
                      lambda bench: ledger_bench.memory_of_backlog(bench, ledger_bench.BACKLOG // scale), failures)
    return {**figures, "backlog": backlog}, failures


def summary(runs):
    """latest.json: the median CPU time, the highest memory, the counts of one run."""
    return [{"workload": workload, "host": host,
             "cpu_s_per_M": round(statistics.median(run["cpu_s_per_M"] for run in of_host), 3),
             "rss_kib": max(run["rss_kib"] for run in of_host), **pick(of_host[0])}
            for (workload, host), of_host in runs.items()]


def table(rows, memory):
    lines = [f"{'workload':14s} {'host':8s} {'CPU s/M':>9s} {'× floor':>8s} {'RSS KiB':>9s} {'callbacks':>10s} {'gaps':>5s}"]
    floors = {row["workload"]: row["cpu_s_per_M"] for row in rows if row["host"] == "floor"}
    for row in rows:
        # Where the meter's tick is longer than the whole run there is no ratio.
        floor = floors.get(row["workload"])
        ratio = f"{row['cpu_s_per_M'] / floor:8.1f}" if floor else f"{'–':>8s}"
        lines.append(f"{row['workload']:14s} {row['host']:8s} {row['cpu_s_per_M']:9.3f} {ratio} {row['rss_kib']:9d} "
                     f"{row['callbacks']:10d} {row['gaps']:5d}")
    if run := memory["run-20"]:
        lines.append(f"martlet run with {run['sensors']} sensors: {run['rss_kib']} KiB resident, "
                     f"peak {run['peak_rss_kib']} KiB")
    if links := memory["links-50"]:
        lines.append(f"{links['links']} links with {links['services']} services: {links['before_kib']} KiB resident "
                     f"before, {links['after_kib']} KiB after, {links['kib_a_link']} KiB a link")
    return "\n".join(lines)


def write_lines(path, opening, items, closing):
    """JSON with an item a line."""
    lines = ",\n".join("  " + item for item in items)
    path.write_text(f"{opening}\n{lines}\n{closing}\n")
    print(f"written: {path}")


def write_named(name, figures):
    write_lines(RESULTS / name, "{", [f"{json.dumps(key)}: {json.dumps(item)}" for key, item in figures.items()], "}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="folder of the release binaries martlet and martlet-bench")
    parser.add_argument("--smoke", action="store_true", help="small runs, once; asserts counts, writes nothing")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", choices=["floods", "ledger", "listening", "links"],
                        help="one part; the others' figures stay as they are")
    options = parser.parse_args()
    for name in ("martlet", "martlet-bench"):
        if not (options.build / name).exists():
            sys.exit(f"{options.build / name} is missing: build it first (make bench does)")
    build_generator()
    build, scale = options.build.resolve(), 20 if options.smoke else 1
    repetitions = 1 if options.smoke else options.repetitions
    failures, rows, ledger, listening, links = [], [], {}, {}, {}
    if options.only in (None, "floods"):
        runs, memory, failures = measure(build, repetitions, scale)
        rows = summary(runs)
        print(table(rows, memory))
    if options.only in (None, "ledger"):
        ledger, more = measure_ledger(build, repetitions, scale)
        failures += more
        print("\n".join(ledger_bench.summary(ledger)))
    if options.only in (None, "listening"):
        listening, more = measure_workloads(build, repetitions, scale, "listening", listening_bench.WORKLOADS)
        failures += more
        print("\n".join(listening_bench.summary(listening)))
    if options.only in (None, "links"):
        links, more = measure_workloads(build, repetitions, 1, "links", links_bench.WORKLOADS)
        failures += more
        print("\n".join(links_bench.summary(links)))
    print(f"{os.cpu_count()} CPUs, load average {os.getloadavg()[0]:.2f}")
    if failures:
        sys.exit(f"{len(failures)} of the runs were invalid")
    if options.smoke:
        print("bench-smoke: every packet counted, no gaps")
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    if rows:
        write_lines(RESULTS / "latest.json", "[", [json.dumps(row) for row in rows], "]")
        write_named("memory.json", memory)
    if ledger:
        write_named("ledger.json", ledger)
    if listening:
        write_named("listening.json", listening)
    if links:
        write_named("links.json", links)


if __name__ == "__main__":
    main()
