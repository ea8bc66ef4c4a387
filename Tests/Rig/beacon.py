# SPDX-License-Identifier: Apache-2.0
"""Devices that advertise what a test wants, on controllers of `martlet virtual-radio`: five HCI commands, and no host stack."""
import socket
import struct
import threading
import time

RESET, RANDOM_ADDRESS, PARAMETERS, DATA, ENABLE = 0x0C03, 0x2005, 0x2006, 0x2008, 0x200A
INTERVAL = 0xA0  # 100 ms, the least of a device that takes no links
FLAGS = b"\x02\x01\x06"


def structure(kind, octets):
    return bytes([len(octets) + 1, kind]) + octets


def bthome(number, *objects):
    """A packet of BTHome without a key: its number, and objects in hexadecimal digits."""
    return FLAGS + structure(0x16, bytes.fromhex("d2fc4000") + bytes([number % 256]) + bytes.fromhex("".join(objects)))


class Beacon:
    """One advertiser. `packet(number)` makes what it sends for the next second; None: it is silent."""

    def __init__(self, port, address, packet):
        self.address, self.packet, self.number, self.is_on = address, packet, 0, False
        self.octets = bytes.fromhex(address.replace(":", ""))[::-1]
        self.open(port)

    def open(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), 10)
        self.is_on = False
        self.command(RESET)
        self.command(RANDOM_ADDRESS, self.octets)
        # ADV_NONCONN_IND from the random address, on all channels.
        self.command(PARAMETERS, struct.pack("<HHBBB6sBB", INTERVAL, INTERVAL, 3, 1, 0, bytes(6), 7, 0))

    def command(self, code, parameters=b""):
        self.connection.sendall(struct.pack("<BHB", 1, code, len(parameters)) + parameters)
        while True:
            kind, event, length = self._read(3)
            octets = self._read(length)
            if kind == 4 and event == 0x0E and int.from_bytes(octets[1:3], "little") == code:
                if octets[3] != 0:
                    raise OSError(f"command {code:#06x}: status {octets[3]:#04x}")
                return

    def _read(self, count):
        octets = b""
        while len(octets) < count:
            more = self.connection.recv(count - len(octets))
            if not more:
                raise ConnectionError("the virtual radio has gone")
            octets += more
        return octets

    def tick(self):
        octets = self.packet(self.number) if self.packet else None
        self.number += 1
        if octets is not None:
            self.command(DATA, bytes([len(octets)]) + octets.ljust(31, b"\0"))
        if (octets is not None) != self.is_on:
            self.command(ENABLE, bytes([octets is not None]))
            self.is_on = octets is not None


class Beacons:
    """All advertisers of a test, each with a new packet a second, on a thread of their own."""

    def __init__(self):
        self.lock, self.all, self.port, self.is_over = threading.Lock(), {}, None, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def add(self, name, address, packet):
        with self.lock:
            self.all[name] = Beacon(self.port, address, packet)

    def say(self, name, packet):
        """What the advertiser sends from now on; None: nothing."""
        with self.lock:
            self.all[name].packet = packet
            self.all[name].tick()

    def move(self, port):
        """To another virtual radio."""
        with self.lock:
            self.port = port
            for beacon in self.all.values():
                beacon.connection.close()
                beacon.open(port)

    def _run(self):
        while not self.is_over:
            time.sleep(1)
            with self.lock:
                for beacon in self.all.values():
                    try:
                        beacon.tick()
                    except OSError:
                        pass  # The radio is away until move().

    def close(self):
        self.is_over = True
        self.thread.join()
        for beacon in self.all.values():
            beacon.connection.close()
