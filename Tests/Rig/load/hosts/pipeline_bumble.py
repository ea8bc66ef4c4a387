#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pipeline_bumble.py PORT LINKS COUNT MQTT-PORT DATABASE - the pipeline as it is written in Python.

Bumble as the Central → sqlite3 (WAL, batches of 100) → paho-mqtt, QoS 1: a reading is committed before it is
published, and deleted once the broker has acknowledged it. Prints one JSON line when all are acknowledged and deleted;
the CPU time is that from the first value on.
"""
import asyncio
import json
import logging
import os
import resource
import sqlite3
import struct
import sys
import threading
import time

import paho.mqtt.client as mqtt
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.transport import open_transport

logging.basicConfig(level=logging.CRITICAL)
PORT, LINKS, COUNT, MQTT_PORT, DATABASE = (sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]),
                                           sys.argv[5])
BATCH = 100
TEMPERATURE = UUID.from_16_bits(0x2A6E)


def cpu_seconds():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


class Store:
    """Commits readings in batches, publishes them, deletes what has been acknowledged."""

    def __init__(self):
        self.database = sqlite3.connect(DATABASE, isolation_level=None)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA synchronous=NORMAL")
        self.database.execute("CREATE TABLE reading(id INTEGER PRIMARY KEY, time REAL NOT NULL, device TEXT NOT NULL, "
                              "characteristic TEXT NOT NULL, value BLOB NOT NULL)")
        self.waiting, self.next = [], 1
        self.lock, self.published, self.early, self.acknowledged = threading.Lock(), {}, set(), []
        self.acknowledgements = 0
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="bumble-pipeline")
        self.client.on_publish = self.on_publish
        self.client.connect("127.0.0.1", MQTT_PORT)
        self.client.loop_start()

    def on_publish(self, _client, _data, message, _reason, _properties):
        with self.lock:
            self.acknowledgements += 1
            row = self.published.pop(message, None)
            if row is None:
                self.early.add(message)
            else:
                self.acknowledged.append((row,))

    def flush(self):
        with self.lock:
            gone, self.acknowledged = self.acknowledged, []
        rows, self.waiting = self.waiting, []
        first, self.next = self.next, self.next + len(rows)
        self.database.execute("BEGIN")
        self.database.executemany("INSERT INTO reading VALUES(?,?,?,?,?)",
                                  [(first + index, *row) for index, row in enumerate(rows)])
        self.database.executemany("DELETE FROM reading WHERE id=?", gone)
        self.database.execute("COMMIT")
        for index, (when, device, _, value) in enumerate(rows):
            payload = json.dumps({"ts": when, "value": value.hex()})
            info = self.client.publish(f"martlet/dev/{device}/state", payload, qos=1)
            with self.lock:
                if info.mid in self.early:
                    self.early.discard(info.mid)
                    self.acknowledged.append((first + index,))
                else:
                    self.published[info.mid] = first + index

    def rows(self):
        return self.database.execute("SELECT count(*) FROM reading").fetchone()[0]


class Pipeline:
    def __init__(self, store):
        self.store = store
        self.callbacks, self.gaps, self.next = 0, 0, {}
        self.before = None
        self.complete = asyncio.Event()

    def value(self, device, value):
        if self.before is None:
            self.before = cpu_seconds()
        sequence, = struct.unpack_from("<I", value)
        self.gaps += sequence != self.next.get(device, 0)
        self.next[device] = sequence + 1
        self.callbacks += 1
        self.store.waiting.append((time.time(), device, "2a6e", value))
        if len(self.store.waiting) >= BATCH:
            self.store.flush()
        if self.callbacks >= COUNT:
            self.complete.set()

    async def subscribe(self, device, number):
        address = Address(bytes([number & 255, number >> 8, 0, 0x50, 0x5E, 0xC0]), Address.RANDOM_DEVICE_ADDRESS)
        connection = await device.connect(address)
        name = str(connection.peer_address).split("/")[0].replace(":", "").lower()
        peer = Peer(connection)
        await peer.request_mtu(247)
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                if characteristic.uuid == TEMPERATURE:
                    await characteristic.discover_descriptors()
                    await characteristic.subscribe(lambda value: self.value(name, bytes(value)))

    async def run(self):
        async with await open_transport(f"tcp-client:127.0.0.1:{PORT}") as (source, sink):
            device = Device.with_hci("host", Address("F0:F1:F2:F3:F4:F5"), source, sink)
            await device.power_on()
            for number in range(LINKS):
                await self.subscribe(device, number)
            await self.complete.wait()
            self.store.flush()
            while self.store.acknowledgements < COUNT:
                await asyncio.sleep(0.02)
                if len(self.store.acknowledged) >= BATCH:
                    self.store.flush()
            while self.store.rows():
                self.store.flush()
            cpu = cpu_seconds() - self.before
            print(json.dumps({"callbacks": self.callbacks, "gaps": self.gaps, "cpu_s": cpu,
                              "rss_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}), flush=True)
            os._exit(0)  # Bumble's and paho's threads would wait for their peers


async def main():
    await Pipeline(Store()).run()

asyncio.run(main())
