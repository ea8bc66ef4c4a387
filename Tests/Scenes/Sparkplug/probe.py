#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""probe.py PORT HOST - a Sparkplug host application named HOST at the broker on PORT.

Decodes every message by pysparkplug and prints it as a line of JSON. It is online, by its STATE, once it has subscribed. Lines
on stdin: `offline`, `online`, `outdated` (offline with an earlier time than the last word), `rebirth GROUP NODE`,
`write GROUP NODE` (a command that nobody may give), `rubbish GROUP NODE` (octets that are no payload).
"""
import json
import sys
import threading
import time

import paho.mqtt.client as mqtt
import pysparkplug
from pysparkplug import _protobuf as protobuf

PAYLOADS = {
    "NBIRTH": pysparkplug.NBirth, "NDATA": pysparkplug.NData, "NDEATH": pysparkplug.NDeath,
    "DBIRTH": pysparkplug.DBirth, "DDATA": pysparkplug.DData, "DDEATH": pysparkplug.DDeath,
}
BIRTHS = {"NDATA": "NBIRTH", "DDATA": "DBIRTH"}


class Probe:
    def __init__(self, port, host):
        self.topic = f"spBv1.0/STATE/{host}"
        self.lock = threading.Lock()
        self.births = {}
        self.wants_online = True
        self.time = self.now()
        self.client = mqtt.Client("host-" + host)
        self.client.will_set(self.topic, self.state(False), 1, True)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self.client.on_subscribe = self.subscribed
        self.client.on_message = self.received
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    @staticmethod
    def now():
        return int(time.time() * 1000)

    def state(self, online):
        return pysparkplug.State(timestamp=self.time, online=online).encode()

    def say(self, **what):
        with self.lock:
            print(json.dumps(what), flush=True)

    def subscribed(self, *_):
        if self.wants_online:
            self.publish_state(True)
        self.say(kind="ready")

    def publish_state(self, online):
        self.wants_online = online
        self.time = self.now()
        self.client.publish(self.topic, self.state(online), 1, True)

    def received(self, _client, _data, message):
        levels = message.topic.split("/")
        if levels[0] != "spBv1.0":
            return self.say(kind="other", topic=message.topic, retain=message.retain)
        if levels[1] == "STATE" or levels[2].endswith("CMD"):
            return None
        kind, source = levels[2], "/".join(levels[3:])
        try:
            birth = self.births.get((BIRTHS[kind], source)) if kind in BIRTHS else None
            payload = PAYLOADS[kind].decode(message.payload, birth=birth)
        except Exception as error:
            return self.say(kind="broken", topic=message.topic, error=repr(error))
        if kind in BIRTHS.values():
            self.births[kind, source] = payload
        # pysparkplug passes over properties, its protobuf does not.
        wire = protobuf.Payload.FromString(message.payload)
        units = [dict(zip(metric.properties.keys, (value.string_value for value in metric.properties.values)))
                 for metric in wire.metrics]
        metrics = [payload.bd_seq_metric] if kind == "NDEATH" else getattr(payload, "metrics", ())
        return self.say(
            kind=kind, group=levels[1], node=levels[3], device=levels[4] if len(levels) > 4 else None,
            qos=message.qos, retain=message.retain, timestamp=wire.timestamp if wire.HasField("timestamp") else None,
            seq=wire.seq if wire.HasField("seq") else None,
            metrics=[dict(
                name=metric.name, value=metric.value, type=metric.datatype.name, null=metric.is_null,
                historical=metric.is_historical, timestamp=metric.timestamp, properties=more)
                for metric, more in zip(metrics, units)])

    def command(self, group, node, octets):
        self.client.publish(f"spBv1.0/{group}/NCMD/{node}", octets, 0)

    def obey(self, line):
        word, *rest = line.split()
        if word in ("online", "offline"):
            self.publish_state(word == "online")
        elif word == "outdated":
            octets = pysparkplug.State(timestamp=self.time - 1000, online=False).encode()
            self.client.publish(self.topic, octets, 1, True)
        elif word == "rubbish":
            self.command(*rest, b"\xff" * 300)
        else:
            metric = pysparkplug.Metric(
                timestamp=self.now(), datatype=pysparkplug.DataType.BOOLEAN, value=True,
                name="Node Control/Rebirth" if word == "rebirth" else "Properties/version")
            payload = pysparkplug.NCmd(timestamp=self.now(), metrics=(metric,))
            self.command(*rest, payload.encode(include_dtypes=True))


probe = Probe(int(sys.argv[1]), sys.argv[2])
for line in sys.stdin:
    probe.obey(line)
