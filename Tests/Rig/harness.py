# SPDX-License-Identifier: Apache-2.0
"""What the interoperability tests and the benchmarks share: processes, ports, broker, consumer, configuration."""
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import paho.mqtt.client as mqtt

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIG = ROOT / ".rig"
RIG_SOURCES = ROOT / "Tests" / "Rig"
PYTHON = RIG / "venv" / "bin" / "python"

COUNTER_SERVICE = "5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10"
COUNTER_VALUE = "5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"
FEEDS = {
    "counter": [f"{COUNTER_SERVICE}/{COUNTER_VALUE}"],
    "thermometer": ["1809/2a1c"],
    "heart-rate": ["180d/2a37"],
    "environment": ["181a/2a6e", "181a/2a6f", "181a/2a6d"],
}


class Failed(Exception):
    """A check did not hold; the message says which."""


def check(condition, message):
    if not condition:
        raise Failed(message)


# Limits are of a quiet machine. Scenes run side by side, and beside builds.
PATIENCE = 5


def wait_for(what, condition, timeout):
    """Waits until `condition()` is true; fails naming `what` when it is not in PATIENCE times `timeout` seconds."""
    timeout *= PATIENCE
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < deadline, f"{what}: not within {timeout} s")
        time.sleep(0.05)


def program(name):
    """The path of a tool that must be there."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    check(path, f"{name} is not installed: run make test, which installs it")
    return path


class Ports:
    """Loopback ports of this process alone: blocks below those that Linux gives out by itself, each held by a lock on a file."""

    FIRST, BLOCK, COUNT = 10_000, 100, 220
    FOLDER = pathlib.Path(tempfile.gettempdir()) / f"martlet-ports-{os.getuid()}"

    def __init__(self):
        self.locks, self.free = [], []

    def take(self, count):
        """The first of `count` consecutive ports that nobody listens on."""
        while True:
            while len(self.free) < count:
                self.free = self.block()
            ports, self.free = self.free[:count], self.free[count:]
            if all(map(self.unused, ports)):
                return ports[0]

    def block(self):
        self.FOLDER.mkdir(exist_ok=True)
        for number in range(self.COUNT):
            lock = open(self.FOLDER / str(number), "w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.close()
                continue
            self.locks.append(lock)
            first = self.FIRST + number * self.BLOCK
            return list(range(first, first + self.BLOCK))
        raise Failed("all blocks of ports are taken by other tests")

    @staticmethod
    def unused(port):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
            return True


_ports = Ports()


def free_ports(count=1):
    """The first of `count` consecutive loopback ports that nobody uses, and that no other test is given while this one runs."""
    return _ports.take(count)


class Process:
    """A program of the test: its output goes to files in the test's folder, and it never outlives the test."""

    def __init__(self, name, command, logs, environment=None, stdin=subprocess.DEVNULL):
        self.name = name
        self.output = logs / f"{name}.out"
        self.errors = logs / f"{name}.err"
        with open(self.output, "ab") as output, open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=stdin, stdout=output, stderr=errors, cwd=ROOT,
                env={**os.environ, **(environment or {})})

    @property
    def pid(self):
        return self.process.pid

    def text(self):
        return self.output.read_text(errors="replace") + self.errors.read_text(errors="replace")

    def alive(self):
        return self.process.poll() is None

    def expect(self, text, timeout):
        def seen():
            check(self.alive() or text in self.text(),
                  f"{self.name} ended with status {self.process.returncode} before it said '{text}'")
            return text in self.text()
        wait_for(f"{self.name} says '{text}'", seen, timeout)

    def end(self, number=signal.SIGTERM, timeout=15):
        """Sends the signal and returns the exit status; what does not end is killed, and that is a failure."""
        if self.alive():
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout * PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed(f"{self.name} did not end within {timeout * PATIENCE} s of signal {int(number)}") from None

    def discard(self):
        if self.alive():
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Broker:
    """A private mosquitto. It keeps its sessions on disk, so that stopping it loses nothing it has acknowledged."""

    def __init__(self, bench):
        self.bench = bench
        self.port = free_ports()
        self.folder = bench.folder / "broker"
        self.folder.mkdir()
        self.configuration = self.folder / "mosquitto.conf"
        self.configuration.write_text(
            f"listener {self.port} 127.0.0.1\nset_tcp_nodelay true\n{self.settings()}"
            f"log_dest stderr\nlog_type error\nlog_type warning\n" + ("user root\n" if os.getuid() == 0 else ""))
        self.process = None
        self.start()

    def settings(self):
        """Lines of the configuration: users and sessions."""
        return (f"allow_anonymous true\npersistence true\npersistence_location {self.folder}/\n"
                "max_queued_messages 0\nmax_inflight_messages 0\n")

    def start(self):
        self.process = self.bench.start("mosquitto", [program("mosquitto"), "-c", self.configuration])

        def listens():
            check(self.process.alive(), "mosquitto ended: " + self.process.text()[-500:])
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0
        wait_for("mosquitto listens", listens, 10)

    def stop(self):
        self.process.end()


class Consumer:
    """A subscriber with a persistent session; keeps every message in the order of arrival."""

    def __init__(self, broker, prefix="martlet"):
        self.lock = threading.Lock()
        self.messages = []  # (topic, payload)
        self.redelivered = set()  # payloads that the broker sent again because it missed the consumer's acknowledgement
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="consumer", clean_session=False)
        self.client.reconnect_delay_set(1, 1)
        subscribed = threading.Event()
        self.client.on_connect = lambda client, *_: client.subscribe(f"{prefix}/#", qos=1)
        self.client.on_subscribe = lambda *_: subscribed.set()
        self.client.on_message = self._received
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()
        check(subscribed.wait(10 * PATIENCE), "the consumer could not subscribe")

    def _received(self, _client, _data, message):
        with self.lock:
            self.messages.append((message.topic, message.payload))
            if message.dup:
                self.redelivered.add(message.payload)

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()

    def last(self, topic):
        with self.lock:
            found = [payload for name, payload in self.messages if name == topic]
        return found[-1].decode() if found else None

    def readings(self, from_gateway=False):
        """Every reading in the order of arrival, from both lanes: …/state (an object) and …/history (an array).
        `from_gateway`: without the repeats that are the broker's own."""
        with self.lock:
            messages = [message for message in self.messages
                        if not (from_gateway and message[1] in self.redelivered)]
        result = []
        for topic, payload in messages:
            parts = topic.split("/")
            if len(parts) != 4 or parts[1] != "dev" or parts[3] not in ("state", "history"):
                continue
            items = json.loads(payload)
            check(isinstance(items, list) == (parts[3] == "history"), f"{topic}: wrong kind of payload")
            for item in items if isinstance(items, list) else [items]:
                check(item["dev"] == parts[2], f"{topic}: the payload is of {item['dev']}")
                check(bool(item.get("historical")) == (parts[3] == "history"), f"{topic}: 'historical' is wrong")
                result.append(item)
        return result


class Sensor:
    """sensor.py as a process, and the log of what it sent."""

    def __init__(self, bench, radio_port, number, kind, rate, drop_every=0, pad=0, passkey=None):
        self.kind = kind
        self.address = f"F0:00:00:00:{number // 256:02X}:{number % 256:02X}"
        self.dev = self.address.replace(":", "").lower()
        self.name = f"rig-{kind}-{number}"
        self.process = bench.start(self.name, [
            PYTHON, RIG_SOURCES / "sensor.py", "--transport", f"tcp-client:127.0.0.1:{radio_port}", "--kind", kind,
            "--address", self.address, "--name", self.name, "--rate", rate, "--drop-every", drop_every,
            "--pad", pad, *(["--passkey", passkey] if passkey else [])])

    def events(self, *kinds):
        lines = self.process.output.read_text().splitlines()
        events = [json.loads(line) for line in lines if line.endswith("}")]
        return [event for event in events if event["event"] in kinds] if kinds else events

    def sent(self):
        return self.events("sent")

    def stop(self):
        """Ends it after everything it accepted has been on the air."""
        status = self.process.end(timeout=45)
        check(status == 0 and self.events("finished"), f"{self.name} ended with status {status}")


class Gateway:
    """`martlet run` as a process."""

    def __init__(self, bench, configuration, controller, capture=None, name="martlet", inside=()):
        """inside: a command that runs the one behind it."""
        self.martlet, self.configuration = bench.martlet, configuration
        command = [*inside, bench.martlet, "run", "--config", configuration, "--controller", controller]
        self.process = bench.start(name, command + (["--capture", capture] if capture else []))

    def stop(self):
        """SIGTERM: it drains and ends within 5 s (some slack for a busy machine)."""
        status = self.process.end(timeout=15)
        check(status == 0, f"martlet ended with status {status} after SIGTERM")

    def kill(self):
        self.process.process.kill()
        self.process.process.wait()

    def status(self):
        """What `martlet status` says, as a dictionary; None while nobody answers."""
        answer = subprocess.run([self.martlet, "status", "--json", "--config", self.configuration], capture_output=True)
        return json.loads(answer.stdout) if answer.returncode == 0 else None


class Bench:
    """One test's folder, processes and programs."""

    def __init__(self, name, martlet):
        self.name = name
        self.martlet = martlet
        self.peer = martlet.with_name("martlet-peer")
        self.folder = RIG / "logs" / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.short = pathlib.Path(tempfile.mkdtemp(prefix="martlet-"))
        self.processes = []
        self.consumers = []

    def start(self, name, command, environment=None, stdin=subprocess.DEVNULL):
        process = Process(name, command, self.folder, environment, stdin)
        self.processes.append(process)
        return process

    def radio(self):
        """The port of a virtual radio (RootCanal) of this test."""
        port = free_ports(5)
        radio = self.start("radio", [RIG_SOURCES / "radio.sh", port],
                           {"RADIO_LOG": str(self.folder / "rootcanal.log")})
        radio.expect("radio: ready", 30)
        return port

    def broker(self):
        return Broker(self)

    def consumer(self, broker):
        consumer = Consumer(broker)
        self.consumers.append(consumer)
        return consumer

    def configuration(self, broker_port, sensors, name="martlet.toml", host="127.0.0.1", state=None, extra="", mqtt="",
                      journal=None, journal_keys=""):
        """Writes a configuration; `sensors` are TOML criteria and the feeds to subscribe to; `journal` is its path."""
        # A Unix socket's path holds 107 octets: it may not lie in a deep folder.
        socket_folder = state or self.short
        state = state or self.folder / "state"
        journal = journal or f"{state}/journal.db"
        text = (
            f'[gateway]\nid = "gw-interop"\n\n'
            f'[bluetooth]\nstate_directory = "{state}"\n\n'
            f'[journal]\npath = "{journal}"\ncommit_rows = 100\ncommit_interval_ms = 200\n{journal_keys}\n'
            f'[mqtt]\nhost = "{host}"\nport = {broker_port}\n{mqtt}\n'
            f'[clock]\nrequire_sync = false\n\n'
            f'[control]\nsocket = "{socket_folder}/{name}.sock"\n')
        for criterion, feeds in sensors:
            text += f"\n[[sensor]]\n{criterion}\nsubscribe = {json.dumps(feeds)}\n"
        pathlib.Path(state).mkdir(exist_ok=True)
        path = self.folder / name
        path.write_text(text + extra)
        return path

    def close(self):
        for consumer in self.consumers:
            consumer.close()
        for process in reversed(self.processes):
            process.discard()
        shutil.rmtree(self.short, ignore_errors=True)
