#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mock.py [--port N] [--scene NAME] - a gateway that is only its web server, to look at the page and for its test.

What it tells is what a real gateway has told of sensors of the virtual radio (`data/`), changed as the scene wants it.
It answers as docs of the page's interface say, with the same Content-Security-Policy, and keeps what was asked of it.
"""
import argparse
import contextlib
import copy
import http.server
import json
import math
import pathlib
import queue
import random
import re
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILES = ROOT / "Sources" / "CPage" / "page"
DATA = pathlib.Path(__file__).with_name("data")
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml"}
SCENES = ("empty", "well", "busy", "broker-down", "radio-off", "many", "three", "twelve", "sixty", "four", "hostile", "locked")
HOUSES = {"three": 3, "twelve": 12, "sixty": 60, "four": 12}
ROOMS = ("Kitchen", "Bathroom", None, "Cellar", "Bedroom", "Garden", "Attic", "Hall")
# Seconds of a point, and points.
RANGES = {"1h": (60, 60), "1d": (300, 288), "7d": (1_800, 336), "31d": (7_200, 372)}
PASSWORD = "correct horse"
# As the journal says it.
SHORT_OF_ROOM = ("the journal's disk is nearly full: the journal does not grow any more, and its oldest readings go for new ones when it is "
                 "full")
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
# Right-to-left override, and a script.
TURNED = "\u202egnp.exe<script>document.title='owned'</script>"

CONFIGURATION = """\
# Martlet
[bluetooth]
controller = "hci0"   # the one in the cellar

[mqtt]
host = "broker.local"
port = 1883
username = "gateway"
password = "…"

[[sensor]]
address = "C4:7C:8D:00:11:04"
id = "greenhouse"
subscribe = ["environmental_sensing/temperature", "environmental_sensing/humidity"]
"""
# Longer than a phone is wide.
DEEP = "/var/lib/containers/storage/volumes/martlet-configuration"
LABEL = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#fff"/>'
         '<path d="M1 1h3v3h-3zM5 1h3v3h-3zM1 5h3v3h-3zM5 5h1v1h-1zM7 7h1v1h-1z" fill="#000"/></svg>')
NAMES = {"temperature": "Temperature", "humidity": "Humidity", "pressure": "Pressure", "battery": "Battery",
         "voltage": "Voltage", "heart_rate": "Heart rate"}


def data(name):
    return json.loads((DATA / f"{name}.json").read_text())


class Mock:
    """One gateway in one scene, on a loopback port; `posts` is what was asked of it, `gets` what was read."""

    def __init__(self, scene="busy", port=0):
        assert scene in SCENES, scene
        self.scene, self.posts, self.gets, self.streams, self.sessions = scene, [], [], [], set()
        self.lock, self.ended, self.is_gone = threading.RLock(), threading.Event(), False
        self.refusals = {}
        self.random = random.Random(7)
        self.started = time.monotonic()
        self.bonds = self._bonds()
        self.settings = {"name": "Hall", "gateway": "gw-3f2a1c", "host": "broker.local", "port": 1883, "uses_tls": False,
                         "username": "gateway", "has_password": True, "is_provisioned": True, "can_undo": False}
        self.status = self._status()
        self.events = {
            "session": {"gateway": "gw-3f2a1c", "name": "Hall", "version": "0.1.0", "password": scene == "locked",
                        "update": True, "provisioning": True,
                        "commands": {"martlet inspect": "martlet inspect", "machine log": "journalctl -u martlet -n 50", "machine update": "martlet update"}},
            "status": self.status, "heard": self._heard(), "log": {"lines": self._log()}, "window": {"open": False},
            "update": {"state": "idle", "installed": "0.1.0", "available": "0.2.0"}}
        self.port = port
        self._serve()
        threading.Thread(target=self._live, daemon=True).start()

    # The server

    def _serve(self):
        mock = self

        class Handler(Requests):
            gateway = mock
        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_port
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def go_away(self):
        """As after a power cut: the port is closed, and so is each stream."""
        self.is_gone = True
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            for stream in self.streams:
                stream.put(None)
            self.streams.clear()

    def come_back(self):
        self.is_gone = False
        self._serve()

    def sign_everybody_out(self):
        with self.lock:
            self.sessions.clear()
            for stream in self.streams:
                stream.put(None)
            self.streams.clear()

    def close(self):
        self.ended.set()
        if not self.is_gone:
            self.go_away()

    def tell(self, event, value=None):
        """Sends an event to all who listen, and keeps it for who comes later."""
        with self.lock:
            if value is not None and event != "log":
                self.events[event] = value
            text = f"event: {event}\ndata: {json.dumps(self.events[event] if value is None else value)}\n\n"
            for stream in self.streams:
                stream.put(text)

    def attach(self):
        """A stream that begins with the current one of each event."""
        stream = queue.Queue()
        with self.lock:
            stream.put("retry: 3000\n\n")
            for event, value in self.events.items():
                stream.put(f"event: {event}\ndata: {json.dumps(value)}\n\n")
            self.streams.append(stream)
        return stream

    def _live(self):
        while not self.ended.wait(2):
            with self.lock:
                if self.status is self.events["status"] and "uptime_s" in self.status:
                    self._go_on()
                    self.tell("status")
                    self.tell("heard")

    # The scenes

    def _status(self):
        status = data("status")
        status["system"] = {
            "disk": {"free_bytes": 3_345_678_336, "total_bytes": 7_516_192_768},
            "memory": {"resident_bytes": 23_068_672}, "load": 0.41, "temperature_c": 51.2}
        status["controller"]["slots"] = {"used": 3, "limit": 8}
        status["uptime_s"] = 93_724
        journal, collector = status["journal"], status["collector"]
        journal.update(received=182_640, committed=182_640, delivered=182_636, buffered=4, waiting=0, bytes_written=68_157_440)
        status["mqtt"].update(live=182_600, history=36, acknowledged=182_636, published=182_640)
        sensors = {sensor["id"]: sensor for sensor in collector["sensors"]}
        for name, readings in (("cellar", 31_205), ("greenhouse", 88_011), ("sauna", 31_190), ("strap", 32_234)):
            sensors[name]["readings"] = readings
            journal["sensors"][name].update(received=readings, delivered=readings - 1)
        sensors["sauna"].update(gap=12, repeats=31_022)
        sensors["strap"].update(drops=2, reconnects={"0x08 Connection Timeout": 2}, last_drop="0x08 Connection Timeout",
                                security="encrypted, not authenticated")
        if self.scene in ("well", "many", "locked") or self.scene in HOUSES:
            del sensors["living"], sensors["kitchen"]
            collector["sensors"] = list(sensors.values())
            collector["awaited"] = []
            sensors["cellar"]["name"], sensors["sauna"]["name"] = "Cellar", "Sauna"
        if self.scene == "empty":
            collector.update(sensors=[], awaited=[], readings=0)
            journal.update(received=0, committed=0, delivered=0, buffered=0, bytes=36_864, bytes_written=36_864, sensors={})
            status["mqtt"].update(live=0, history=0, acknowledged=0, published=0)
            status.update(uptime_s=64)
            status["controller"]["slots"]["used"] = 0
        if self.scene == "busy":
            journal.update(dropped={"journal-age": 17}, received=182_657, missing=12)
            journal["sensors"]["greenhouse"].update(dropped={"journal-age": 17}, received=88_028)
            journal["notice"] = SHORT_OF_ROOM
        if self.scene == "broker-down":
            status["mqtt"].update(connected=False, last_error=(
                "broker.local:1883: Connection refused: nothing listens there, or it refuses; is the broker running, and are its address and port "
                "right (mqtt.host, mqtt.port)?"))
            journal.update(buffered=1_204, received=183_840, committed=183_840, oldest_age_seconds=1_512.4)
        if self.scene == "radio-off":
            status["controller"]["state"] = ("hci0: no such adapter. There is none. Check that the controller is plugged in and its driver "
                                             "loaded (dmesg | grep -i bluetooth)")
            status["controller"]["counters"]["hardware_errors"] = 1
            collector["scanning"] = False
            status["late"] = ["the controller does not answer: its last known state is shown"]
            for sensor in collector["sensors"]:
                sensor["link"] = "unavailable"
        if self.scene == "many":
            collector["sensors"] = [self._one_of_many(sensors, number) for number in range(200)]
            journal["sensors"] = {}
        if self.scene in HOUSES:
            collector["sensors"] = [self._one_of_a_house(sensors, number) for number in range(HOUSES[self.scene])]
            journal["sensors"] = {}
            status["limits"] = [{"sensor": "room-0", "quantity": "temperature", "side": "above", "limit": 25.5, "is_crossed": False}]
        if self.scene == "four":
            status["mqtt"].update(connected=False, last_error=(
                "broker.local:1883: Connection refused: nothing listens there, or it refuses; is the broker running, and are its address and port "
                "right (mqtt.host, mqtt.port)?"))
            journal.update(buffered=1_204, received=183_840, committed=183_840, oldest_age_seconds=1_512.4)
            journal["notice"] = SHORT_OF_ROOM
            for number in (4, 7):
                collector["sensors"][number].update(values=[], readings=0, refused={"no-key": 412}, trouble=(
                    f"its values are encrypted, and its entry has no key: run martlet key {collector['sensors'][number]['id']}, or give "
                    "the entry a bindkey") if number == 4 else "the key from the sensor opens none of the last packets")
        if self.scene == "hostile":
            sensors["strap"]["name"] = HOSTILE
            sensors["greenhouse"]["name"] = TURNED
            sensors["living"]["last_failure"] = HOSTILE
            collector["awaited"][0]["nearest"][0]["name"] = HOSTILE
        return self._judged(status)

    def _judged(self, status):
        """The states of sensors and the problems, which a gateway says itself."""
        problems = []

        def add(code, part, title, text, severity="warning", remedy=None, sensor=None, variant=None, arguments=None, parts=None, notes=None):
            more = {"remedy": remedy, "sensor": sensor, "variant": variant, "parts": parts, "notes": notes}
            problems.append({"code": code, "severity": severity, "part": part, "title": title, "text": text, "age_ms": 90_000,
                             "arguments": {"subject": sensor or "", **(arguments or {})},
                             **{key: value for key, value in more.items() if value}})
        is_ready = status["controller"]["state"] == "powered on"
        for text in status.get("late", []):
            add("part-late", "service", "A part of the gateway does not answer", text, "failure",
                "Is the disk slow, or the machine busy? martlet status says more.", arguments={"part": text, "martlet status": "martlet status"})
        if not is_ready:
            add("radio-down", "radio", "The Bluetooth controller does not work", status["controller"]["state"], "failure",
                "Run sudo martlet doctor to look at the adapter and its other users.",
                arguments={"state": status["controller"]["state"], "martlet doctor": "sudo martlet doctor"})
        mqtt = status["mqtt"]
        if not mqtt["connected"]:
            add("broker-unreachable", "broker", "No connection to the broker", mqtt["last_error"], "failure",
                "Readings wait in the journal meanwhile.", variant="kept", arguments={"reason": mqtt["last_error"]})
        elif mqtt.get("last_error"):
            add("broker-complains", "broker", "Not everything goes out", mqtt["last_error"], arguments={"reason": mqtt["last_error"]})
        if status["journal"].get("notice"):
            add("disk-low", "disk", "The disk is nearly full", status["journal"]["notice"], remedy=(
                "Make room on the disk (df -h), or have the journal leave less of it free: [journal] min_free_mb."),
                arguments={"notice": status["journal"]["notice"], "machine room": "df -h"})
        for text in status.get("bond_problems", []):
            add("bonds", "bonds", "Bonds are not in order", text, arguments={"what": text})
        for sensor in status.get("collector", {}).get("sensors", []):
            ages = [value["age_ms"] for value in sensor["values"]]
            sensor["health"] = ("unknown" if not is_ready else "elsewhere" if sensor["link"] == "elsewhere" else
                                ("not-understood" if sensor.get("trouble") else "never-heard") if not ages else
                                "silent" if min(ages) > 600_000 else "fresh")
            name = sensor["id"]
            if self.scene == "four" and not sensor.get("trouble"):
                continue
            if sensor.get("trouble"):
                add("sensor-trouble", "sensors", name, sensor["trouble"], sensor=name, arguments={"cause": sensor["trouble"]})
            elif is_ready and sensor.get("last_failure") and sensor["link"] not in ("collecting", "resting", "queued", "listening", "elsewhere"):
                add("sensor-fails", "sensors", name, f"{sensor['last_failure']}; it is tried again", sensor=name,
                    arguments={"cause": sensor["last_failure"]})
            elif sensor.get("missing"):
                missing = "; ".join(sensor["missing"])
                add("sensor-lacks", "sensors", name, f"not everything is there: {missing}", sensor=name, arguments={"missing": missing})
            if sensor["health"] == "silent":
                add("sensor-silent", "sensors", name, "Silent: no value comes, though one usually comes every 10 s; acknowledged, for 3 d more",
                    remedy=f"Run martlet why {name}", sensor=name, variant="usually",
                    arguments={"time": "10 s", "martlet why": f"martlet why {name}"}, notes=[{"phrase": "known-for", "arguments": {"time": "3 d"}}])
        for awaited in status.get("collector", {}).get("awaited", []) if is_ready else []:
            add("sensor-awaited", "sensors", awaited["entry"], f"not seen yet; its entry asks for {awaited['wants']}", sensor=awaited["entry"],
                remedy="In the air: " + ", ".join(f"\"{near['name']}\" ({near['address']}, {near['rssi']} dBm)" for near in awaited["nearest"]),
                variant="nearest", arguments={"wants": awaited["wants"]},
                parts=[{"phrase": "named", "arguments": {"name": near["name"], "signs": f"{near['address']}, {near['rssi']} dBm"}}
                       for near in awaited["nearest"]])
        status["problems"] = problems
        return status

    def _one_of_many(self, sensors, number):
        is_lost = number % 40 == 7
        sensor = copy.deepcopy(sensors["greenhouse" if is_lost else ["cellar", "sauna", "greenhouse"][number % 3]])
        address = f"C4:7C:8D:01:{number // 256:02X}:{number % 256:02X}"
        sensor.update(id=f"room-{number:03}", name=f"Room {number}", address=address, rssi=-45 - number % 50)
        if is_lost:
            sensor.update(link="connecting", last_drop="0x08 Connection Timeout", drops=3)
            for value in sensor["values"]:
                value["age_ms"] = 1_200_000 + number * 1000
        if number % 50 == 9:
            sensor.update(values=[], readings=0, refused={"no-key": 412}, trouble=(
                f"its values are encrypted, and its entry has no key: run martlet key {sensor['id']}, or give the entry a bindkey"))
        return sensor

    def _one_of_a_house(self, sensors, number):
        """Names and rooms as people give them; most sensors have a battery, which they send before their values."""
        sensor = copy.deepcopy(sensors[["cellar", "sauna", "greenhouse"][number % 3]])
        room = ROOMS[number % len(ROOMS)]
        label = f"{room or 'Thermometer'} {['window', 'door', 'shelf', 'fridge', 'floor'][number % 5]} {number}"
        sensor.update(id=f"room-{number}", label=label, title=label, address=f"C4:7C:8D:02:00:{number:02X}", rssi=-45 - number % 50)
        if room:
            sensor["room"] = room
        for value in sensor["values"]:
            if value.get("fields"):
                value["fields"].sort(key=lambda field: field["quantity"] not in ("battery", "voltage"))
        return sensor

    def _heard(self):
        heard = [device for device in data("heard")]
        if self.scene == "empty":
            for device in heard:
                device["is_accepted"] = False
                device.pop("id", None)
                device.pop("trouble", None)
        if self.scene == "radio-off":
            return []
        if self.scene == "many":
            for number in range(180):
                heard.append({"address": f"F0:00:00:00:00:{number:02X}", "rssi": -60 - number // 5, "is_accepted": False,
                              "is_connectable": number % 2 == 0, "values": [], "age_ms": 900 + number,
                              **({"name": f"Device {number}"} if number % 3 else {}),
                              **({"family": "bthome"} if number % 4 == 0 else {})})
        if self.scene == "hostile":
            heard[0]["name"] = HOSTILE
            heard.append({"address": "F0:00:00:00:00:01", "name": TURNED, "rssi": -40, "family": HOSTILE, "is_accepted": False,
                          "is_connectable": True, "values": [HOSTILE], "trouble": HOSTILE, "age_ms": 20})
        return sorted(heard, key=lambda device: -device.get("rssi", -200))

    def _log(self):
        lines = data("log")
        if self.scene == "empty":
            return lines[:4]
        if self.scene == "hostile":
            lines = lines[-198:] + [f"2026-11-24T12:30:00.000 warning  collector: {HOSTILE}", f"<3>bluetooth: {TURNED}"]
        return lines

    def _bonds(self):
        bonds = [
            {"device": "strap", "name": HOSTILE if self.scene == "hostile" else "Heart-rate strap", "address": "C4:7C:8D:00:11:03",
             "identifier": "AE8A7EBB-7EAF-4D60-9AFB-053D9751D84C", "authenticated": False, "secure_connections": True, "key_size": 16,
             "central": False, "since": "2026-11-02T09:12:44Z"},
            {"name": "Pixel 9", "address": "5C:33:7B:11:90:0E", "identifier": "0B41D85E-3F5C-4D8E-9B0C-12D5A0C2E4F1",
             "authenticated": True, "secure_connections": True, "key_size": 16, "central": True, "since": "2026-10-30T18:01:03Z"}]
        return [] if self.scene == "empty" else bonds

    def _go_on(self):
        """Two seconds pass."""
        status = self.status
        status["uptime_s"] += 2
        if status["controller"]["state"] == "powered on":
            for sensor in status["collector"]["sensors"]:
                is_quiet = sensor["link"] in ("connecting", "waiting") or not sensor["values"]
                for value in sensor["values"]:
                    value["age_ms"] = value["age_ms"] + 2_000 if is_quiet else self.random.randrange(40, 1_900)
                    for field in value.get("fields") or []:
                        if field["quantity"] in ("temperature", "humidity") and not is_quiet:
                            field["value"] = round(field["value"] + self.random.uniform(-0.1, 0.1), 2)
                if not is_quiet:
                    sensor["readings"] += 2
        else:
            for sensor in status["collector"]["sensors"]:
                for value in sensor["values"]:
                    value["age_ms"] += 2_000
        journal = status["journal"]
        if "oldest_age_seconds" in journal:
            journal["oldest_age_seconds"] += 2
        fresh = 0 if self.scene in ("empty", "radio-off") else 4
        journal["received"] += fresh
        journal["committed"] += fresh
        journal["buffered" if not status["mqtt"]["connected"] else "delivered"] += fresh

    # What is asked

    def history(self, sensor, span="1d"):
        sensors = self.status.get("collector", {}).get("sensors", [])
        found = next((each for each in sensors if each["id"] == sensor), None)
        if found is None:
            return None
        if span not in RANGES:
            raise Refused(f"unknown range: {', '.join(RANGES)} are known")
        seconds, many = RANGES[span]
        noise, now, series = random.Random(sensor), int(time.time() * 1000) // (seconds * 1000) * seconds * 1000, []
        for value in found["values"]:
            for field in value.get("fields") or []:
                if field["quantity"] not in NAMES or not isinstance(field["value"], (int, float)):
                    continue
                middle, size, points = field["value"], max(abs(field["value"]) * 0.06, 0.4), []
                for step in range(many):
                    # The gateway was off for a twelfth of the time.
                    if 0.45 < step / many < 0.53 and sensor != "strap":
                        continue
                    mean = middle + size * math.sin((step - many) * seconds / 86_400 * math.tau) + noise.uniform(-0.15, 0.15) * size
                    low, high = mean - noise.uniform(0.05, 0.3) * size, mean + noise.uniform(0.05, 0.3) * size
                    points.append([now - (many - 1 - step) * seconds * 1000, round(low, 2), round(mean, 2), round(high, 2)])
                series.append({"quantity": field["quantity"], "unit": field.get("unit", ""), "name": NAMES[field["quantity"]],
                               "points": points})
        return {"sensor": sensor, "range": span, "step_s": seconds, "from": now - (many - 1) * seconds * 1000, "to": now + seconds * 500,
                "series": sorted(series, key=lambda line: line["quantity"])}

    def why(self, sensor):
        known = data("why")
        if sensor in known:
            said = known[sensor]
        else:
            found = next((each for each in self.status["collector"]["sensors"] if each["id"] == sensor), None)
            if found is None:
                return None
            said = {**known["sauna" if found.get("family") else "strap"], "sensor": sensor, "name": found.get("name"),
                    "address": found.get("address")}
        if self.scene == "hostile":
            said["answer"] = HOSTILE + said["answer"]
            for event in said["events"]:
                event["detail"] = HOSTILE
        return said

    def get(self, path, query):
        sensor = query.get("sensor", [""])[0]
        if path == "/api/chart":
            return self.history(sensor, query.get("range", ["1d"])[0])
        if path == "/api/why":
            return self.why(sensor)
        if path == "/api/bonds":
            return {"bonds": self.bonds, "problems": []}
        if path == "/api/settings":
            return self.settings
        if path == "/api/configuration":
            return {"files": [{"path": f"{DEEP}/martlet.toml", "text": CONFIGURATION, "problem": None},
                              {"path": "/etc/martlet/conf.d/sensors.toml", "text": "# none yet\n", "problem": None}], "warnings": []}
        return None

    def post(self, path, body):
        """The result, or a sentence that says why not."""
        with self.lock:
            self.posts.append((path, body))
            if path in self.refusals:
                raise Refused(self.refusals.pop(path))
            if path == "/api/accept":
                for device in self.events["heard"]:
                    if device["address"] == body["address"]:
                        device.update(is_accepted=True, id=body.get("id", device["address"].replace(":", "").lower()))
                self.tell("heard")
                return {"id": body.get("id")}
            if path == "/api/forget":
                sensors = self.status["collector"]["sensors"]
                self.status["collector"]["sensors"] = [each for each in sensors if each["id"] != body["sensor"]]
                self.tell("status")
                return None
            if path in MODES:
                self.status["mqtt"]["history_mode"] = MODES[path]
                self.tell("status")
                return None
            if path == "/api/check-config":
                lines = body["text"].split("\n")
                return {"warnings": [], "problems": [
                    {"line": number, "message": f'unknown key "bluetooth.{key[1]}" – did you mean "controller"?'}
                    for number, line in enumerate(lines, 1) if (key := re.match(r"\s*(contr?oler|adapter)\s*=", line))]}
            if path == "/api/settings-check":
                return {"effect": "reconnect"}
            if path == "/api/settings-apply":
                self.tell("progress", {"operation": "settings-apply", "step": "connect"})
                time.sleep(1)
                self.settings.update({key: value for key, value in body.items() if key != "password"}, can_undo=True)
                return {"effect": "reconnect"}
            if path == "/api/settings-undo":
                self.settings.update(can_undo=False, host="broker.local", port=1883)
                return None
            if path == "/api/unpair":
                self.bonds = [bond for bond in self.bonds if bond["address"] != body["sensor"]]
                return None
            if path == "/api/provision":
                self.tell("window", {"open": True, "seconds_left": 600, "code": "482913"})
                return None
            if path == "/api/update":
                state = "downloading" if body["action"] == "install" else "checking"
                self.tell("update", {"state": state, "progress": 0.4, "installed": "0.1.0", "available": "0.2.0"})
                return None
            if path in ("/api/key", "/api/trust", "/api/restart", "/api/rename"):
                return None
        raise Refused("There is no such request.")


MODES = {"/api/buffer-pause": "paused", "/api/buffer-resume": "normal", "/api/buffer-drain": "draining"}


class Refused(Exception):
    """The answer is no, in words."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        """A browser that is closed leaves requests half answered."""


class Requests(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    gateway = None

    def log_message(self, *arguments):
        """Who asked for what is told by the browser."""

    def _is_let_in(self):
        if self.gateway.scene != "locked":
            return True
        session = re.search(r"session=(\w+)", self.headers.get("Cookie", ""))
        return session is not None and session[1] in self.gateway.sessions

    def _answer(self, status, content=b"", kind="text/plain; charset=utf-8", **headers):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(content), "Content-Security-Policy": POLICY,
                            "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
                            **{name.replace("_", "-"): value for name, value in headers.items()}}.items():
            self.send_header(name, str(value))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(content)

    def _json(self, status, value):
        self._answer(status, json.dumps(value).encode(), "application/json")

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        path = address.path
        self.gateway.gets.append(self.path)
        if path == "/login":
            self._answer(200, (FILES / "login.html").read_bytes(), TYPES[".html"])
        elif path == "/" and not self._is_let_in():
            self._answer(303, Location="/login")
        elif (path == "/events" or path.startswith("/api/")) and not self._is_let_in():
            self._json(401, {"error": "Sign in first."})
        elif path == "/events":
            self._stream()
        elif path == "/api/provision-label":
            self._answer(200, LABEL.encode(), TYPES[".svg"])
        elif path.startswith("/api/"):
            with self.gateway.lock:
                value = self.gateway.get(path, urllib.parse.parse_qs(address.query))
            self._json(*((404, {"error": "There is no such sensor."}) if value is None else (200, value)))
        else:
            file = FILES / ("index.html" if path == "/" else path.lstrip("/"))
            if file.parent == FILES and file.suffix in TYPES and file.is_file():
                self._answer(200, file.read_bytes(), TYPES[file.suffix])
            else:
                self._answer(404, b"There is no such page.")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/login":
            if urllib.parse.parse_qs(body.decode()).get("password") == [PASSWORD]:
                session = f"{random.getrandbits(128):032x}"
                self.gateway.sessions.add(session)
                self._answer(303, Location="/", Set_Cookie=f"session={session}; HttpOnly; SameSite=Strict; Path=/")
            else:
                self._answer(303, Location="/login?wrong")
        elif self.path == "/logout":
            self.gateway.sessions.clear()
            self._answer(303, Location="/login")
        elif not self._is_let_in():
            self._json(401, {"error": "Sign in first."})
        elif self.headers.get("Content-Type") != "application/json":
            self._json(415, {"ok": False, "error": "Send JSON."})
        else:
            try:
                self._json(200, {"ok": True, "result": self.gateway.post(self.path, json.loads(body))})
            except Refused as refusal:
                self._json(409, {"ok": False, "error": str(refusal)})

    def _stream(self):
        self.close_connection = True
        self.send_response(200)
        for name, value in (("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()
        stream = self.gateway.attach()
        with contextlib.suppress(OSError):
            while not self.gateway.ended.is_set():
                try:
                    text = stream.get(timeout=15)
                except queue.Empty:
                    text = ": still here\n\n"
                if text is None:
                    break
                self.wfile.write(text.encode())
                self.wfile.flush()
        with self.gateway.lock, contextlib.suppress(ValueError):
            self.gateway.streams.remove(stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--scene", choices=SCENES, default="busy")
    options = parser.parse_args()
    mock = Mock(options.scene, options.port)
    print(f"{mock.address}/ shows the scene {options.scene}; Ctrl-C ends it"
          + (f"; the password is {PASSWORD}" if options.scene == "locked" else ""), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    mock.close()


if __name__ == "__main__":
    main()
