#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [--gateways 5] [--sensors 10] [--queues quorum] - nodes of a clustered broker die under the load of gateways.

Three nodes of RabbitMQ on loopback. Gateways (`martlet run`, each with a state of its own) collect from sensors that number
their values, all in one virtual radio, and know the three brokers. A consumer with a persistent session moves from node to
node. The node that the consumer is connected to is killed (SIGKILL), started again, and then the node that leads the consumer's
queue. In the end the consumer has every reading that was ever numbered, in order, and what it has is what the gateways say.

`--queues classic` keeps sessions on one node each: then the test has to fail. It takes two minutes. Logs lie in .rig/logs/cluster.
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
sys.path.insert(0, str(HERE.parent / "Rig"))
from broker import Cluster  # noqa: E402
from harness import COUNTER_SERVICE, COUNTER_VALUE, Bench, Failed, check, free_ports, wait_for  # noqa: E402

FEED = f"{COUNTER_SERVICE}/{COUNTER_VALUE}"
SESSION = "cluster-archive"
QUEUE = f"mqtt-subscription-{SESSION}qos1"


class Consumer:
    """A subscriber that remembers what it has seen and goes on at the next node when its own is gone.

    A message is acknowledged after `_message` has noted it: what dies in between comes again.
    """

    def __init__(self, ports):
        self.ports, self.at = ports, 0
        self.lock = threading.Lock()
        self.numbers = {}    # gateway: {n: (dev, the sensor's own number)}
        self.newest = {}     # (gateway, dev, lane): the n that came last for the first time
        self.newest_live = {}  # (gateway, dev): the n that came last on …/state, repeats of the gateway included
        self.repeats = 0
        self.complaints = []
        self.connections = 0
        self.arrived = time.monotonic()
        self.longest_silence = 0.0
        self.ready = threading.Event()
        self.stopping = False
        self.client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2, client_id=SESSION, clean_session=False, reconnect_on_failure=False)
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
        if n < self.newest.get((gateway, dev, lane), 0):
            self._complain(f"{n} of {gateway} comes on {lane} of {dev} after {self.newest[gateway, dev, lane]}")
        self.newest[gateway, dev, lane] = n

    def _complain(self, text):
        self.complaints.append(text)

    def count(self, gateway=None):
        with self.lock:
            return sum(len(numbers) for name, numbers in self.numbers.items() if gateway in (None, name))

    def stop(self):
        self.stopping = True
        self.thread.join(5)
        self.client.disconnect()


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


def kill_under_load(cluster, victim, gateways, consumer, said):
    """Kills a node while values flow, and waits until every gateway and the consumer go on at another."""
    ports = {gateway.id: gateway.broker() for gateway in gateways}
    on_it = [name for name, port in ports.items() if port == victim.mqtt]
    check(on_it, f"no gateway is connected to {victim.name}, so that to kill it would show little: {ports}")
    consumer_was_on_it = consumer.port == victim.mqtt
    before, connections = consumer.count(), consumer.connections
    check(before > 0, "nothing flows")
    victim.kill()
    killed = time.monotonic()
    for gateway in gateways:
        wait_for(f"{gateway.id} goes on at another node", lambda: gateway.broker() not in (None, victim.mqtt), 60)
    if consumer_was_on_it:
        wait_for("the consumer goes on at another node", lambda: consumer.connections > connections, 60)
    at = consumer.count()
    wait_for("readings arrive again", lambda: consumer.count() > at + 100, 60)
    said.append(f"{victim.name} killed with {len(on_it)} gateways{' and the consumer' if consumer_was_on_it else ''} "
                f"on it, all went on within {time.monotonic() - killed:.0f} s")


def see(bench, cluster, arguments):
    said = []
    cluster.start()
    ports = [node.mqtt for node in cluster.nodes]
    consumer = Consumer(ports)
    bench.consumers.append(argparse.Namespace(close=consumer.stop))
    check(consumer.ready.wait(30), "the consumer could not subscribe")

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
    began, first = time.monotonic(), consumer.count()
    time.sleep(10)  # load on three nodes
    said.append(f"{count} sensors of {len(gateways)} gateways, {(consumer.count() - first) / (time.monotonic() - began):.0f} "
                f"readings a second")

    first_victim = next(node for node in cluster.nodes if node.mqtt == consumer.port)
    kill_under_load(cluster, first_victim, gateways, consumer, said)
    time.sleep(10)  # load on two nodes
    first_victim.start()
    first_victim.await_mqtt()
    survivor = next(node for node in cluster.nodes if node is not first_victim)
    if cluster.queues == "quorum":
        wait_for("the session's queue is on three nodes again",
                 lambda: len(cluster.queue(QUEUE, survivor)["online"]) == 3, 60)
    time.sleep(5)
    # Gateways go back to their first node when they are started anew, not before: two are, and carry on their journals.
    for gateway in gateways:
        if not any(node.mqtt == gateway.broker() for node in cluster.nodes if node is not first_victim):
            raise Failed(f"{gateway.id} has left a connection that stood")

    queue = cluster.queue(QUEUE, survivor)
    check(queue, f"no queue {QUEUE}")
    leader = next((node for node in cluster.nodes if node.name == queue.get("leader")), None)
    second_victim = leader if leader not in (None, first_victim) else next(
        node for node in cluster.nodes if node is not first_victim and node.mqtt == gateways[0].broker())
    if second_victim is leader:
        said.append("the second one led the session's queue")
    kill_under_load(cluster, second_victim, gateways, consumer, said)
    time.sleep(10)

    # The sensors fall silent; what waits is delivered.
    check(air.end() == 0, "the virtual radio failed")
    for gateway in gateways:
        wait_for(f"{gateway.id} has delivered all", gateway.drained, 60)
    books = {}
    for gateway in gateways:
        check(gateway.process.end(signal.SIGTERM) == 0, f"{gateway.id} failed: {gateway.process.text()[-300:]}")
        books[gateway.id] = gateway.audit()
    expected = sum(book["delivered"] for book in books.values())
    try:
        wait_for("the consumer has all", lambda: consumer.count() >= expected, 30)
    except Failed:
        pass  # told below, gateway by gateway
    time.sleep(2)  # what came beyond that would be too much
    judge(consumer, books, said)
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
    check(not wrong, f"{len(wrong)} complaints: " + "; ".join(wrong[:8]))
    check(total == sum(book["received"] for book in books.values()), "the sums differ")
    said.append(f"{total} readings = the sum of what {len(books)} gateways received and delivered; "
                f"{consumer.repeats} repeats left out, none missing, order kept, longest silence {consumer.longest_silence:.1f} s")


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
