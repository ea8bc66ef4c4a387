#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""turns.py MARTLET [--minutes M] - 64 sensors and a controller with 8 links: each wanted rate is met, or its shortfall is said.

`martlet run`, with a real broker, collects from 64 sensors that send two values a second. First most of them say how often a value
is enough (value_every_s), which eight links can give: the rest keep their links, and no sensor is without a value for longer than it
wants. Then all want their links always, which nobody can give: each has its turns, the gateway says how long they take, and that is
true. Logs lie in .rig/logs/turns.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Rig"))
from faulty_radio import FEED, Archive, FaultyRadio, topic_of  # noqa: E402
from harness import Bench, Failed, Gateway, check, wait_for  # noqa: E402

SENSORS, LINKS = 64, 8
# value_every_s: sensors. The others want all values.
EVERY = {60: 16, 300: 44}
# Looks at the ages of the newest values this often.
LOOK = 1.0
# A link that comes up while another one is set up comes a little later.
SLACK = 15


def rules(addresses, every):
    text = ""
    for address, seconds in zip(addresses, every):
        text += f'\n[[sensor]]\naddress = "{address}"\nsubscribe = ["{FEED}"]\n'
        text += f"value_every_s = {seconds}\n" if seconds else ""
    return text


def watch(archive, devices, minutes):
    """For how long each was without a new value at most, in seconds, and the values of each."""
    longest, newest, since = dict.fromkeys(devices, 0.0), dict(archive.newest), dict.fromkeys(devices, time.monotonic())
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        time.sleep(LOOK)
        archive.read()
        now = time.monotonic()
        for device in devices:
            if archive.newest.get(device) != newest.get(device):
                newest[device], since[device] = archive.newest[device], now
            longest[device] = max(longest[device], now - since[device])
    return longest


def why(martlet, configuration, device):
    answer = subprocess.run([martlet, "why", device, "--config", configuration], capture_output=True, text=True)
    check(answer.returncode == 0, f"martlet why says: {answer.stderr}")
    return answer.stdout


def run(bench, name, every, minutes):
    """What the gateway does with these wishes: how long each sensor was without a value, and the status at the end."""
    broker = bench.broker()
    archive = Archive(bench, broker, f"archive-{name}")
    radio = FaultyRadio(bench, SENSORS, [], name=f"radio-{name}", links=LINKS)
    configuration = bench.configuration(broker.port, [], extra=rules(radio.linked, every))
    gateway = Gateway(bench, configuration, radio.controller, name=f"martlet-{name}")
    devices = [topic_of(address) for address in radio.linked]
    try:
        wait_for("a value of each sensor has come",
                 lambda: (archive.read(), set(devices) <= set(archive.newest))[1], 300)
        longest = watch(archive, devices, minutes)
        status = wait_for("martlet answers", gateway.status, 30)
        (bench.folder / f"status-{name}.json").write_text(json.dumps(status, indent=1))
        texts = {device: why(bench.martlet, configuration, device) for device in (devices[0], devices[-1])}
        gateway.stop()
        return devices, longest, status["collector"], texts
    finally:
        for process in (gateway.process, radio.process, archive.process, broker.process):
            process.discard()
        broker.folder.rename(bench.folder / f"broker-{name}")
        if (bench.folder / "state").exists():
            (bench.folder / "state").rename(bench.folder / f"state-{name}")


def met(bench, minutes):
    every = [seconds for seconds, count in EVERY.items() for _ in range(count)]
    every = [0] * (SENSORS - len(every)) + every
    devices, longest, collector, _ = run(bench, "met", every, minutes)
    for device, seconds in zip(devices, every):
        limit = (seconds or 2) + SLACK
        check(longest[device] <= limit, f"{device} wants a value every {seconds or 'half a'} s, and had none for {longest[device]:.0f} s")
    drops = sum(sensor["drops"] for sensor in collector["sensors"])
    check(drops == 0, f"{drops} turns were counted as drops")
    worst = {seconds: max(longest[device] for device, wanted in zip(devices, every) if wanted == seconds)
             for seconds in sorted(set(every))}
    return "longest without a value: " + ", ".join(
        f"{value:.0f} s of {f'{seconds} s' if seconds else 'those that keep their links'}" for seconds, value in worst.items())


def short(bench, minutes):
    devices, longest, collector, texts = run(bench, "short", [0] * SENSORS, minutes)
    check(collector["shortage"] == {"sensors": SENSORS, "links": LINKS}, f"the shortage is said to be {collector['shortage']}")
    turns = {sensor["id"]: sensor["turn_ms"] / 1000 for sensor in collector["sensors"]}
    for device in devices:
        check(longest[device] <= 2 * turns[device] + SLACK,
              f"{device} is said to have a turn every {turns[device]:.0f} s, and had no value for {longest[device]:.0f} s")
    spread = max(turns.values()) / min(turns.values())
    check(spread <= 3, f"turns come every {min(turns.values()):.0f} to {max(turns.values()):.0f} s")
    for device, text in texts.items():
        check("64 sensors" in text and "8 links" in text, f"martlet why {device} says: {text}")
    return (f"a turn every {min(turns.values()):.0f} to {max(turns.values()):.0f} s, as it says; longest without a value "
            f"{max(longest.values()):.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("martlet", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=12, help="of each of the two")
    options = parser.parse_args()
    bench = Bench("turns", options.martlet.absolute())
    failures = 0
    try:
        for test in (met, short):
            try:
                print(f"ok   {test.__name__}: {test(bench, options.minutes)}", flush=True)
            except Failed as failure:
                failures += 1
                print(f"FAIL {test.__name__}: {failure}", flush=True)
    finally:
        bench.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
