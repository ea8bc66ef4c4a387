# SPDX-License-Identifier: Apache-2.0
"""Sensors that advertise, played by Bumble over RootCanal.

`crowd`: 200 addresses, ten of which are to be collected from, beside sensors with a link; exactly their values arrive.
`by_the_page`: an LYWSD03MMC with its key becomes values at the broker by the commands of docs/sensors.md, and nothing else.
"""
import collections
import json
import re
import shlex
import subprocess

from harness import PYTHON, RIG_SOURCES, ROOT, Gateway, Sensor, check, program, wait_for
from ledger import check_exact
from rootcanal import wait_until_delivered

KEY = bytes(range(1, 17)).hex()
CONTROLLERS, SETS = 21, 10  # the last controller is the attackers'
LINKED = 20


class Broadcasters:
    """broadcasters.py as a process, and the log of what it sent."""

    def __init__(self, bench, radio):
        self.process = bench.start("broadcasters", [
            PYTHON, RIG_SOURCES / "broadcasters.py", "--transport", f"tcp-client:127.0.0.1:{radio}",
            "--controllers", CONTROLLERS, "--sets", SETS])

    def events(self, kind):
        lines = self.process.output.read_text().splitlines()
        events = [json.loads(line) for line in lines if line.endswith("}")]
        return [event for event in events if event["event"] == kind]

    def ready(self):
        check(self.process.alive(), f"broadcasters ended: {self.process.text()[-1000:]}")
        return self.events("ready")


def crowd(bench):
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    linked = [Sensor(bench, radio, number, "counter", 5) for number in range(1, LINKED + 1)]
    ours = [f"F0:00:01:00:00:{number:02X}" for number in range(10)]
    rules = [(f'address = "{address}"' + (f'\nbindkey = "{KEY}"' if place >= 5 else ""), [])
             for place, address in enumerate(ours)]
    rules.append(('name = "rig-counter-*"', [
        "5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10/5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"]))
    # Every value on its own.
    configuration = bench.configuration(broker.port, rules)
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")
    broadcasters = Broadcasters(bench, radio)
    wait_for("all addresses advertise", broadcasters.ready, 120)
    addresses = broadcasters.ready()[0]["addresses"]
    check(addresses >= 200, f"only {addresses} addresses")
    wait_for("the attacks have begun", lambda: broadcasters.events("attacking"), 60)

    def refused():
        sensors = (gateway.status() or {"collector": {"sensors": []}})["collector"]["sensors"]
        counts = {sensor["address"]: sensor.get("refused") or {} for sensor in sensors}
        return (counts.get(ours[-1], {}).get("replayed", 0) > 20
                and counts.get(ours[-2], {}).get("not-encrypted", 0) > 20)
    wait_for("the attackers' packets are refused", refused, 120)
    wait_for("all sensors are heard often", lambda: all(
        count >= 20 for count in by_device(consumer, ours).values()), 120)

    wait_for("all links carry values", lambda: all(len(sensor.sent()) >= 20 for sensor in linked), 120)

    status = broadcasters.process.end(timeout=60)
    finished = broadcasters.events("finished")
    check(status == 0 and finished and not finished[0]["failures"], f"broadcasters: {status}, {finished}")
    for sensor in linked:
        sensor.stop()
    wait_until_delivered(linked, consumer, 30)
    books = gateway.status()
    gateway.stop()
    for sensor in linked:
        check_exact(sensor, [reading for reading in consumer.readings() if reading["dev"] == sensor.dev])
    compare(consumer.readings(), broadcasters.events("sent"), books, ours, [sensor.dev for sensor in linked])
    journal = books["journal"]
    check(journal["received"] == journal["delivered"] + journal["buffered"] + sum((journal.get("dropped") or {}).values())
          + journal.get("waiting", 0), f"the ledger does not balance: {journal}")
    return (f"{len(consumer.readings())} readings of {len(ours)} sensors among {addresses} addresses, "
            f"beside {LINKED} links")


def device(address):
    return address.replace(":", "").lower()


def by_device(consumer, addresses):
    counts = collections.Counter(reading["dev"] for reading in consumer.readings())
    return {address: counts[device(address)] for address in addresses}


def compare(readings, sent, books, ours, linked):
    strangers = {reading["dev"] for reading in readings} - {device(address) for address in ours} - set(linked)
    check(not strangers, f"readings of strangers: {strangers}")
    numbers = collections.Counter((event["address"], event["number"]) for event in sent)
    status = {sensor["address"]: sensor for sensor in books["collector"]["sensors"]}
    kinds = {event["address"]: event["kind"] for event in sent}
    for address in ours:
        is_ruuvi = kinds[address] == "ruuvi"
        of_one = sorted((reading for reading in readings if reading["dev"] == device(address)),
                        key=lambda reading: reading["n"])
        # What the temperature says, which counts with the number.
        steps = [round((reading["temperature"] - 20) * (200 if is_ruuvi else 100)) for reading in of_one]
        check(all(0 <= step for step in steps), f"{address}: {steps}")
        check(all(later > earlier for earlier, later in zip(steps, steps[1:])), f"{address}: out of order: {steps}")
        check(all((address, step) in numbers for step in steps), f"{address}: never sent: {steps}")
        check(steps[-1] >= max(number for sender, number in numbers if sender == address) - 4,
              f"{address}: the last values are missing: {steps[-5:]}")
        if is_ruuvi:
            missed = sum(later - earlier - 1 for earlier, later in zip(steps, steps[1:]))
            gap = status[address].get("gap") or 0
            check(gap == missed, f"{address}: {missed} numbers are missing, {gap} were counted")


def by_the_page(bench):
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    page = (ROOT / "docs" / "sensors.md").read_text()
    section = page.split("## From an LYWSD03MMC", 1)[1].split("A configuration file does the same", 1)[0]
    commands = [line.strip() for block in re.findall(r"```\n(.*?)```", section, re.DOTALL) for line in block.splitlines()
                if line.strip()]
    accepts = next(shlex.split(command) for command in commands if command.startswith("martlet accept "))
    address, sensor = accepts[2], accepts[4]
    configuration = bench.configuration(broker.port, [])
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")
    wait_for("the gateway answers", gateway.status, 60)
    thermometer = bench.start("lywsd03mmc", [
        PYTHON, RIG_SOURCES / "lywsd03mmc.py", "--transport", f"tcp-client:127.0.0.1:{radio}", "--key", KEY])
    thermometer.expect("ready ", 60)
    # Everybody's thermometer has an address of its own.
    own = re.search(r"ready (\S+)", thermometer.text())[1]
    commands, address = [command.replace(address, own) for command in commands], own

    def run(command):
        words, typed = shlex.split(command), None
        if words[0] == "martlet":
            words = [bench.martlet, *words[1:], "--config", configuration]
            typed = f"{KEY}\n" if words[1] == "key" else None
        else:
            words = [program(words[0]), *words[1:], "-p", str(broker.port), "-C", "3", "-W", "60"]
        done = subprocess.run(words, input=typed, capture_output=True, text=True, timeout=90)
        check(done.returncode == 0, f"{command}: {done.returncode}, {done.stdout}{done.stderr}")
        check(KEY not in done.stdout + done.stderr, f"{command} shows the key")
        return done.stdout
    shown = {}
    for command in commands:
        if command == "martlet devices":
            # Who has just begun to listen has heard nothing yet, and says so.
            wait_for("the thermometer is among the devices", lambda: any(
                address in line and "mibeacon" in line for line in run(command).splitlines()), 60)
        elif command == "martlet status":
            wait_for("its values are known", lambda: "21.4" in run(command), 60)
        shown[command] = run(command)
    message = [line for line in shown[commands[-1]].splitlines() if line.startswith(f"martlet/dev/{sensor}/")]
    check(message, f"nothing was published: {shown[commands[-1]]}")

    def values():
        found = {}
        for topic, payload in consumer.messages:
            if topic.startswith(f"martlet/dev/{sensor}/") and payload.startswith(b"{"):
                found |= json.loads(payload)
        return found.get("temperature") == 21.4 and found.get("humidity") == 48
    wait_for("both values are published", values, 60)
    check(KEY not in gateway.process.text(), "the key is in the log")
    gateway.stop()
    kept = [path for path in bench.folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    check(len(kept) == 1 and kept[0].stat().st_mode & 0o077 == 0, f"the key can be read by others: {kept}")
    return f"{len(commands)} commands of the page: {message[-1]}"
