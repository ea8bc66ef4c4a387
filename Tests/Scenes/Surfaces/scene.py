# SPDX-License-Identifier: Apache-2.0
"""One gateway with its sensors, its broker and its disk, all of which a situation may spoil; and the surfaces that tell of it."""
import contextlib
import signal
import sqlite3
import time

from around import Disk, Mosquitto, Way
from beacon import Beacons, bthome
from harness import Failed, check, free_ports, wait_for
from agreement import look
from led import NAME as LED_NAME, LED
from phone_view import PhoneView
from surfaces import Broker, ServiceLine, Surfaces, key_of

# Losses are told of for an hour, so they outlive their situation.
RESIDUE = {"values-missing", "readings-dropped", "values-unconfirmed"}
# In the text of a problem that is shown and over.
OVER = "; it is over now, and watched for a while"
# Seconds for which surfaces that are told by messages may be behind.
BEHIND = 15
COUNTER = "5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10/5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"
FICKLE, STEADY = "F0:00:07:00:00:01", "F0:00:07:00:00:02"


def climate(number, battery=None, humidity=True):
    """A packet of a thermometer: 20 °C and a little more each second."""
    objects = ["02" + (2000 + number % 100).to_bytes(2, "little").hex()]
    if battery is not None:
        objects.insert(0, f"01{battery:02x}")
    if humidity:
        objects.append("03" + (5000).to_bytes(2, "little").hex())
    return bthome(number, *objects)


class Scene:
    """The gateway and all around it."""

    SENSORS = {"fickle": FICKLE, "steady": STEADY}

    def __init__(self, bench):
        self.bench = bench
        self.broker = Mosquitto(bench)
        self.way = Way(self.broker.port)
        self.disk = Disk(bench.folder)
        self.led = LED(bench.folder)
        self.phone = PhoneView(bench)
        self.views = self.situation = None  # Pictures of the page, of this situation.
        self.machine = None  # Another machine that the gateway is to find.
        self.reader = None  # Of the journal's file.
        self.has_phone = True  # False where a situation leaves the phone no radio to be relied upon.
        self.line = ServiceLine(bench.short / "notify")
        self.watcher = Broker(self.broker.port)
        self.broker.way, self.broker.watcher = self.way, self.watcher
        self.beacons = Beacons()
        self.page, self.air = free_ports(), free_ports()
        self.radio = None
        self.radios = self.starts = 0
        self.differences = 0  # looks that had to be repeated
        self.looks = 0
        self.is_over = False
        self.start_radio()
        self.beacons.add("fickle", FICKLE, climate)
        self.beacons.add("steady", STEADY, climate)
        self.gateway = None
        self.configure()
        self.surfaces = Surfaces(bench, self.path, self.page, self.watcher, self.line)
        self.surfaces.led, self.surfaces.phone = self.led, self.phone
        self.start()

    # What is around it

    def start_radio(self, *options, sensors=2):
        """A virtual radio in place of the one before, with two sensors with links, or so many, and one with a key."""
        if self.radio:
            self.stop_radio()
        self.radios += 1
        self.radio = self.bench.start(f"radio-{self.radios}", [
            self.bench.martlet, "virtual-radio", "--listen", f"tcp:{self.air}", "--kind", "counter", "--sensors", sensors,
            "--advertiser", "bthome", *options])
        self.radio.expect("advertiser ", 30)
        words = [line.split() for line in self.radio.output.read_text().splitlines()]
        self.linked = [word[1] for word in words if word[0] == "sensor"]
        self.sealed, self.key = next((word[1], word[4]) for word in words if word[0] == "advertiser")
        self.beacons.move(self.air)

    def stop_radio(self):
        self.phone.leave()
        self.radio.end()

    def configure(self, mqtt="", clock="require_sync = false", extra="", sensors=None, fickle="silent_after_s = 10", sealed=None,
                  feed=COUNTER, port=None, name="gw-interop"):
        """Writes the configuration. `extra` is TOML behind it; `sensors`: entries in place of the usual ones; `name` None: the gateway
        makes its name by itself."""
        entries = "".join(
            f'\n[[sensor]]\nid = "link-{number}"\naddress = "{address}"\nsubscribe = ["{feed}"]\nsilent_after_s = 10\n'
            for number, address in enumerate(self.linked))
        entries += f'\n[[sensor]]\nid = "sealed"\naddress = "{self.sealed}"\nbindkey = "{sealed or self.key}"\nsilent_after_s = 10\n'
        entries += f'\n[[sensor]]\nid = "fickle"\naddress = "{FICKLE}"\n{fickle}\n'
        entries += f'\n[[sensor]]\nid = "steady"\naddress = "{STEADY}"\nsilent_after_s = 10\n'
        state = self.bench.folder / "state"
        state.mkdir(exist_ok=True)
        self.path = self.bench.folder / "martlet.toml"
        self.path.touch(0o600)
        self.path.write_text(
            (f'[gateway]\nid = "{name}"\n\n' if name else "")
            + f'[bluetooth]\nstate_directory = "{state}"\n\n'
            f'[journal]\npath = "{self.disk.folder}/journal/journal.db"\ncommit_interval_ms = 200\n\n'
            f'[mqtt]\nhost = "127.0.0.1"\nport = {port or self.way.port}\nusername = "gateway"\npassword = "gateway"\n{mqtt}\n'
            f'[home_assistant]\ndiscovery = "device"\n\n[clock]\n{clock}\n\n'
            f'[control]\nsocket = "{self.bench.short}/control.sock"\n\n[page]\nlisten = "127.0.0.1:{self.page}"\n\n'
            f'[provisioning]\nled = "{LED_NAME}"\n'
            + (entries if sensors is None else sensors) + extra)
        (self.disk.folder / "journal").mkdir(exist_ok=True)

    def start(self):
        self.starts += 1
        words = [self.bench.martlet, "run", "--config", self.path, "--controller", f"tcp:127.0.0.1:{self.air}"]
        self.gateway = self.bench.start(
            f"martlet-{self.starts}", self.machine.command(words) if self.machine else words, self.line.environment)
        self.surfaces.gateway = self.gateway
        self.gateway.expect("the page is served", 60)

    def stop(self):
        status = self.gateway.end(timeout=20)
        check(status == 0, f"martlet ended with status {status} after SIGTERM")

    def restart(self, **configuration):
        """The same gateway with settings that a reload does not take."""
        self.stop()
        self.configure(**configuration)
        self.start()

    def reload(self, **configuration):
        self.configure(**configuration)
        count = self.gateway.text().count("configuration reloaded")
        self.gateway.process.send_signal(signal.SIGHUP)
        wait_for("the configuration is read again", lambda: self.gateway.text().count("configuration reloaded") > count, 20)

    def fill_disk(self):
        """Others fill the disk. The journal of a gateway that delivers needs no more room than it has, and goes on: a reader of its
        file that does not end lets it use nothing again."""
        self.restart()
        self.is_ready()
        self.reader = sqlite3.connect(f"file:{self.disk.folder}/journal/journal.db?mode=ro", uri=True, isolation_level=None,
                                      check_same_thread=False)
        for line in ("BEGIN", "SELECT count(*) FROM sqlite_master"):
            self.reader.execute(line).fetchall()
        self.disk.leave(0)

    def free_disk(self):
        self.disk.free()
        if self.reader:
            self.reader.close()
            self.reader = None

    def say(self, *words):
        """A command of an operator, on the gateway's machine, which has to succeed."""
        code, text, errors = self.surfaces.run_whole(*words, machine=self.machine)
        check(code == 0, f"martlet {' '.join(words)} ends with {code}: {text}{errors}")

    # What it says

    def agreed(self):
        """A status that all surfaces agree with. Fails when surfaces disagree at once, or messages stay behind."""
        deadline, since = time.monotonic() + 120, None
        while True:
            check(self.gateway.alive(), "martlet ended: " + self.gateway.text()[-1000:])
            self.looks += 1
            seen = look(self.surfaces)
            now = time.monotonic()
            if seen is None:
                self.differences += 1
                check(now < deadline, "the status never stays the same while the other surfaces are read")
                continue
            status, at_once, later = seen
            check(not at_once, "; ".join(at_once))
            if not later:
                return status
            since = since or now
            check(now - since < BEHIND, f"for {BEHIND} s: " + "; ".join(later))

    def shown(self, status):
        """The problems that there are, without those that are over and watched for a while."""
        return {key_of(problem) for problem in status["problems"]
                if problem["code"] not in RESIDUE and OVER not in problem["text"]}

    def shows(self, *problems, seconds=60, **states):
        """Waits until all surfaces show exactly these problems and, of sensors, these states; each look on the way has to agree.
        A problem is a code, or a code and a sensor."""
        wanted = {problem if isinstance(problem, tuple) else (problem, None) for problem in problems}
        wanted_states = {name.replace("_", "-"): state for name, state in states.items()}
        deadline = time.monotonic() + 3 * seconds
        while True:
            status = self.agreed()
            found = {sensor["id"]: sensor["health"] for sensor in status["collector"]["sensors"]}
            seen = {name: found.get(name) for name in wanted_states}
            if self.shown(status) == wanted and seen == wanted_states:
                if not self.reaches_phone(status):
                    self.takes_picture(status)
                    return status
                continue
            if time.monotonic() > deadline:
                raise Failed(f"after {3 * seconds} s {sorted(map(str, self.shown(status)))} are shown and not "
                             f"{sorted(map(str, wanted))}, sensors are {found}, wanted {wanted_states}")
            time.sleep(0.3)

    def is_ready(self):
        """All sensors are heard, and the broker is there: where each situation begins."""
        def holds():
            status = self.surfaces.status()
            fresh = {sensor["id"] for sensor in status["collector"]["sensors"] if sensor["health"] == "fresh"}
            if "sealed" not in fresh:
                # A new radio's sensor with a key counts from the beginning, and may send what it has sent before: like a recording.
                self.surfaces.run("trust", "sealed")
            return len(fresh) == 5 and status["mqtt"]["connected"]
        wait_for("all sensors are heard", holds, 60)

    def hears_sealed(self):
        """A new radio's sensor with a key counts from the beginning, like a recording: an operator trusts it."""
        def holds():
            fresh = any(sensor["id"] == "sealed" and sensor["health"] == "fresh"
                        for sensor in self.surfaces.status()["collector"]["sensors"])
            if not fresh:
                self.surfaces.run("trust", "sealed")
            return fresh
        wait_for("the sensor with a key is heard", holds, 60)

    def takes_picture(self, status, port=None):
        """The first look of a situation with a problem is kept as a picture."""
        codes = self.shown(status)
        if self.views and self.situation and codes:
            problem = next(problem for problem in status["problems"] if key_of(problem) in codes)
            self.views.take(port or self.page, self.situation, problem["title"])
            self.situation = None

    def reaches_phone(self, status):
        """Gives the phone a link where it has none; whether it did."""
        if not self.has_phone or self.phone.is_linked or status["controller"]["state"] != "powered on":
            return False
        self.phone.link(self.air, self.path)
        return True

    def phone_has_log(self):
        """The newest lines of the log, as the phone reads them, are those of the log."""
        lines = self.phone.log()
        if lines is None:
            return
        log = self.gateway.errors.read_text(errors="replace")
        # Each reader of the log has a time stamp of its own, and the phone's lines are cut.
        unknown = [line for line in lines if line.strip().partition(" ")[2][:360] not in log]
        check(lines and not unknown, f"the phone has lines that the log does not have: {unknown}")

    def shows_either(self, *choices, seconds=60):
        """Waits until one of these sets of problems has been shown for the whole time, or the first of them is shown at once."""
        deadline = time.monotonic() + seconds
        while True:
            status = self.agreed()
            codes = {code for code, _ in self.shown(status)}
            if codes == choices[0] or time.monotonic() > deadline and codes in choices:
                return status
            check(time.monotonic() < deadline, f"after {seconds} s {codes} are shown, and none of {choices}")

    def watches(self, seconds):
        """Looks again and again for so long: whatever is shown, all surfaces agree."""
        end = time.monotonic() + seconds
        shown = set()
        while time.monotonic() < end:
            shown |= self.shown(self.agreed())
        return shown

    def events(self, code=None):
        """Changes of problems over MQTT, the oldest first: code, sensor and outcome."""
        with self.watcher.lock:
            return [(event["code"], event.get("sensor"), event["outcome"]) for event in self.watcher.events
                    if event["event"] == "problem" and code in (None, event["code"])]

    def recover(self):
        """After a failure: all that a situation may have spoiled is mended, for the next one."""
        self.way.hold = False
        self.surfaces.has_twin = self.surfaces.is_muted = False
        for name in ("fickle", "steady"):
            self.beacons.all[name].packet = climate
        self.broker.access.write_text(self.broker.OPEN)
        self.broker.stop()
        self.broker.start()
        if self.gateway.alive():
            self.gateway.end(timeout=20)
        if not self.disk.takes_writes():
            with contextlib.suppress(OSError):
                self.free_disk()
            if not self.disk.takes_writes():
                self.disk.repair()
        self.free_disk()
        self.start_radio()
        self.configure()
        self.start()
        # The new radio's sensor with a key counts from the beginning, and would be refused as a recording.
        deadline = time.monotonic() + 60
        while self.surfaces.run("trust", "sealed")[0] != 0 and time.monotonic() < deadline:
            time.sleep(1)
        # A word of an operator outlives the gateway.
        self.surfaces.run("maintenance", "fickle", "--end")
        self.surfaces.run("acknowledge", "disk-full", "--end")

    def close(self):
        if self.views:
            self.views.close()
        self.phone.close()
        self.led.close()
        self.beacons.close()
        self.watcher.close()
        self.line.close()
        self.way.close()
        self.free_disk()
        self.bench.close()
        self.disk.close()
