#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [FOLDER] - sensors and gateway in a real Home Assistant, by a real broker.

Home Assistant 2024.3, which Debian 12's Python runs, comes from PyPI into a virtual environment below .build; it knows discovery by
entities. FOLDER is a Debian 13 that current.sh has made, with a current one, which knows devices. Sensors are played by
Bumble over RootCanal. Logs lie in .rig/logs/home-assistant.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Rig"))
from harness import PYTHON, RIG_SOURCES, Bench, Failed, Gateway, Sensor, check, free_ports, program, wait_for  # noqa: E402

VENV = ROOT / ".build" / "home-assistant-venv"
BUTTON, DOOR = "F0:00:05:00:00:01", "F0:00:05:00:00:02"
GATEWAY = "martlet_gw-interop"


class Edition:
    """A Home Assistant: how probe.py is started in it, and what it is to be told."""

    def __init__(self, root=None):
        self.root = root
        self.discovery = "device" if root else "entity"
        self.python = None if root else interpreter()
        if root:
            shutil.copy(HERE / "probe.py", root / "opt" / "probe.py")
            shutil.rmtree(root / "opt" / "registry", ignore_errors=True)

    def command(self, bench, *arguments):
        if not self.root:
            return [self.python, HERE / "probe.py", *arguments]
        return ["chroot", self.root, "/opt/ha/bin/python", "/opt/probe.py", *arguments]

    def registry(self, bench):
        return "/opt/registry" if self.root else bench.folder / "home-assistant"


def interpreter():
    """The Python of the virtual environment, which has what requirements.txt says."""
    wanted = (HERE / "requirements.txt").read_text()
    mark = VENV / "installed.txt"
    if not mark.exists() or mark.read_text() != wanted:
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check",
                        "--use-pep517", "-r", HERE / "requirements.txt"], check=True)
        mark.write_text(wanted)
    return VENV / "bin" / "python"


class HomeAssistant:
    """probe.py as a process. Its registries outlive it."""

    # Each process has an output of its own: two of one name would write into one file.
    numbers = itertools.count(1)

    def __init__(self, bench, edition, port):
        self.bench, self.edition, self.port = bench, edition, port
        self.start()

    def start(self):
        name = f"home-assistant-{next(self.numbers)}"
        self.process = self.bench.start(
            name, self.edition.command(
                self.bench, self.edition.registry(self.bench), self.port, free_ports()), stdin=subprocess.PIPE)
        self.process.expect("ready", 60)
        self.seen = 1

    def stop(self):
        self.process.process.stdin.close()
        check(self.process.process.wait(30) == 0, "Home Assistant failed: " + self.process.text()[-1000:])

    def look(self):
        return self.ask("dump")

    def ask(self, question):
        """The answer to a line: "dump", or an object of what a person answers when the MQTT integration is added."""
        stdin = self.process.process.stdin
        stdin.write((question if isinstance(question, str) else json.dumps(question)).encode() + b"\n")
        stdin.flush()

        def answer():
            lines = self.process.output.read_text().splitlines(keepends=True)
            return lines[self.seen] if len(lines) > self.seen and lines[self.seen].endswith("\n") else None
        line = wait_for("Home Assistant answers", answer, 30)
        self.seen += 1
        return json.loads(line)

    def state(self, unique_id):
        """The state of an entity with its attributes; None where there is none."""
        seen = self.look()
        entity = seen["entities"].get(unique_id)
        return seen["states"].get(entity["entity_id"]) if entity else None

    def await_state(self, unique_id, state, timeout=60):
        def has():
            found = self.state(unique_id)
            return found and found["state"] == state and found
        try:
            return wait_for(f"{unique_id} is {state}", has, timeout)
        except Failed as failure:
            raise Failed(f"{failure}; it is {self.state(unique_id)}") from None

    def complaints(self):
        # Versions with devices clear the topic of a device that vanishes once more themselves, and then wonder about it.
        return [line for line in self.process.errors.read_text().splitlines()
                if line.startswith(("WARNING", "ERROR")) and "No device components to cleanup" not in line]


class Device:
    """bthome.py as a process."""

    def __init__(self, bench, radio, address, name):
        self.process = bench.start(name, [
            PYTHON, RIG_SOURCES / "bthome.py", "--transport", f"tcp-client:127.0.0.1:{radio}", "--address", address],
            stdin=subprocess.PIPE)
        self.process.expect("ready", 60)
        self.dev = address.replace(":", "").lower()

    def advertise(self, octets):
        self.process.process.stdin.write(octets.encode() + b"\n")
        self.process.process.stdin.flush()
        self.process.expect(f"advertising {octets}", 30)


def quantities(bench, edition):
    """The table of docs/home-assistant.md, held against Home Assistant's own tables."""
    page = (ROOT / "docs" / "home-assistant.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\S+) \| (\S+) \| (\S+) \| [\w, –]+ \|$", page, re.MULTILINE)
    check(len(rows) > 150, f"only {len(rows)} quantities in the table")
    lines = "".join("|".join(cell.replace("–", "") for cell in row) + "\n" for row in rows)
    answer = subprocess.run(
        [str(word) for word in edition.command(bench, "--quantities")], input=lines, capture_output=True, text=True)
    check(answer.returncode == 0, answer.stdout + answer.stderr)
    return answer.stdout.strip()


def flashed(bench, version):
    """A command that runs the one behind it where a flashed image of this version seems to be: with another /etc."""
    folder = bench.folder / "etc"
    folder.mkdir(exist_ok=True)
    script = f"""set -e
        mount -t tmpfs tmpfs {folder}
        mkdir {folder}/upper {folder}/work
        mount -t overlay overlay -o lowerdir=/etc,upperdir={folder}/upper,workdir={folder}/work /etc
        mkdir -p /etc/rauc
        touch /etc/rauc/system.conf
        cp -L /etc/os-release {folder}/os-release
        echo IMAGE_VERSION={version} >>{folder}/os-release
        rm /etc/os-release
        cp {folder}/os-release /etc/os-release
        exec "$@"
    """
    return ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c", script, "sh"]


def report(configuration, **update):
    """Tells the gateway of an update, as `martlet update` does."""
    path = re.search(r'socket = "(.+)"', configuration.read_text())[1]
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(10)
        control.connect(path)
        control.sendall(json.dumps({"command": "update", "report": update}).encode() + b"\n")
        answer = json.loads(control.makefile().readline())
    check(answer["ok"], answer)


def announce(home, sensor, values, entity):
    """Sends packets until the entity is there, which the second one brings about; the number of the last."""
    for number in range(1, 100):
        sensor.advertise(f"4400{number:02x}{values}")
        time.sleep(1)
        if home.state(entity):
            return number
    check(False, f"{entity} is not there after 99 packets")


def see(bench, edition):
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    # For who looks for a failure: what is said on the topics of discovery, with time, retained or not, and length.
    bench.start("discovery", [program("mosquitto_sub"), "-p", broker.port, "-t", "homeassistant/#", "-F", "%U %r %t %l"])
    home = HomeAssistant(bench, edition, broker.port)
    climate = Sensor(bench, radio, 1, "environment", 1)
    button, door = Device(bench, radio, BUTTON, "button"), Device(bench, radio, DOOR, "door")
    button.advertise("44013a")
    configuration = bench.configuration(
        broker.port, [(f'address = "{climate.address}"\nid = "living-room"', ["181a/2a6e", "181a/2a6f"])],
        extra=f'\n[[sensor]]\naddress = "{BUTTON}"\n\n[[sensor]]\naddress = "{DOOR}"\n'
        f'\n[home_assistant]\ndiscovery = "{edition.discovery}"\n'
        '\n[mqtt.commands]\nallow = ["restart"]\n')
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}", inside=flashed(bench, "1.4"))

    # A sensor with a link: unit, class, value, device.
    temperature = "martlet_living-room_temperature"
    wait_for("the climate sensor's temperature", lambda: is_number(home.state(temperature)), 90)
    found = home.state(temperature)
    check(found["unit_of_measurement"] == "°C" and found["device_class"] == "temperature"
          and found["state_class"] == "measurement" and found["friendly_name"] == "Living room Temperature", found)
    device = home.look()["devices"]["martlet_living-room"]
    check(device["via"] == GATEWAY and device["connections"] == [["bluetooth", climate.address]], device)
    check(home.look()["entities"]["martlet_living-room_rssi"]["disabled_by"], "the signal strength is not for everybody")
    wait_for("the humidity", lambda: is_number(home.state("martlet_living-room_humidity")), 30)

    # Sensors that advertise: yes or no, a level, events that fire once each, and again.
    battery, window = f"martlet_{door.dev}_battery", f"martlet_{door.dev}_window"
    number = announce(home, door, "0164" + "2d01", window)
    found = home.await_state(window, "on")
    check(found["device_class"] == "window", found)
    door.advertise(f"4400{number + 1:02x}" + "0163" + "2d00")
    home.await_state(window, "off")
    check(home.await_state(battery, "99")["device_class"] == "battery", "the battery's class")
    check(home.look()["entities"][battery]["category"] == "diagnostic", "a battery is diagnostic")
    pressed = f"martlet_{button.dev}_button"
    number = announce(home, button, "3a01", pressed)
    times = set()
    for number, (code, event) in enumerate([("04", "long_press"), ("02", "double_press"), ("02", "double_press")], number + 1):
        button.advertise(f"4400{number:02x}3a{code}")
        found = wait_for(f"the button fires {event}", lambda: (
            (state := home.state(pressed)) and state.get("event_type") == event and state["state"] not in times
            and state), 30)
        times.add(found["state"])

    # The gateway.
    home.await_state(f"{GATEWAY}_connectivity", "on")
    wait_for("the gateway's books", lambda: is_number(home.state(f"{GATEWAY}_received")), 90)
    check(home.state(f"{GATEWAY}_dropped")["state"] == "0", home.state(f"{GATEWAY}_dropped"))
    check(home.state(f"{GATEWAY}_restart"), "the gateway has a button that restarts it")
    check(home.state(f"{GATEWAY}_clock")["state"] in ("synced", "holdover"), home.state(f"{GATEWAY}_clock"))
    slots = wait_for("the gateway's links", lambda: is_number(home.state(f"{GATEWAY}_slots_used"))
                     and home.state(f"{GATEWAY}_slots_used"), 90)
    check(slots["state"] == "1", slots)

    # An update of the image: seen, under way, and failed.
    update = f"{GATEWAY}_update"
    found = home.await_state(update, "off")
    check(found["installed_version"] == found["latest_version"] == "1.4", found)
    report(configuration, state="installing", version="1.5", percentage=40)
    found = home.await_state(update, "on")
    check(found["latest_version"] == "1.5" and found["title"] == "Martlet", found)
    if edition.root:
        # Versions before know no progress.
        check(found["in_progress"] is True and found["update_percentage"] == 40, found)
    report(configuration, state="failed", version="1.5", error="the disk is full")
    wait_for("the update is over", lambda: home.state(update)["in_progress"] is False, 30)

    # A restart of Home Assistant: the door says nothing new meanwhile, and is known all the same.
    home.stop()
    complaints = home.complaints()
    home.start()
    restarted = time.monotonic()
    home.await_state(window, "off", 30)
    home.await_state(battery, "99", 30)
    wait_for("the temperature after a restart", lambda: is_number(home.state(temperature)), 30)
    back = time.monotonic() - restarted

    # A sensor that dies, and the gateway.
    climate.process.end(signal.SIGKILL)
    home.await_state(temperature, "unavailable", 90)
    check(home.state(window)["state"] == "off", "one sensor's end is no other's")
    gateway.kill()
    home.await_state(window, "unavailable", 90)
    home.await_state(f"{GATEWAY}_connectivity", "off", 10)
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}", name="martlet-2", inside=flashed(bench, "1.4"))
    door.advertise("44" + "00ff" + "0162" + "2d01")
    home.await_state(window, "on", 90)

    # A sensor that is not wanted any more is gone, with all that was retained; others stay.
    text = configuration.read_text()
    configuration.write_text(text.replace(f'[[sensor]]\naddress = "{BUTTON}"\n', ""))
    gateway.process.process.send_signal(signal.SIGHUP)
    wait_for("the button vanishes", lambda: pressed not in home.look()["entities"]
             and f"martlet_{button.dev}" not in home.look()["devices"], 30)
    check(home.state(window)["state"] == "on", "the door stays")

    # Switched off, nothing stays.
    configuration.write_text(configuration.read_text().replace(f'"{edition.discovery}"', '"off"'))
    gateway.process.process.send_signal(signal.SIGHUP)
    wait_for("everything vanishes", lambda: not any(
        name.startswith("martlet") for name in home.look()["devices"]), 60)
    retained = subprocess.run(
        [program("mosquitto_sub"), "-p", str(broker.port), "-t", "homeassistant/#", "--retained-only", "-W", "2", "-F", "%t"],
        capture_output=True, text=True).stdout.split()
    check(not retained, f"the broker still has {retained}")
    gateway.stop()
    home.stop()
    complaints += home.complaints()
    check(not complaints, "Home Assistant complains: " + "; ".join(complaints[:5]))
    # What a program finds that listens without Home Assistant.
    check(len(consumer.readings()) > 10, "readings arrive as ever")
    return f"values are back {back:.0f} s after a restart of Home Assistant"


def is_number(state):
    try:
        return state is not None and float(state["state"]) is not None
    except ValueError:
        return False


def main():
    if sys.argv[1:] == ["--prepare"]:
        interpreter()
        return 0
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    started = time.monotonic()
    edition = Edition(pathlib.Path(sys.argv[2]).absolute() if len(sys.argv) == 3 else None)
    bench = Bench("home-assistant", pathlib.Path(sys.argv[1]).absolute())
    try:
        said = [quantities(bench, edition), see(bench, edition)]
    except Failed as failure:
        print(f"FAIL home-assistant: {failure}\n     logs: {bench.folder}", flush=True)
        return 1
    finally:
        bench.close()
    print(f"PASS home-assistant ({time.monotonic() - started:.0f} s): {', '.join(said)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
