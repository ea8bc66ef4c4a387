#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""from_card.py MARTLET FOLDER [file] [phone] - docs/flashing.md as it stands there, from a card on which nobody has put anything to a sensor in Home Assistant.

Twice: set up by the phone's page, in headless Chromium with `martlet-peer` as the phone's Bluetooth, and by the file on the card. Steps, names
of buttons, files, lines to type and what is to be seen come from the document; where it does not have them, this is a failure. What is not
here: the writing of the card, the board (the image's scripts run in folders of this machine), its monitor and its WLAN, which is played.
FOLDER is the Debian with a current Home Assistant that current.sh has made. Needs .rig, and root. Logs lie in .rig/logs/from-card.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "Rig"), str(HERE.parents[1] / "Rig" / "browser"), str(HERE.parent / "Interop")]
from card import WLAN, Board  # noqa: E402
from harness import PYTHON, RIG_SOURCES, ROOT, Bench, Failed, check, free_ports, program, wait_for  # noqa: E402
from page import apply, at_the_page, find, network, no_secrets, pair  # noqa: E402
from peer import PeerGateway  # noqa: E402
from run import Edition, HomeAssistant  # noqa: E402

PAGE = ROOT / "docs" / "flashing.md"
# The document's broker, on a loopback address of this test's own: the port is the usual one, which the document does not name.
DOCUMENTS_BROKER = "192.168.1.10"
USER, PASSWORD = "martlet", "its password"
SENSOR = "F0:00:0C:00:00:01"


class Document:
    """flashing.md: its steps by number, and what stands in them."""

    def __init__(self):
        parts = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
        self.parts = {part.partition("\n")[0]: " ".join(part.partition("\n")[2].split()) for part in parts[1:]}
        self.raw = {part.partition("\n")[0]: part.partition("\n")[2] for part in parts[1:]}

    def part(self, heading, which=None):
        found = [title for title in self.parts if title.startswith(heading)]
        check(len(found) == 1, f"flashing.md has {len(found)} parts {heading}")
        return (which or self.parts)[found[0]]

    def says(self, heading, text):
        """The text, which has to stand in this part, whatever the lines are broken at."""
        check(text in self.part(heading), f"flashing.md, {heading} does not say {text!r}")
        return text

    def button(self, heading, text):
        """The name of something to tap at, which the document sets in italics."""
        self.says(heading, f"*{text}*")
        return text

    def block(self, heading, language=""):
        found = re.findall(rf"^```{language}\n(.*?)^```", self.part(heading, self.raw), re.MULTILINE | re.DOTALL)
        check(found, f"flashing.md, {heading} has no block of {language or 'lines to type'}")
        return found


class House:
    """The network of the house: a broker with a password, the air with one sensor, and Home Assistant without MQTT yet."""

    def __init__(self, bench, folder, number):
        self.bench, self.address = bench, f"127.77.0.{number}"
        folder_of_broker = bench.folder / f"broker-{number}"
        folder_of_broker.mkdir()
        subprocess.run([program("mosquitto_passwd"), "-b", "-c", folder_of_broker / "users", USER, PASSWORD], check=True, capture_output=True)
        (folder_of_broker / "mosquitto.conf").write_text(
            f"listener 1883 {self.address}\nallow_anonymous false\npassword_file {folder_of_broker}/users\nlog_dest stderr\nuser root\n")
        bench.start(f"mosquitto-{number}", [program("mosquitto"), "-c", folder_of_broker / "mosquitto.conf"]).expect("running", 30)
        air = free_ports()
        bench.start(f"radio-{number}", [bench.martlet, "virtual-radio", "--listen", f"tcp:{air}", "--sensors", "0"]).expect(str(air), 30)
        self.radio = f"tcp:127.0.0.1:{air}"
        sensor = bench.start(f"sensor-{number}", [
            PYTHON, RIG_SOURCES / "sensor.py", "--transport", f"tcp-client:127.0.0.1:{air}", "--kind", "environment", "--address", SENSOR,
            "--name", "Thermometer 1", "--rate", "1"])
        sensor.expect("advertising", 60)
        self.home = HomeAssistant(bench, Edition(folder), 0)

    def close(self):
        self.home.stop()


def screen(document, board):
    """What the monitor shows when the gateway is up: the status, in the words of the document."""
    document.says("4.", "`controller … powered on` is Bluetooth, `broker … connected` is your network and your broker, and a sensor with the word "
                        "`collecting` sends readings")

    def shows():
        text = board.do("martlet", "status")
        return re.search(r"^controller .* powered on", text, re.MULTILINE) and re.search(r"^broker .*: connected", text, re.MULTILINE) \
            and re.search(r"^\S.* collecting ", text, re.MULTILINE) and text
    return wait_for("the screen shows controller, broker and a sensor", shows, 90)


def readings(document, house):
    """Step 5: the line to type, with the address of the broker, and the readings that it shows."""
    line, example = document.block("5.")
    words = shlex.split(line.replace(DOCUMENTS_BROKER, house.address))
    check(words[0] == "mosquitto_sub" and house.address in words, f"step 5 is {line}")
    seen = house.bench.start(f"step-5-{house.address}", [program(words[0]), *words[1:]])
    model = set(json.loads(example.partition(" ")[2].replace(",…", "")))

    def shown():
        check(seen.alive(), f"the line to type in step 5 ends: {seen.text()}")
        lines = [line.partition(" ") for line in seen.output.read_text().splitlines(keepends=True) if line.endswith("\n")]
        # A sensor sends each quantity by itself.
        return next(((topic, json.loads(text)) for topic, _, text in lines if model <= set(json.loads(text))), None)
    topic, reading = wait_for("a reading like that of the example is shown", shown, 60)
    check(topic == f"martlet/dev/{reading['dev']}/state", f"the topic is {topic}")
    seen.discard()
    return reading


def in_home_assistant(document, house, reading, room):
    """Step 6: the MQTT integration with the gateway's broker, and then a device for the sensor and one for the gateway."""
    document.says("6.", "Settings → Devices & services → Add integration → **MQTT**")
    errors = house.home.ask({"broker": house.address, "port": 1883, "username": USER, "password": PASSWORD})
    check(not errors, f"Home Assistant does not take the broker: {errors}")
    document.says("6.", "there is a device with the sensor's name, in the area of its room, and with an entity for each quantity, such as *Temperature*")
    sensor, began = f"martlet_{reading['dev']}", time.monotonic()
    wait_for("the sensor is a device", lambda: sensor in house.home.look()["devices"], 60)
    seconds = time.monotonic() - began
    device = house.home.look()["devices"][sensor]
    document.says("6.", "Behind a name that the sensor gives itself are the last four digits of its address")
    # Somebody who sets the gateway up by phone gives names and rooms.
    name = reading["name"] if room else f"{reading['name']} {reading['dev'][-4:]}"
    check(device["name"] == name and device["area"] == room, f"the device is {device}, the sensor {name} in {room}")
    entities = {name: entity for name, entity in house.home.look()["entities"].items() if entity["device"] == sensor}
    for quantity in ("temperature", "humidity"):
        check(f"{sensor}_{quantity}" in entities, f"there is no {quantity} in {sorted(entities)}")
        found = wait_for(f"the {quantity} has a value", lambda quantity=quantity: number(house.home.state(f"{sensor}_{quantity}")), 60)
        check(found["friendly_name"].endswith(quantity.capitalize()), found)
    document.says("6.", "Another device is the gateway; it says how many readings wait and whether there is a problem")
    gateway = f"martlet_{reading['gw']}"
    house.home.await_state(f"{gateway}_problem", "off")
    wait_for("the gateway's books", lambda: number(house.home.state(f"{gateway}_buffered")), 90)
    return f"{reading['name']} in {room or 'no room'} after {seconds:.0f} s"


def number(state):
    try:
        return state and float(state["state"]) is not None and state
    except ValueError:
        return None


def by_phone(bench, folder, document):
    """Step 3, without a monitor: the passkey is on the card."""
    step, house = "3.", House(bench, folder, 1)
    board = Board(bench, house.radio, "phone-board")
    board.power()
    # "disconnect the power, put the card into your computer"
    board.cut_power()
    label = (board.card / document.says(step, "martlet-label.txt")).read_text()
    check((board.card / document.says(step, "martlet-label.svg")).read_text().startswith("<"), "the label is no drawing")
    digits = re.search(r"\b([0-9]{6})\b", label)
    check(digits, f"there is no passkey in {label!r}")
    document.says(step, "choose the gateway by its name, `gw-` and six characters")
    name = re.search(r"^gw-[0-9a-f]{6}\b", label)
    check(name, f"the label has no name like that: {label!r}")
    switch = document.says(step, "#dtoverlay=gpio-key,gpio=17")
    check(switch in (board.card / document.says(step, "config.txt")).read_text().splitlines(), "config.txt has no such line")
    board.power()
    phone = PeerGateway(bench, house.radio, name="phone-of-card")
    phone.person = lambda: digits[1]
    wlan, _, secret = WLAN.partition("=")
    with at_the_page(bench, phone) as page:
        find(page)
        page.see(name[0])
        pair(page)
        page.wait("the clock", "/Clock:/.test(document.getElementById('clock').textContent)")
        page.type("#name", "Hall")
        document.says(step, "The gateway asks for your country first")
        page.pick("#country", "Germany")
        page.tap("Continue")
        page.title("Network")
        network(page, name=wlan, password=secret)
        page.type("#host", house.address)
        # The broker of the document has no certificate.
        page.tap(document.button(step, "Encrypt with TLS"), "label")
        page.type("#username", USER)
        page.type("#broker-password", PASSWORD)
        assistant = document.button(step, "Show the sensors in Home Assistant")
        check(page.run(f"document.querySelector('label[for=home-assistant]').textContent === {json.dumps(assistant)} && "
                       "document.querySelector('#home-assistant').checked"), f"{assistant} is not on")
        page.tap("Continue")
        page.title("Check and apply")
        page.see(house.address)
        check(page.run("document.querySelector('#apply').textContent") == document.button(step, "Apply"), "there is no button Apply")
        apply(page)
        page.see("It works", 120)
        page.tap(document.button(step, "Choose sensors"))
        page.title("Sensors")
        page.see("Thermometer 1")
        page.tap(document.button(step, "Name or passkey"), "summary")
        for label, text in (("Name", "Fridge"), ("Room", "Kitchen")):
            chosen = f"[...document.querySelectorAll('.card label')].find((each) => each.textContent === {json.dumps(label)}).htmlFor"
            page.type("#" + page.run(chosen), text)
        document.button(step, "Accept")
        page.tap("Accept Thermometer 1")
        page.see("Accepted")
        no_secrets(page, PASSWORD, digits[1])
    phone.close()
    reading = readings(document, house)
    check(reading["name"] == "Fridge", f"the sensor is called {reading['name']}")
    return finished(house, board, in_home_assistant(document, house, reading, "Kitchen"))


def by_file(bench, folder, document):
    """Step 4: the example, copied and changed as the document shows it."""
    step, house = "4.", House(bench, folder, 2)
    board = Board(bench, house.radio, "file-board")
    block = document.block(step, "toml")[0]
    wanted = tomllib.loads(block.replace(DOCUMENTS_BROKER, house.address))
    check((wanted["mqtt"]["username"], wanted["mqtt"]["password"]) == (USER, PASSWORD), f"the broker of the document is {wanted['mqtt']}")
    document.says(step, "Copy `martlet-example.toml` on that drive to `martlet.toml`")
    document.says(step, "Change the texts between the quotation marks, and take away the `#` in front of the lines that you need")
    text = changed((board.card / "martlet-example.toml").read_text(), wanted)
    check(tomllib.loads(text) == wanted, f"the example, changed by the document, says {tomllib.loads(text)} and not {wanted}")
    (board.card / "martlet.toml").write_text(text)
    board.power()
    files = {file.name for file in board.card.iterdir()}
    document.says("When nothing comes", "`martlet-imported.toml` | The gateway took the file, and crossed out its passwords")
    check("martlet-imported.toml" in files and not files & {"martlet.toml", "martlet-problems.txt", "martlet-label.txt"}, f"on the card are {files}")
    check(PASSWORD not in (board.card / "martlet-imported.toml").read_text(), "a password is not crossed out")
    # In the place of a time service of the network.
    board.do("martlet", "clock", "set", "--now")
    screen(document, board)
    reading = readings(document, house)
    return finished(house, board, in_home_assistant(document, house, reading, None))


def changed(example, wanted):
    """The example with the values of the document: each key that it has there is a line of the example, perhaps behind `# `."""
    lines, table = [], None
    for line in example.splitlines():
        head = re.match(r"#? ?(\[+)([a-z_]+)\]+", line)
        if head:
            table = head[2]
            lines.append(line.removeprefix("# ") if table in wanted else line)
            continue
        key = re.match(r"#? ?([a-z_]+) = ", line)
        values = wanted.get(table) or {}
        values = values[0] if isinstance(values, list) else values
        lines.append(f"{key[1]} = {json.dumps(values[key[1]])}" if key and key[1] in values else line)
    return "\n".join(lines) + "\n"


def finished(house, board, words):
    check(board.gateway.end(timeout=20) == 0, "the gateway did not end in order")
    house.close()
    return words


def help_for_nobody(bench, document):
    """What step 6 advises where there is no device: the switch of the phone's page, and an option of the command."""
    option = re.search(r"`martlet configure NAME (--[a-z-]+)`", document.part("6."))
    check(option, "step 6 names no command")
    answer = subprocess.run([bench.martlet, "configure", "--help"], capture_output=True, text=True)
    check(option[1] in answer.stdout, f"martlet configure has no {option[1]}")
    texts = (ROOT / "Sources" / "CPage" / "page" / "strings.en.js").read_text()
    place = re.search(r"\[the gateway's page\]\(page\.md\) has it below \*(\w+)\*", document.part("6."))
    check(place and re.search(rf"setup: '{place[1]}'", texts), "the gateway's page has no such tab: " + (place[1] if place else "none is named"))
    return "the advice holds"


def main():
    if len(sys.argv) < 3 or set(sys.argv[3:]) - {"file", "phone"}:
        sys.exit(__doc__)
    folder, started = pathlib.Path(sys.argv[2]).absolute(), time.monotonic()
    bench, document = Bench("from-card", pathlib.Path(sys.argv[1]).absolute()), Document()
    ways = {"file": by_file, "phone": by_phone}
    try:
        said = [help_for_nobody(bench, document), *(way(bench, folder, document) for name, way in ways.items() if name in (sys.argv[3:] or ways))]
    except Failed as failure:
        print(f"FAIL from-card: {failure}\n     logs: {bench.folder}", flush=True)
        return 1
    finally:
        bench.close()
    print(f"PASS from-card ({time.monotonic() - started:.0f} s): {'; '.join(said)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
