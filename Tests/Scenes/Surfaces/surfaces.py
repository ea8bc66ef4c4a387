# SPDX-License-Identifier: Apache-2.0
"""What each surface of a running gateway says of its health, read by a machine into one form."""
import http.client
import json
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Rig"), str(HERE.parent / "Metrics")]
import paho.mqtt.client as mqtt  # noqa: E402
from gateway_log import GatewayLog  # noqa: E402
from harness import check  # noqa: E402
from prometheus import Scrape  # noqa: E402

PRESENT = ("fresh", "late")


def boot_ms():
    """The gateway's clock."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


def key_of(problem):
    return problem["code"], problem.get("sensor")


class ServiceLine:
    """The place of the service manager: keeps the line that `systemctl status` would show."""

    def __init__(self, path):
        self.path, self.line = path, ""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        threading.Thread(target=self._read, daemon=True).start()

    # A line each two seconds, where the manager asks for signs of life.
    @property
    def environment(self):
        return {"NOTIFY_SOCKET": str(self.path), "WATCHDOG_USEC": "4000000"}

    def _read(self):
        while True:
            try:
                text = self.socket.recv(65536).decode(errors="replace")
            except OSError:
                return
            for line in text.splitlines():
                if line.startswith("STATUS="):
                    self.line = line.removeprefix("STATUS=")

    def close(self):
        self.socket.close()


class Broker:
    """What the broker has of the gateway: retained messages and events, as a client that is always there sees them."""

    def __init__(self, port):
        self.lock, self.retained, self.events, self.is_connected = threading.Lock(), {}, [], False
        self.is_subscribed = False
        self.readings = []  # each object on …/state and …/history
        self.availability = []  # (topic, word), each change
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="surfaces", protocol=mqtt.MQTTv5)
        self.client.username_pw_set("watcher", "watcher")
        # The gateway may be back within a second, and tells of some things once.
        self.client.reconnect_delay_set(0.1, 0.1)
        self.client.on_connect = self._connected
        self.client.on_disconnect = self._disconnected
        self.client.on_message = self._received
        self.client.on_subscribe = self._subscribed
        self.client.connect_async("127.0.0.1", port)
        self.client.loop_start()

    def _connected(self, client, _data, _flags, reason, _properties):
        if not reason.is_failure:
            with self.lock:
                self.retained.clear()
            self.is_connected = True
            client.subscribe([("martlet/#", 1), ("homeassistant/#", 1)])

    def _subscribed(self, *_):
        self.is_subscribed = True

    def _disconnected(self, *_):
        self.lost()

    def lost(self):
        """There is no broker."""
        self.is_connected = self.is_subscribed = False

    def _received(self, _client, _data, message):
        text = message.payload.decode()
        with self.lock:
            if re.fullmatch("martlet/gw/[^/]+/event", message.topic):
                self.events.append(json.loads(text))
            elif message.topic.endswith(("/state", "/history")) and not message.retain:
                found = json.loads(text)
                self.readings += found if isinstance(found, list) else [found]
            elif message.topic.endswith(("/availability", "/status", "/problems", "/limits", "/config")):
                if message.topic.endswith("/availability") and self.retained.get(message.topic) != text:
                    self.availability.append((message.topic, text))
                self.retained[message.topic] = text

    def word(self, topic):
        with self.lock:
            return self.retained.get(topic)

    def availabilities(self):
        """The retained word on each sensor, by its id, without those that were taken back."""
        with self.lock:
            return {topic.split("/")[2]: word for topic, word in self.retained.items()
                    if topic.startswith("martlet/dev/") and topic.endswith("/availability") and word}

    def document(self, topic):
        text = self.word(topic)
        return json.loads(text) if text else None

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


class HomeAssistant:
    """What Home Assistant shows, by the gateway's discovery messages and the topics that they name."""

    ON = "{{ 'ON' if value_json.count > 0 else 'OFF' }}"

    def __init__(self, broker, gateway):
        self.broker, self.gateway = broker, gateway

    def _document(self, kind, device):
        return self.broker.document(f"homeassistant/device/martlet_{device}/config")

    def _is_available(self, entity, document):
        listed = entity.get("availability", document.get("availability")) or []
        return all(self.broker.word(place["topic"]) == "online" for place in listed)

    def limits(self, device):
        """The state of a sensor's entity for its limits, and the crossed ones of its attributes; None while there is none."""
        document = self._document("sensor", device)
        entity = document and document["cmps"].get("limits")
        if not entity or len(entity) == 1:
            return None
        if not self._is_available(entity, document):
            return "unavailable", []
        state = self.broker.document(entity["state_topic"])
        if state is None:
            return "unknown", []
        crossed = f"value_json.sensors.get('{device}', [])"
        check(entity["value_template"] == f"{{{{ 'ON' if {crossed} else 'OFF' }}}}"
              and entity["json_attributes_template"] == f"{{{{ {{'limits': {crossed}}} | tojson }}}}",
              f"the entity for limits of {device} has templates that this program does not know: {entity}")
        found = state["sensors"].get(device, [])
        return ("on" if found else "off"), found

    def problem(self):
        """The state of the gateway's problem entity, and the problems in its attributes; None while nothing is announced."""
        document = self._document("gateway", self.gateway)
        if document is None:
            return None
        entity = document["cmps"]["problem"]
        check(entity["value_template"] == self.ON, f"a template that this test does not know: {entity['value_template']}")
        if not self._is_available(entity, document):
            return "unavailable", []
        state = self.broker.document(entity["state_topic"])
        attributes = self.broker.document(entity["json_attributes_topic"])
        if state is None:
            return "unknown", []
        return ("on" if state["count"] > 0 else "off"), attributes["problems"]

    def sensor(self, device):
        """Whether the sensor's entities are available; None while they are not announced."""
        document = self._document("sensor", device)
        if document is None:
            return None
        # Crossed limits stay to be seen: a silence may be one.
        words = {self._is_available(entity, document) for name, entity in document["cmps"].items()
                 if len(entity) > 1 and name != "limits"}
        check(len(words) == 1, f"entities of {device} are available in part")
        return words.pop()


class Surfaces:
    """All surfaces of one gateway."""

    def __init__(self, bench, configuration, page_port, broker, line, name="gw-interop"):
        self.bench, self.configuration, self.page_port, self.name = bench, configuration, page_port, name
        self.broker, self.line = broker, line
        self.home_assistant = HomeAssistant(broker, name)
        self.is_muted = False  # An access list keeps the gateway's own topics from the broker.
        self.has_twin = False  # Another client has the gateway's session at the broker, or tells of its sensors.
        self.gateway = self.led = self.phone = None  # The process, the board's LED, and the owner's phone, where there are such.

    def run(self, *words):
        """The exit code and the output of a command."""
        return self.run_whole(*words)[:2]

    def run_whole(self, *words, machine=None):
        """The same, and what the command says of its failure; on another machine than this one."""
        line = [self.bench.martlet, *words, "--config", self.configuration]
        answer = subprocess.run(machine.command(line) if machine else line, capture_output=True, text=True, timeout=60)
        return answer.returncode, answer.stdout, answer.stderr

    def status(self):
        code, text = self.run("status", "--json")
        check(code == 0, f"martlet status ends with {code}")
        status = json.loads(text)
        status["seen_at"] = boot_ms()
        return status

    def ask_page(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.page_port, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def page(self):
        """The status that the page has: the event that it begins with."""
        connection = http.client.HTTPConnection("127.0.0.1", self.page_port, timeout=30)
        try:
            connection.request("GET", "/events")
            answer, event, deadline = connection.getresponse(), None, time.monotonic() + 30
            while time.monotonic() < deadline:
                line = answer.readline().decode().rstrip("\n")
                if line.startswith("event: "):
                    event = line.removeprefix("event: ")
                elif line.startswith("data: ") and event == "status":
                    status = json.loads(line.removeprefix("data: "))
                    status["seen_at"] = boot_ms()
                    return status
            check(False, "the page gets no status")
        finally:
            connection.close()

    def text(self):
        """Of the lines of `martlet status` that tell of a problem: the mark, and the sensor or the part."""
        code, text = self.run("status")
        check(code == 0, f"martlet status ends with {code}")
        found = re.findall(r"^([!·]) (.+?): (.*)$", text, re.MULTILINE)
        # A cure of the radio is no problem.
        return [(mark, label) for mark, label, words in found if not words.startswith("brought back ")]

    def doctor(self):
        code, text = self.run("doctor", "--json")
        return code, json.loads(text)

    def why(self, sensor):
        code, text = self.run("why", sensor, "--json")
        check(code == 0, f"martlet why {sensor} ends with {code}")
        why = json.loads(text)
        why["seen_at"] = boot_ms()
        return why

    def log(self):
        return GatewayLog(self.gateway.errors.read_text(errors="replace"))

    def metrics(self):
        code, text = self.ask_page("/metrics")
        check(code == 200, f"/metrics answers {code}")
        return Scrape(text)


def counts_of(metrics):
    """Problems by code, of /metrics, by the name of the metric."""
    return {(name, dict(labels)["code"]): int(value) for name in ("martlet_problems", "martlet_problems_known")
            for labels, value in metrics.series(name).items() if value}


def problems_of(metrics):
    """The problems of sensors, of /metrics: code and sensor."""
    return {(labels["code"], labels["device"]) for labels in map(dict, metrics.series("martlet_device_problem"))}


def states_of(metrics):
    """The state of each sensor, of /metrics."""
    found = metrics.series("martlet_device_health")
    return {dict(labels)["device"]: dict(labels)["state"] for labels, value in found.items() if value == 1}
