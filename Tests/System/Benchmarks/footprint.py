#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""footprint.py MARTLET [--minutes 60 | --page | --within MIB …] - what a gateway with twenty sensors takes: on disk, to start, in memory.

`martlet run` collects from the sensors of `martlet virtual-radio` and publishes to a private broker for an hour; a socket
like systemd's hears when it is ready. The figures go to docs/footprint.json, by this machine's architecture. With --page it runs for
three minutes each without a page, with one, and with a visitor who watches it. With --within it runs for three minutes with no more memory
than each of these bounds, in which everything counts that the kernel has to have for it: what the gateway needs, and not what the
kernel has beside it as long as nobody else wants the room. Root.
"""
import argparse
import json
import pathlib
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Rig"))
from harness import ROOT, Bench, Failed, check, free_ports, program, wait_for  # noqa: E402
from memory_limit import MemoryLimit, ReadAhead, own_copy  # noqa: E402
from meters import cpu_seconds, major_faults, memory_kib  # noqa: E402

SENSORS, GOAL_MIB = 20, 25
FEEDS = ["180d/2a37", "1809/2a1c", "181a/2a6e", "181a/2a6f", "181a/2a6d", "180f/2a19",
         "5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10/5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"]
FIGURES = ROOT / "docs" / "footprint.json"


class ServiceManager:
    """What systemd is to a service of Type=notify."""

    def __init__(self, folder):
        self.path = folder / "notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))

    def wait_until_ready(self, seconds):
        deadline = time.monotonic() + seconds
        lines = []
        while "READY=1" not in lines:
            self.socket.settimeout(max(deadline - time.monotonic(), 0.01))
            try:
                lines = self.socket.recv(4096).decode().splitlines()
            except TimeoutError:
                raise Failed(f"martlet is not READY within {seconds} s") from None


def stripped_size(binary, folder):
    """Octets of the file as it is installed."""
    copy = folder / "stripped"
    shutil.copy(binary, copy)
    subprocess.run([program("strip"), copy], check=True)
    return copy.stat().st_size


def measure(bench, minutes, page=None, watches=False, limit=None):
    broker, manager, port = bench.broker(), ServiceManager(bench.short), free_ports()
    radio = bench.start("virtual-radio", [
        bench.martlet, "virtual-radio", "--listen", f"tcp:{port}", "--sensors", SENSORS])
    radio.expect(str(port), 15)
    extra = f'\n[page]\nlisten = "127.0.0.1:{page}"\n' if page else ""
    configuration = bench.configuration(broker.port, [('name = "*"', FEEDS)], extra=extra)
    binary, environment = own_copy(bench.martlet, bench.folder / "program") if limit else (bench.martlet, {})
    command = [binary, "run", "--config", configuration, "--controller", f"tcp:127.0.0.1:{port}"]
    began = time.monotonic()
    gateway = bench.start(
        "martlet", limit.command(environment, *command) if limit else command, {"NOTIFY_SOCKET": str(manager.path)})
    manager.wait_until_ready(30)
    ready = time.monotonic() - began

    def status():
        answer = subprocess.run([bench.martlet, "status", "--json", "--config", configuration], capture_output=True)
        return json.loads(answer.stdout) if answer.returncode == 0 else None

    def collected():
        found = status()
        return found and sum(sensor["readings"] > 0 for sensor in found["collector"]["sensors"]) == SENSORS
    wait_for(f"readings of {SENSORS} sensors come in", collected, 120)
    if watches:
        bench.start("visitor", [program("curl"), "-sN", f"http://127.0.0.1:{page}/events"])
    cpu, faults, since = cpu_seconds(gateway.pid), major_faults(gateway.pid), time.monotonic()
    end = since + 60 * minutes
    while time.monotonic() < end:
        check(gateway.alive(), f"martlet ended: {gateway.text()[-500:]}")
        time.sleep(min(5, max(end - time.monotonic(), 0)))
    journal = status()["journal"]
    check(journal["received"] > 0 and journal["buffered"] < journal["received"], f"nothing is delivered: {journal}")
    figures = {
        "minutes": minutes, "sensors": SENSORS, "readings": journal["received"],
        "size_bytes": stripped_size(bench.martlet, bench.short), "ready_ms": round(1000 * ready),
        "rss_kib": memory_kib(gateway.pid, "VmRSS"), "anonymous_kib": memory_kib(gateway.pid, "RssAnon"),
        "peak_rss_kib": memory_kib(gateway.pid, "VmHWM"),
        "cpu_percent": round(100 * (cpu_seconds(gateway.pid) - cpu) / (time.monotonic() - since), 2),
    }
    if limit:
        figures |= {"charged_kib": limit.charged_kib(), "major_faults": major_faults(gateway.pid) - faults}
    check(gateway.end() == 0, "martlet does not end in order")
    return figures


def measure_within(martlet, limits):
    """The same gateway with no more memory than each limit."""
    figures = {}
    for mib in limits:
        with MemoryLimit(mib) as limit:
            bench = Bench(f"footprint-within-{mib}", martlet)
            try:
                with ReadAhead(bench.folder):
                    found = measure(bench, 3, limit=limit)
            finally:
                bench.close()
        check(found["charged_kib"] <= mib * 1024, f"the limit of {mib} MiB is none: {found['charged_kib']} KiB were charged")
        keys = ["readings", "ready_ms", "rss_kib", "anonymous_kib", "cpu_percent", "charged_kib", "major_faults"]
        figures[str(mib)] = {key: found[key] for key in keys}
        print(mib, json.dumps(figures[str(mib)]), flush=True)
        write(figures, f"within MiB on {platform.machine()}")


def measure_page(martlet):
    """The same gateway without a page, with one, and with one that somebody watches."""
    figures = {}
    for name in ["without", "served", "watched"]:
        bench = Bench(f"footprint-{name}", martlet)
        try:
            found = measure(bench, 3, None if name == "without" else free_ports(), name == "watched")
        finally:
            bench.close()
        figures[name] = {key: found[key] for key in ["rss_kib", "anonymous_kib", "cpu_percent"]}
        print(name, json.dumps(figures[name]), flush=True)
    write(figures, f"page on {platform.machine()}")


def write(figures, machine=platform.machine()):
    every = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    every[machine] = figures
    FIGURES.write_text(json.dumps(every, indent=2, sort_keys=True) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("martlet", type=pathlib.Path, help="the release binary")
    parser.add_argument("--minutes", type=float, default=60, help="how long it collects; less than 60 writes nothing")
    parser.add_argument("--page", action="store_true", help="what the page takes, in ten minutes")
    parser.add_argument("--within", type=int, nargs="+", metavar="MIB", help="with no more memory than these, three minutes each")
    options = parser.parse_args()
    # What a run has changed of this machine is put back in its end, also by this one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        if options.within:
            return measure_within(options.martlet.resolve(), options.within)
        if options.page:
            return measure_page(options.martlet.resolve())
    except Failed as failure:
        sys.exit(f"footprint: {failure}")
    bench = Bench("footprint", options.martlet.resolve())
    try:
        figures = measure(bench, options.minutes)
    except Failed as failure:
        sys.exit(f"footprint: {failure} (logs: {bench.folder})")
    finally:
        bench.close()
    print(json.dumps(figures))
    if options.minutes >= 60:
        write(figures)
    if figures["rss_kib"] > GOAL_MIB * 1024:
        print(f"above the goal of {GOAL_MIB} MiB resident", file=sys.stderr)


if __name__ == "__main__":
    main()
