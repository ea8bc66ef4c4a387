#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [--gateways 5] [--sensors 10] [--queues quorum] - nodes of a clustered broker die under the load of gateways.

Three nodes of RabbitMQ on loopback. Gateways (`martlet run`, each with a state of its own) collect from sensors that number
their values, all in one virtual radio, and know the three brokers. Two consumers have persistent sessions: `archive`, whose
own node is killed and which goes on at the next one, and `witness`, which stays on the node that lives.

Under load n1 is killed (SIGKILL), which leads the archive's queue and has its connection; it is started again; then n2, which
leads the witness's queue. In the end both consumers have every reading that was ever numbered, and as many as the gateways'
books say. Order is that of `n` for each sensor and lane. The witness gets it without an exception. To the archive, RabbitMQ
may give what was under way to the connection that died again, flagged DUP and behind newer ones: no more than its prefetch
a connection, and nothing else.

`--queues classic` keeps each session on one node: then the test has to fail. It takes two minutes. Logs lie in .rig/logs/cluster.
"""
import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import paho.mqtt.client as mqtt

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Rig"))
from broker import Cluster  # noqa: E402
from harness import COUNTER_SERVICE, COUNTER_VALUE, Bench, Failed, check, free_ports, wait_for  # noqa: E402

FEED = f"{COUNTER_SERVICE}/{COUNTER_VALUE}"
# RabbitMQ's mqtt.prefetch: what it sends a subscriber ahead of acknowledgements.
PREFETCH = 10


class Consumer:
    """A subscriber that remembers what it has seen and goes on at the next node when its own is gone.

    A message is acknowledged after `_message` has noted it: what dies in between comes again.
    """

    def __init__(self, name, ports, log):
        self.name, self.ports, self.at = name, ports, 0
        self.queue = f"mqtt-subscription-{name}qos1"
        self.log = open(log, "w")  # every reading as it came
        self.lock = threading.Lock()
        self.numbers = {}    # gateway: {n: (dev, the sensor's own number)}
        self.newest = {}     # (gateway, dev, lane): the n that came last for the first time
        self.newest_live = {}  # (gateway, dev): the n that came last on …/state, repeats of the gateway included
        self.repeats = 0
        self.late = 0        # given again by the broker, for the first time here, behind newer ones
        self.complaints = []
        self.connections = 0
        self.arrived = time.monotonic()
        self.longest_silence = 0.0
        self.ready = threading.Event()
        self.stopping = False
        self.client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2, client_id=name, clean_session=False, reconnect_on_failure=False)
        self.client.on_connect = self._connected
        self.client.on_subscribe = lambda *_: self.ready.set()
        self.client.on_message = self._message
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    @property
    def port(self):
        return self.ports[self.at]

    def _run(self):
        while not self.stopping:
            try:
                self.client.connect("127.0.0.1", self.port, keepalive=10)
                began = time.monotonic()
                while not self.stopping and self.client.loop(timeout=0.2) == mqtt.MQTT_ERR_SUCCESS:
                    if not self.client.is_connected() and time.monotonic() - began > 10:
                        break  # no CONNACK
            except OSError:
                pass
            if not self.stopping:
                self.at = (self.at + 1) % len(self.ports)
                time.sleep(0.2)

    def _connected(self, client, _data, _flags, reason, _properties):
        if not reason.is_failure:
            self.connections += 1
            client.subscribe([("martlet/dev/+/state", 1), ("martlet/dev/+/history", 1)])

    def _message(self, _client, _data, message):
        lane = message.topic.rsplit("/", 1)[1]
        payload = json.loads(message.payload)
        with self.lock:
            now = time.monotonic()
            self.longest_silence = max(self.longest_silence, now - self.arrived)
            self.arrived = now
            for reading in payload if lane == "history" else [payload]:
                self._note(reading, lane, message.dup)

    def _note(self, reading, lane, broker_repeats):
        gateway, dev, n = reading["gw"], reading["dev"], reading["n"]
        print(f"{time.time():.3f} {self.port} {lane} {gateway} {dev} {n}{' dup' if broker_repeats else ''}", file=self.log)
        value = (dev, int.from_bytes(bytes.fromhex(reading["raw"])[:4], "little"))
        if lane == "state" and not broker_repeats:
            # Repeats of the broker aside, …/state never goes back, and repeats nothing but the newest.
            if n < self.newest_live.get((gateway, dev), 0):
                self._complain(f"…/state of {dev} goes back to {n} of {gateway}")
            self.newest_live[gateway, dev] = n
        known = self.numbers.setdefault(gateway, {})
        if n in known:
            self.repeats += 1
            if known[n] != value:
                self._complain(f"{n} of {gateway} is {known[n]} and {value}")
            return
        known[n] = value
        newest = self.newest.get((gateway, dev, lane), 0)
        if n > newest:
            self.newest[gateway, dev, lane] = n
        elif broker_repeats:
            self.late += 1
        else:
            self._complain(f"{n} of {gateway} comes on {lane} of {dev} after {newest}")

    def _complain(self, text):
        self.complaints.append(f"{self.name}: {text}")

    def move(self):
        """Leaves its node for the next one; the session stays."""
        connections = self.connections
        self.client.disconnect()
        wait_for(f"{self.name} goes on at the next node", lambda: self.connections > connections, 30)

    def count(self, gateway=None):
        with self.lock:
            return sum(len(numbers) for name, numbers in self.numbers.items() if gateway in (None, name))

    def stop(self):
        self.stopping = True
        self.thread.join(5)
        self.client.disconnect()
        self.log.close()


class Gateway:
    """`martlet run` with a state of its own; its list of brokers begins at another node than its neighbour's."""

    def __init__(self, bench, number, radio, ports, addresses):
        self.id = f"gw-{number}"
        self.martlet = bench.martlet
        folder = bench.short / self.id
        folder.mkdir()
        self.journal = folder / "journal.db"
        first = number % len(ports)
        brokers = [f"127.0.0.1:{port}" for port in ports[first:] + ports[:first]]
        text = (
            f'[gateway]\nid = "{self.id}"\n\n[bluetooth]\ncontroller = "tcp:127.0.0.1:{radio}"\n'
            f'state_directory = "{folder}"\n\n[journal]\npath = "{self.journal}"\n\n'
            f'[mqtt]\nbrokers = {json.dumps(brokers)}\nhistory_rows_per_second = 0\n\n[clock]\nrequire_sync = false\n\n'
            f'[control]\nsocket = "{folder}/control.sock"\n\n[provisioning]\nenabled = false\n')
        for address in addresses:
            text += (f'\n[[sensor]]\naddress = "{address}"\nsubscribe = ["{FEED}"]\n'
                     f'sequence = {{ characteristic = "{FEED}", offset = 0, length = 4 }}\n')
        self.configuration = bench.folder / f"{self.id}.toml"
        self.configuration.write_text(text)
        self.process = bench.start(self.id, [bench.martlet, "run", "--config", self.configuration])

    def status(self):
        answer = subprocess.run(
            [self.martlet, "status", "--json", "--config", self.configuration], capture_output=True, timeout=20)
        return json.loads(answer.stdout) if answer.returncode == 0 else None

    def collects(self, count):
        status = self.status()
        return status and sum(sensor["link"] == "collecting" for sensor in status["collector"]["sensors"]) == count

    def broker(self):
        """The port of the node in use; None without one."""
        mqtt_status = (self.status() or {}).get("mqtt", {})
        return int(mqtt_status["broker"].rsplit(":", 1)[1]) if mqtt_status.get("connected") else None

    def drained(self):
        journal = (self.status() or {}).get("journal", {})
        return journal.get("buffered") == 0 and journal.get("waiting") == 0

    def audit(self):
        answer = subprocess.run([self.martlet, "audit", "--json", "--config", self.configuration], capture_output=True)
        check(answer.returncode == 0, f"{self.id}: the books do not balance: {answer.stdout[-500:]}{answer.stderr[-300:]}")
        return json.loads(answer.stdout)["total"]


def kill_under_load(victim, gateways, consumers, said):
    """Kills a node while values flow, and waits until every gateway and consumer goes on at another."""
    ports = {gateway.id: gateway.broker() for gateway in gateways}
    on_it = [name for name, port in ports.items() if port == victim.mqtt]
    check(on_it, f"no gateway is connected to {victim.name}, so that to kill it would show little: {ports}")
    moving = {consumer: consumer.connections for consumer in consumers if consumer.port == victim.mqtt}
    victim.kill()
    killed = time.monotonic()
    for gateway in gateways:
        wait_for(f"{gateway.id} goes on at another node", lambda: gateway.broker() not in (None, victim.mqtt), 60)
    for consumer, before in moving.items():
        wait_for(f"{consumer.name} goes on at another node", lambda: consumer.connections > before, 60)
    for consumer in consumers:
        at = consumer.count()
        wait_for(f"readings arrive again at {consumer.name}", lambda: consumer.count() > at + 100, 60)
    names = [f"{len(on_it)} gateways", *(consumer.name for consumer in moving)]
    said.append(f"{victim.name} killed with {' and '.join(names)} on it; everything went on within "
                f"{time.monotonic() - killed:.0f} s")


def led_by(cluster, node, consumer, at):
    queue = cluster.queue(consumer.queue, at)
    check(queue and queue["type"] == cluster.queues, f"no {cluster.queues} queue {consumer.queue}: {queue}")
    return cluster.queues != "quorum" or queue["leader"] == node.name


def see(bench, cluster, arguments):
    said = []
    cluster.start()
    one, two, three = cluster.nodes
    ports = [node.mqtt for node in cluster.nodes]
    # A queue's leader is where the session was begun.
    archive = Consumer("archive", ports, bench.folder / "archive.log")
    witness = Consumer("witness", [two.mqtt, three.mqtt], bench.folder / "witness.log")
    consumers = [archive, witness]
    for consumer in consumers:
        bench.consumers.append(argparse.Namespace(close=consumer.stop))
        check(consumer.ready.wait(30), f"{consumer.name} could not subscribe")
    witness.move()
    check(witness.port == three.mqtt and archive.port == one.mqtt, "the consumers are not where they should be")

    radio = free_ports()
    count = arguments.gateways * arguments.sensors
    air = bench.start("radio", [bench.martlet, "virtual-radio", "--listen", f"tcp:{radio}", "--kind", "counter",
                                "--sensors", count])
    addresses = wait_for("the radio is ready", lambda: (
        (found := re.findall(r"^sensor (\S+)", air.text(), re.MULTILINE)) and len(found) == count and found), 10)
    gateways = [Gateway(bench, number, radio, ports, addresses[number::arguments.gateways])
                for number in range(arguments.gateways)]
    for gateway in gateways:
        wait_for(f"{gateway.id} collects", lambda: gateway.collects(arguments.sensors), 60)
    began, first = time.monotonic(), archive.count()
    time.sleep(10)  # load on three nodes
    said.append(f"{count} sensors of {len(gateways)} gateways, {(archive.count() - first) / (time.monotonic() - began):.0f} "
                f"readings a second")

    check(led_by(cluster, one, archive, three), f"{one.name} does not lead the archive's queue")
    kill_under_load(one, gateways, consumers, said)
    time.sleep(10)  # load on two nodes
    one.start()
    one.await_mqtt()
    if cluster.queues == "quorum":
        for consumer in consumers:
            wait_for(f"the queue of {consumer.name} is on three nodes again",
                     lambda: len(cluster.queue(consumer.queue, three)["online"]) == 3, 60)
    time.sleep(5)
    check(led_by(cluster, two, witness, three), f"{two.name} does not lead the witness's queue")
    kill_under_load(two, gateways, consumers, said)
    time.sleep(10)
    check(witness.connections == 2, "the witness lost its connection, to a node that lived")

    # The sensors fall silent; what waits is delivered.
    check(air.end() == 0, "the virtual radio failed")
    for gateway in gateways:
        wait_for(f"{gateway.id} has delivered all", gateway.drained, 60)
    books = {}
    for gateway in gateways:
        check(gateway.process.end(signal.SIGTERM) == 0, f"{gateway.id} failed: {gateway.process.text()[-300:]}")
        books[gateway.id] = gateway.audit()
    expected = sum(book["delivered"] for book in books.values())
    deadline = time.monotonic() + 30  # what is missing then is told gateway by gateway
    while time.monotonic() < deadline and any(consumer.count() < expected for consumer in consumers):
        time.sleep(0.1)
    time.sleep(2)  # what came beyond that would be too much
    for consumer in consumers:
        judge(consumer, books, said)
    check(witness.late == 0, f"the witness got {witness.late} readings behind newer ones")
    return said


def judge(consumer, books, said):
    with consumer.lock:
        wrong = list(consumer.complaints)
        for gateway, book in books.items():
            numbers = consumer.numbers.get(gateway, {})
            if book["buffered"] or book["dropped"] or book["missing"] or book["received"] != book["delivered"]:
                wrong.append(f"{gateway} did not deliver all that its sensors sent: {book}")
            absent = sorted(set(range(1, book["delivered"] + 1)) - numbers.keys())
            if absent:
                wrong.append(f"of {gateway} {len(absent)} of {book['delivered']} are missing, the first {absent[:5]}")
            if len(numbers) != book["delivered"]:
                wrong.append(f"of {gateway} {len(numbers)} arrived, and {book['delivered']} were delivered")
            own = {}
            for n in sorted(numbers):
                dev, value = numbers[n]
                own.setdefault(dev, []).append(value)
            for dev, values in own.items():
                if values != list(range(values[0], values[0] + len(values))):
                    wrong.append(f"the values of {dev}, which it numbers, have holes or another order")
        total = sum(len(numbers) for numbers in consumer.numbers.values())
        if consumer.late > PREFETCH * (consumer.connections - 1):
            wrong.append(f"{consumer.late} readings came late with {consumer.connections} connections")
    check(not wrong, f"{consumer.name}: {len(wrong)} complaints: " + "; ".join(wrong[:8]))
    check(total == sum(book["received"] for book in books.values()), "the sums differ")
    said.append(f"{consumer.name}: {total} readings = the sum of what {len(books)} gateways received and delivered; none "
                f"missing, {consumer.repeats} repeats left out, {consumer.late} behind newer ones, longest silence "
                f"{consumer.longest_silence:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("martlet", type=pathlib.Path)
    parser.add_argument("--gateways", type=int, default=6)
    parser.add_argument("--sensors", type=int, default=10, help="of each gateway")
    parser.add_argument("--queues", choices=["quorum", "classic"], default="quorum", help="what sessions are kept in")
    arguments = parser.parse_args()
    started = time.monotonic()
    bench = Bench("cluster", arguments.martlet.absolute())
    cluster = Cluster(bench, arguments.queues)
    try:
        said = see(bench, cluster, arguments)
    except Failed as failure:
        print(f"FAIL cluster: {failure}\n     logs: {bench.folder}", flush=True)
        return 1
    finally:
        try:
            cluster.close()
        finally:
            bench.close()
    print(f"PASS cluster ({time.monotonic() - started:.0f} s)", *said, sep="\n     ", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
