# SPDX-License-Identifier: Apache-2.0
"""Three nodes of RabbitMQ on loopback, with its MQTT plugin: private folder, epmd, cookie and ports; no system service."""
import json
import os
import pathlib
import signal
import socket
import subprocess

from harness import check, free_ports, program, wait_for

PROGRAMS = pathlib.Path("/usr/lib/rabbitmq/bin")
COOKIE = "martlet-test-cluster"

CONFIGURATION = """\
listeners.tcp.1 = 127.0.0.1:{amqp}
mqtt.listeners.tcp.1 = 127.0.0.1:{mqtt}
mqtt.allow_anonymous = true
# Sessions of QoS 1 live in queues that a majority of the nodes has on disk before a message is acknowledged.
mqtt.durable_queue_type = {queues}
loopback_users = none
# A node that does not see a majority stops, instead of going on alone.
cluster_partition_handling = pause_minority
cluster_formation.peer_discovery_backend = classic_config
{peers}
log.console = true
log.console.level = info
log.file = false
"""


class Node:
    """One node; what it keeps lies in its folder, and outlives a kill."""

    def __init__(self, cluster, number, ports):
        self.cluster, self.number = cluster, number
        self.name = f"n{number}@localhost"
        self.amqp, self.mqtt, self.distribution = ports
        self.folder = cluster.folder / f"n{number}"
        self.folder.mkdir(parents=True)
        self.pid_file = self.folder / "pid"
        self.starts = 0
        self.process = None

    def prepare(self):
        peers = "\n".join(
            f"cluster_formation.classic_config.nodes.{node.number} = {node.name}" for node in self.cluster.nodes)
        (self.folder / "rabbitmq.conf").write_text(
            CONFIGURATION.format(amqp=self.amqp, mqtt=self.mqtt, queues=self.cluster.queues, peers=peers))
        (self.folder / "enabled_plugins").write_text("[rabbitmq_mqtt].\n")

    @property
    def environment(self):
        return {
            "HOME": str(self.cluster.home), "ERL_EPMD_PORT": str(self.cluster.epmd_port), "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": self.name, "RABBITMQ_DIST_PORT": str(self.distribution),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.folder / "none.config"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"), "RABBITMQ_LOG_BASE": str(self.folder),
            "RABBITMQ_PID_FILE": str(self.pid_file),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        }

    def start(self):
        self.starts += 1
        self.pid_file.unlink(missing_ok=True)
        self.process = self.cluster.bench.start(
            f"n{self.number}-{self.starts}", [PROGRAMS / "rabbitmq-server"], self.environment)

    def await_mqtt(self, timeout=60):
        def listens():
            check(self.process.alive(), f"{self.name} ended: {self.process.text()[-500:]}")
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.mqtt)) == 0
        wait_for(f"{self.name} takes MQTT", listens, timeout)

    @property
    def pid(self):
        """The process of the node itself, which is a child of the script that starts it; None when it is gone."""
        try:
            pid = int(self.pid_file.read_text())
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        return pid if f"RABBITMQ_PID_FILE={self.pid_file}".encode() in environment else None

    def kill(self):
        pid = self.pid
        check(pid, f"{self.name} does not run")
        os.kill(pid, signal.SIGKILL)
        self.process.process.wait(10)

    def discard(self):
        # The script would first have the node stop in order.
        if (pid := self.pid) is not None:
            os.kill(pid, signal.SIGKILL)
        if self.process:
            self.process.discard()

    def control(self, *arguments):
        """What rabbitmqctl prints."""
        answer = subprocess.run(
            [str(PROGRAMS / "rabbitmqctl"), "--quiet", "--erlang-cookie", COOKIE, "--formatter", "json", *arguments],
            env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=60)
        check(answer.returncode == 0, f"rabbitmqctl {' '.join(arguments)}: {answer.stdout[-300:]}{answer.stderr[-300:]}")
        return answer.stdout


class Cluster:
    def __init__(self, bench, queues="quorum"):
        self.bench, self.queues = bench, queues
        self.folder = bench.folder / "cluster"
        self.home = self.folder / "home"
        self.home.mkdir(parents=True)
        cookie = self.home / ".erlang.cookie"
        cookie.write_text(COOKIE)
        cookie.chmod(0o400)
        self.epmd_port = free_ports()
        self.epmd = bench.start("epmd", [program("epmd"), "-address", "127.0.0.1", "-port", self.epmd_port])
        self.nodes = []
        for number in (1, 2, 3):
            first = free_ports(3)
            self.nodes.append(Node(self, number, (first, first + 1, first + 2)))
        for node in self.nodes:
            node.prepare()

    def start(self):
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.await_mqtt()

        def together():
            return len(json.loads(self.nodes[0].control("cluster_status"))["running_nodes"]) == 3
        wait_for("three nodes are one cluster", together, 30)

    def queue(self, name, at):
        """What the node `at` says of a queue: type, leader, members, those online, messages; None where there is none."""
        rows = json.loads(at.control("list_queues", "name", "type", "leader", "members", "online", "messages"))
        return next((row for row in rows if row["name"] == name), None)

    def close(self):
        for node in self.nodes:
            node.discard()
