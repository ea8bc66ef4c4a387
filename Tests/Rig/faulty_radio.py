# SPDX-License-Identifier: Apache-2.0
"""`martlet virtual-radio` with faults, and a consumer that knows every reading it got: for what takes minutes or hours."""
import json
import re
import subprocess
import time

from harness import COUNTER_SERVICE, COUNTER_VALUE, Failed, check, free_ports, program, wait_for

FEED = f"{COUNTER_SERVICE}/{COUNTER_VALUE}"


def catalogue(martlet):
    """The presets and faults that `martlet virtual-radio` knows."""
    answer = subprocess.run([martlet, "virtual-radio", "--list-faults", "--json"], capture_output=True, text=True)
    check(answer.returncode == 0, f"martlet virtual-radio --list-faults says: {answer.stderr}")
    return json.loads(answer.stdout)


def topic_of(address):
    return address.replace(":", "").lower()


class FaultyRadio:
    """Sensors that number their values and sensors that advertise, behind one controller with faults."""

    def __init__(self, bench, sensors, advertisers, preset="standard", faults=(), name="radio", links=None):
        port = free_ports()
        command = [bench.martlet, "virtual-radio", "--listen", f"tcp:{port}", "--kind", "counter", "--sensors", sensors,
                   "--controller", preset]
        for family in advertisers:
            command += ["--advertiser", family]
        for fault in faults:
            command += ["--fault", fault]
        if links is not None:
            command += ["--links", links]
        self.process = bench.start(name, command)
        self.controller = f"tcp:127.0.0.1:{port}"

        def listed():
            text = self.process.text()
            linked = re.findall(r"^sensor (\S+)", text, re.MULTILINE)
            heard = re.findall(r"^advertiser (\S+)", text, re.MULTILINE)
            check(self.process.alive(), f"the virtual radio ended: {text[-500:]}")
            return (linked, heard) if len(linked) == sensors and len(heard) == len(advertisers) else None
        self.linked, self.heard = wait_for("the virtual radio is ready", listed, 30)

    @property
    def struck(self):
        """Faults that have struck, in order."""
        return re.findall(r"^fault (\S+)$", self.process.output.read_text(), re.MULTILINE)

    def rules(self):
        """An entry a sensor for the gateway's configuration, as TOML."""
        text = ""
        for address in self.linked:
            text += (f'\n[[sensor]]\naddress = "{address}"\nsubscribe = ["{FEED}"]\n'
                     f'sequence = {{ characteristic = "{FEED}", offset = 0, length = 4 }}\n')
        for address in self.heard:
            text += f'\n[[sensor]]\naddress = "{address}"\n'
        return text


class Archive:
    """A subscriber with a persistent session (mosquitto_sub). It keeps of each reading its number and, where the sensor
    numbers its values, that; and when something of a sensor came last."""

    def __init__(self, bench, broker, name="archive"):
        self.process = bench.start(name, [
            program("mosquitto_sub"), "-p", broker.port, "-q", 1, "-c", "-i", name, "-F", "%t %p",
            "-t", "martlet/dev/+/state", "-t", "martlet/dev/+/history"])
        self.offset = 0
        self.rest = b""
        self.numbers = set()   # n of readings
        self.own = {}          # dev: the sensors' own numbers
        self.newest = {}       # dev: milliseconds since boot at which its newest reading was received
        self.repeats = 0

    def read(self):
        """Takes in what has come since the last time."""
        with open(self.process.output, "rb") as file:
            file.seek(self.offset)
            text = file.read()
        self.offset += len(text)
        *lines, self.rest = (self.rest + text).split(b"\n")
        for line in lines:
            payload = json.loads(line.split(b" ", 1)[1])
            for reading in payload if isinstance(payload, list) else [payload]:
                self._add(reading)

    def _add(self, reading):
        dev, n = reading["dev"], reading["n"]
        if n in self.numbers:
            self.repeats += 1
            return
        self.numbers.add(n)
        self.newest[dev] = max(self.newest.get(dev, 0), reading["up_ms"])
        if "raw" in reading:
            self.own.setdefault(dev, set()).add(int.from_bytes(bytes.fromhex(reading["raw"])[:4], "little"))

    @property
    def lost(self):
        """Values that sensors have numbered and that never came: holes between those that did."""
        return sum(max(own) - min(own) + 1 - len(own) for own in self.own.values() if own)


def counted_gaps(status, radio):
    """Values of sensors with links that never came, as the gateway counts them. Packets of those that advertise are not
    values: most of them repeat what was said."""
    linked = {topic_of(address) for address in radio.linked}
    return sum(sensor.get("gap") or 0 for sensor in status["collector"]["sensors"] if sensor["id"] in linked)


def uptime_ms():
    """The clock of `up_ms`."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


def audit(martlet, configuration):
    """The books of all sensors together."""
    answer = subprocess.run([martlet, "audit", "--json", "--config", configuration], capture_output=True, text=True)
    check(answer.stdout, f"martlet audit says: {answer.stderr}")
    report = json.loads(answer.stdout)
    report["balances"] = answer.returncode == 0
    return report


__all__ = ["Archive", "Failed", "FaultyRadio", "audit", "catalogue", "counted_gaps", "topic_of", "uptime_ms"]
