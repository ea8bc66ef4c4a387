#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""instructions.py BUILD-FOLDER [WORKLOAD …] - the instructions of a packet, counted by valgrind's callgrind.

Each workload runs twice, with few packets and with many; the difference is the cost of the packets between. Instructions do not
depend on other work of the machine, as CPU times do. Under callgrind a program is some fifty times slower, so the packets of
`martlet run` come slowly, and a wake-up has fewer of them than on the air: compare two programs, not two workloads.

A gateway works without packets, too: it looks at its health each five seconds. Each run of `martlet run` ends with an idle time,
whose rate is taken off, for the longer run has more seconds. `idle_per_s` is that rate.

`--profile` keeps callgrind's files in .rig/logs, for callgrind_annotate.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Rig"))
from flood import build_generator, sensor_rules, start_generator  # noqa: E402
from harness import Bench, Failed, Gateway, check, program, wait_for  # noqa: E402
from ledger_bench import TOPICS  # noqa: E402
from listening_bench import SENSORS, STRANGERS, encrypted_sensors  # noqa: E402
from meters import last_line, readings_of  # noqa: E402

# Packets a second in `martlet run`: less than it takes under callgrind.
RATE = 100
# Seconds of a gateway without packets, at the end of a run.
IDLE = 30
LINKS = 10


def without_debug_information(build, folder):
    """Copies of the programs. Valgrind of Debian 12 reads DWARF 4, and ends at the DWARF 5 of Swift."""
    for name in ("martlet", "martlet-bench"):
        subprocess.run([program("objcopy"), "--strip-debug", build / name, folder / name], check=True)
    return folder / "martlet"


def callgrind(bench):
    return [program("valgrind"), "--tool=callgrind", f"--callgrind-out-file={bench.folder}/callgrind.out"]


def counted(process):
    """The instructions that callgrind says at the end."""
    found = re.findall(r"Collected : (\d+)", process.text())
    check(found, f"callgrind said nothing: {process.text()[-500:]}")
    return int(found[-1])


class Run(NamedTuple):
    """What a run has taken until its packets were there, and what a second without packets takes."""
    instructions: int
    seconds: float
    idle: float


def dumped(bench, martlet):
    """The instructions since the last dump, of which callgrind writes one now."""
    before = set(bench.folder.glob("callgrind.out.*"))
    subprocess.run([program("callgrind_control"), "-d", str(martlet.process.process.pid)], check=True, capture_output=True)
    wait_for("callgrind has written", lambda: set(bench.folder.glob("callgrind.out.*")) - before, 120)
    time.sleep(1)
    text = (set(bench.folder.glob("callgrind.out.*")) - before).pop().read_text(errors="replace")
    return int(re.findall(r"^(?:summary|totals): (\d+)", text, re.M)[-1])


def application(mode, links):
    """`martlet-bench`: the host and Core Bluetooth, in an application that counts."""
    def run(bench, count):
        generator, port = start_generator(bench, mode, links, count, *(["--size", 20] if links else []))
        process = bench.start("martlet", [*callgrind(bench), bench.martlet.with_name("martlet-bench"), port, mode, links])
        wait_for("martlet-bench ends", lambda: not process.alive(), 300)
        counts = last_line(process)
        check(counts["callbacks"] == count and counts["gaps"] == 0, f"of {count} packets: {counts}")
        return Run(counted(process), 0, 0)
    return run


def gateway(make_sensors, mode, links, *options, delivers=True):
    """`martlet run` with a broker: from the HCI packet to the deletion of the reading."""
    def run(bench, count):
        broker = bench.broker()
        consumer = bench.start("consumer", [program("mosquitto_sub"), "-p", broker.port, "-q", 1, "-F", "%p", *TOPICS])
        packets = bench.folder / "packets"
        sensors = make_sensors(packets, count)
        more = ["--adv-file", packets] if packets.exists() else []
        pace = ["--rate", RATE] if delivers else []
        generator, port = start_generator(
            bench, mode, links, count, "--delay-ms", 20_000, "--linger-ms", 600_000, *pace, *options, *more)
        configuration = bench.configuration(broker.port, sensors, mqtt="max_in_flight = 100\n")
        began = time.monotonic()
        martlet = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}", inside=callgrind(bench))

        def is_over():
            check(martlet.process.alive(), f"martlet ended: {martlet.process.text()[-500:]}")
            time.sleep(1)
            if not delivers:
                return '"packets"' in generator.output.read_text()
            return len({reading["n"] for reading in readings_of(consumer.output)}) >= count - 2 * SENSORS
        wait_for("all packets have been taken", is_over, 300 + count / RATE)
        time.sleep(2)
        seconds, instructions = time.monotonic() - began, dumped(bench, martlet)
        rested = time.monotonic()
        time.sleep(IDLE)
        idle = dumped(bench, martlet) / (time.monotonic() - rested)
        martlet.stop()
        return Run(instructions, seconds, idle)
    return run


def of_family(family):
    return lambda packets, count: [(f'family = "{family}"', [])]


# name: (work, few packets, many packets)
WORKLOADS = {
    "notify-10": (application("notify", LINKS), 20_000, 120_000),
    "adv": (application("adv", 0), 20_000, 120_000),
    "live": (gateway(lambda packets, count: sensor_rules(LINKS), "notify", LINKS), 1_000, 5_000),
    "wanted": (gateway(of_family("bthome"), "adv", 0, "--addrs", SENSORS, "--adv-format", "bthome"), 1_000, 5_000),
    "encrypted": (gateway(encrypted_sensors, "adv", 0, "--addrs", SENSORS), 1_000, 5_000),
    "stranger": (gateway(of_family("ruuvi"), "adv", 0, "--addrs", STRANGERS, delivers=False), 50_000, 550_000),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="folder of the release binaries martlet and martlet-bench")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--profile", action="store_true", help="keep callgrind's files")
    options = parser.parse_args()
    for name in options.workloads:
        if name not in WORKLOADS:
            sys.exit(f"there is no workload {name}: {', '.join(WORKLOADS)}")
    build_generator()
    with tempfile.TemporaryDirectory(prefix="martlet-instructions-") as folder:
        return measure(without_debug_information(options.build.resolve(), pathlib.Path(folder)), options)


def measure(martlet, options):
    failures = 0
    for name in options.workloads or WORKLOADS:
        work, few, many = WORKLOADS[name]
        runs = []
        try:
            for count in (few, many):
                bench = Bench(f"instructions.{name}.{count}", martlet)
                try:
                    runs.append(work(bench, count))
                finally:
                    bench.close()
                    for file in bench.folder.glob("callgrind.out*") if not options.profile else []:
                        file.unlink(missing_ok=True)
            idle = (runs[0].idle + runs[1].idle) / 2
            more = runs[1].instructions - runs[0].instructions - idle * (runs[1].seconds - runs[0].seconds)
            print(json.dumps({"workload": name, "instructions": round(more / (many - few)), "idle_per_s": round(idle)}),
                  flush=True)
        except Failed as failure:
            failures += 1
            print(f"INVALID {name}: {failure}", file=sys.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
