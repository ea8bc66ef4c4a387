# SPDX-License-Identifier: Apache-2.0
"""The clients of a gateway that is asked again and again: control socket, page and MQTT."""
import http.client
import json
import pathlib
import signal
import socket
import threading
import time
import tomllib

import paho.mqtt.client as mqtt

import operations
from harness import check

PATIENCE = 120  # seconds; of a machine that does other things as well


class Refused(Exception):
    """The gateway says no, and why."""


class TooOften(Refused):
    """It says no because the command has a pace, and comes faster."""


def value_of(thing):
    return thing() if callable(thing) else thing


class ControlSocket:
    """A connection for each round, as the command line has one for each command."""

    def __init__(self, bench, configuration):
        self.path = tomllib.loads(pathlib.Path(configuration).read_text())["control"]["socket"]

    def lines(self, request, last):
        """The answers to a request, until `last` is true of one or the gateway closes."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self.path)
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as file:
                for line in file:
                    answer = json.loads(line)
                    yield answer
                    if last(answer):
                        return

    def ask(self, command, arguments):
        verb, _, action = command.partition(" ")
        request = {"command": verb, **({"action": action} if action else {}), **arguments}
        answer = None
        # A dialogue goes on until it fails, or says what it was about.
        for answer in self.lines(request, lambda answer: verb not in ("pair", "inspect") or not answer["ok"]):
            pass
        check(answer is not None, f"{command}: no answer")
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer["result"]

    def hold(self, request):
        """A dialogue that somebody stays in until the socket is closed."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.path)
        connection.sendall(json.dumps(request).encode() + b"\n")
        return connection

    def round(self, name):
        for step in operations.CONTROL[name]:
            arguments = dict(value_of(step))
            command = arguments.pop("command", name)
            try:
                self.ask(command, arguments)
            except Refused as refusal:
                # A sensor may not have been heard in time, on a machine that does other things as well.
                if "was not heard" not in str(refusal):
                    raise
                self.ask(command, arguments)


class Page:
    """A browser that keeps its connection, on loopback and so without a password."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def ask(self, method, path, body=None, kind="application/json"):
        headers = {"Host": "localhost", **({"Content-Type": kind, "Origin": f"http://localhost:{self.port}",
                                            "Host": f"localhost:{self.port}"} if method == "POST" else {})}
        for attempt in range(2):
            try:
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                octets = answer.read()
                break
            except (ConnectionError, http.client.HTTPException):
                # The gateway has closed a connection that was silent.
                self.connection.close()
                check(attempt == 0, f"{method} {path}: no answer twice")
        if answer.status >= 400:
            raise Refused(json.loads(octets).get("error", str(answer.status)))
        return octets

    def close(self):
        self.connection.close()

    def round(self, name):
        method, path = name.split(" ")
        if path == "/events":
            return self.events()
        steps = operations.PAGE.get(name, "")
        if method == "GET":
            return self.ask("GET", path + steps)
        if isinstance(steps, str):
            return self.ask("POST", path, steps, "application/x-www-form-urlencoded")
        for step in steps:
            target, body = step if isinstance(step, tuple) else (path, step)
            self.ask("POST", target, json.dumps(body))
        return None

    def events(self):
        """A visitor who looks at the page for a moment, and goes without a word."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", "/events", headers={"Host": "localhost"})
        answer = connection.getresponse()
        if answer.status >= 400:
            connection.close()
            # Places of visitors who have gone are free again when that is noticed.
            time.sleep(0.2)
            return self.events()
        answer.read(64)
        answer.close()
        connection.close()

    def reload(self, gateway):
        """SIGHUP, and when it is done the next."""
        log, told = gateway.process.errors, "configuration reloaded"
        size = log.stat().st_size
        gateway.process.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE
        while True:
            with open(log, "rb") as file:
                file.seek(size)
                if told.encode() in file.read():
                    return
            check(time.monotonic() < deadline, "the configuration is not read again")
            time.sleep(0.002)


class Remote:
    """A client of the broker that sends commands and waits for each answer."""

    def __init__(self, port):
        self.answers, self.number, self.bell = {}, 0, threading.Condition()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="asking")
        ready = threading.Event()
        self.client.on_connect = lambda client, *_: client.subscribe("martlet/gw/gw-interop/result", qos=1)
        self.client.on_subscribe = lambda *_: ready.set()
        self.client.on_message = self.received
        # A command does not wait for the acknowledgement of the answer before it.
        self.client.on_socket_open = lambda _client, _data, sock: sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        check(ready.wait(PATIENCE), "the broker does not let us subscribe")

    def received(self, _client, _data, message):
        answer = json.loads(message.payload)
        with self.bell:
            self.answers[answer.get("id")] = answer
            self.bell.notify_all()

    def ask(self, verb, arguments=None):
        self.number += 1
        name = str(self.number)
        self.client.publish(f"martlet/gw/gw-interop/cmd/{verb}", json.dumps({"id": name, **(arguments or {})}), qos=1)
        with self.bell:
            check(self.bell.wait_for(lambda: name in self.answers, PATIENCE), "a command over MQTT has no answer")
            answer = self.answers.pop(name)
        if not answer["ok"]:
            raise (TooOften if "came too often" in answer["error"] else Refused)(answer["error"])

    def round(self, verb):
        """What was begun is ended, however long the pace of that command lets it wait."""
        for number, step in enumerate(operations.MQTT[verb]):
            while True:
                try:
                    self.ask(*(step if isinstance(step, tuple) else (verb, step)))
                    break
                except TooOften:
                    if number == 0:
                        raise
                    time.sleep(0.2)
