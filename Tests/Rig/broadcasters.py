#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many Bluetooth LE devices that only advertise, played by an independent host stack (Bumble).

    broadcasters.py --transport tcp-client:127.0.0.1:6402 --controllers 20 --sets 10

Each controller has several advertising sets, each with an address of its own. The first ten of the first controllers are
sensors that a gateway is to listen to: RuuviTags in the clear, and BTHome encrypted with KEY. Every packet that one of them
begins to send is a JSON line on standard output. The others are strangers: the same makes, extended advertising,
addresses that change, one that plays back an encrypted packet, and one that sends plain values in a sensor's name.
"""
import argparse
import asyncio
import json
import signal
import struct
import time

from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device, DeviceConfiguration
from bumble.hci import Address, HCI_Error
from bumble.transport import open_transport
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

KEY = bytes(range(1, 17))
OURS = 10
PERIOD = 0.5  # seconds from one packet of a sensor to the next
INTERVAL = 60  # milliseconds between advertising events of ours
STRANGERS_INTERVAL = 400


def emit(**fields):
    print(json.dumps({**fields, "time_us": time.time_ns() // 1000}), flush=True)


def structure(kind, octets):
    return bytes([len(octets) + 1, kind]) + octets


FLAGS = structure(0x01, b"\x06")


def ruuvi(address, number):
    climate = struct.pack(">hHH", 4000 + number % 400, 20_000, 50_000)
    data = b"\x05" + climate + bytes(6) + struct.pack(">HBH", 0xAC36, 0, number & 0xFFFF) + address
    return FLAGS + structure(0xFF, b"\x99\x04" + data)


def bthome(address, number):
    head, counter = bytes.fromhex("d2fc41"), struct.pack("<I", number + 1)
    plain = b"\x02" + struct.pack("<h", 2000 + number % 400) + b"\x03" + struct.pack("<H", 5000)
    sealed = AESCCM(KEY, tag_length=4).encrypt(address + head + counter, plain, None)
    return FLAGS + structure(0x16, head + sealed[:-4] + counter + sealed[-4:])


def forged(address, number):
    """Plain BTHome."""
    return FLAGS + structure(0x16, bytes.fromhex("d2fc40") + b"\x02" + struct.pack("<h", 9900))


def octets_of(address):
    return bytes.fromhex(address.replace(":", ""))


def random_static(number):
    return f"F0:00:01:00:{number // 256:02X}:{number % 256:02X}"


def resolvable(number, turn):
    """01 in the two highest bits; nobody has its key."""
    return f"4A:{turn % 256:02X}:02:00:{number // 256:02X}:{number % 256:02X}"


class Broadcaster:
    """One advertising set."""

    def __init__(self, device, address, make, legacy=True, interval=STRANGERS_INTERVAL):
        self.device, self.address, self.make = device, address, make
        self.legacy, self.interval, self.set = legacy, interval, None

    def data(self, number):
        return self.make(octets_of(self.address), number)

    async def begin(self, number=0):
        parameters = AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(is_connectable=False, is_legacy=self.legacy),
            primary_advertising_interval_min=self.interval, primary_advertising_interval_max=self.interval + 10)
        # Bumble takes a set's handle for free until the set is made: two that are made at once would be one.
        async with self.device.making:
            self.set = await self.device.create_advertising_set(
                advertising_parameters=parameters, random_address=Address(self.address, Address.RANDOM_DEVICE_ADDRESS),
                advertising_data=self.data(number))

    async def send(self, number):
        await self.set.set_advertising_data(self.data(number))

    async def end(self):
        await self.set.stop()
        try:
            await self.set.remove()
        except HCI_Error:
            pass  # The controller has not ended it yet; it sends nothing any more.


async def sensor(broadcaster, kind, done):
    """Sends a new packet each PERIOD, and says so before it does."""
    number = 0
    emit(event="sent", address=broadcaster.address, kind=kind, number=number)
    await broadcaster.begin()
    while not done.is_set():
        await asyncio.sleep(PERIOD)
        number += 1
        emit(event="sent", address=broadcaster.address, kind=kind, number=number)
        await broadcaster.send(number)
    await broadcaster.end()


async def rotating(device, number, done):
    turn = 0
    while not done.is_set():
        broadcaster = Broadcaster(device, resolvable(number, turn), ruuvi)
        await broadcaster.begin(turn)
        await asyncio.sleep(2)
        await broadcaster.end()
        turn += 1


async def attacks(device, replayed, spoofed, done):
    """When the sensors have gone on: one of their first packets again, and plain values."""
    await asyncio.sleep(10 * PERIOD)
    attackers = [Broadcaster(device, replayed, bthome, interval=INTERVAL),
                 Broadcaster(device, spoofed, forged, interval=INTERVAL)]
    for attacker in attackers:
        await attacker.begin()
    emit(event="attacking")
    await done.wait()
    for attacker in attackers:
        await attacker.end()


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transport", required=True)
    parser.add_argument("--controllers", type=int, default=20)
    parser.add_argument("--sets", type=int, default=10)
    options = parser.parse_args()
    done = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, done.set)
    devices, transports = [], []
    for number in range(options.controllers):
        transport = await open_transport(options.transport)
        configuration = DeviceConfiguration(
            name=f"broadcaster {number}", address=Address(f"F0:00:03:00:00:{number:02X}", Address.RANDOM_DEVICE_ADDRESS))
        device = Device.from_config_with_hci(configuration, transport.source, transport.sink)
        device.making = asyncio.Lock()
        await device.power_on()
        transports.append(transport)
        devices.append(device)
    tasks, number, ours = [], 0, []
    for place in range(options.sets):
        for device in devices[:-1]:
            address = random_static(number)
            if number < OURS:
                kind = "ruuvi" if number < OURS // 2 else "bthome"
                ours.append(address)
                make = ruuvi if kind == "ruuvi" else bthome
                tasks.append(asyncio.create_task(sensor(Broadcaster(device, address, make, interval=INTERVAL), kind, done)))
            elif number % 10 == 0:
                tasks.append(asyncio.create_task(rotating(device, number, done)))
            else:
                await Broadcaster(device, address, bthome if number % 3 else ruuvi, legacy=number % 4 != 0).begin(number)
            number += 1
    tasks.append(asyncio.create_task(attacks(devices[-1], ours[-1], ours[-2], done)))
    emit(event="ready", addresses=number + 2, replayed=ours[-1], spoofed=ours[-2])
    await done.wait()
    failures = [repr(found) for found in await asyncio.gather(*tasks, return_exceptions=True) if found]
    emit(event="finished", failures=failures)
    for transport in transports:
        await transport.close()


if __name__ == "__main__":
    asyncio.run(main())
