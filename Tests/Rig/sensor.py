#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Bluetooth LE sensor played by an independent host stack (Bumble).

    sensor.py --transport tcp-client:127.0.0.1:6402 --address F0:00:00:00:00:01 --kind heart-rate --rate 10

Kinds
    thermometer   Health Thermometer 0x1809: 0x2A1C, indications, IEEE-11073 32-bit FLOAT in degC
    heart-rate    Heart Rate 0x180D: 0x2A37, notifications, uint8 bpm, RR intervals in 1/1024 s
    environment   Environmental Sensing 0x181A: 0x2A6E sint16 0.01 degC, 0x2A6F uint16 0.01 %, 0x2A6D uint32 0.1 Pa
    counter       vendor service: uint32 little-endian sequence, then uint64 microseconds since the epoch;
                  what a test needs to prove that no value was lost, repeated or reordered

Every value sent is one JSON line on standard output, with the number of the link it went over, so that a test can
compare what was sent with what arrived. A notification counts as sent once the stack has accepted it; the link is
dropped, and the program ended (TERM), only after the controller has completed everything accepted, so that a value
counted as sent has been on the air. An indication counts as sent once it has been confirmed; a value
whose link was lost before that is told as unconfirmed: the peer may have it or not.

With --passkey the sensor insists on authenticated pairing: it gives and tells nothing to a link whose key did not come
of that passkey, as it is printed on the label of such devices.
"""
import argparse
import asyncio
import json
import signal
import struct
import time

from bumble.att import ATT_Error
from bumble.core import AdvertisingData, UUID
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

COUNTER_SERVICE = UUID("5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
COUNTER_VALUE = UUID("5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")
INDICATION_TIMEOUT = 30  # seconds; the ATT transaction time-out
INSUFFICIENT_AUTHENTICATION = 0x05


def float32_11073(value, exponent=-2):
    mantissa = round(value / 10**exponent) & 0xFFFFFF
    return struct.pack("<I", mantissa | ((exponent & 0xFF) << 24))


def emit(**fields):
    print(json.dumps({**fields, "time_us": time.time_ns() // 1000}), flush=True)


class Label(PairingDelegate):
    """A device without keys or display: its passkey is printed on it."""

    def __init__(self, passkey):
        super().__init__(PairingDelegate.DISPLAY_OUTPUT_ONLY)
        self.passkey = passkey

    async def generate_passkey(self):
        return self.passkey


class Sensor:
    def __init__(self, device, options):
        self.device = device
        self.options = options
        self.sequence = 0
        self.link = 0  # counts connections; 0 before the first
        self.connection = None
        self.disconnected = asyncio.Event()
        self.stopping = asyncio.Event()
        security = Characteristic.READ_REQUIRES_ENCRYPTION if options.encrypted else 0
        readable = Characteristic.READABLE | security

        def characteristic(uuid, properties, encode):
            item = Characteristic(uuid, properties | Characteristic.Properties.READ, readable,
                                  CharacteristicValue(read=lambda _connection: encode()))
            item.encode = encode
            return item

        notify, indicate = Characteristic.Properties.NOTIFY, Characteristic.Properties.INDICATE
        if options.kind == "thermometer":
            service = UUID.from_16_bits(0x1809)
            self.streams = [(characteristic(UUID.from_16_bits(0x2A1C), indicate, self.thermometer), True)]
        elif options.kind == "heart-rate":
            service = UUID.from_16_bits(0x180D)
            self.streams = [(characteristic(UUID.from_16_bits(0x2A37), notify, self.heart_rate), False)]
        elif options.kind == "environment":
            service = UUID.from_16_bits(0x181A)
            self.streams = [
                (characteristic(UUID.from_16_bits(0x2A6E), notify, lambda: self.offset("<h", 2000)), False),
                (characteristic(UUID.from_16_bits(0x2A6F), notify, lambda: self.offset("<H", 4000)), False),
                (characteristic(UUID.from_16_bits(0x2A6D), notify, lambda: self.offset("<I", 1013250)), False),
            ]
        else:
            service = COUNTER_SERVICE
            self.streams = [(characteristic(COUNTER_VALUE, notify, self.counter), False)]
        if options.pad:
            device.add_service(Service(UUID("5E4D00F0-1C7B-4B5E-9B0A-3F6B2C9D7A10"), [
                Characteristic(UUID(f"5E4D{0xF1 + number:04X}-1C7B-4B5E-9B0A-3F6B2C9D7A10"),
                               Characteristic.Properties.READ, Characteristic.READABLE, b"")
                for number in range(options.pad)]))
        device.add_service(Service(service, [item for item, _ in self.streams]))
        device.add_service(Service(UUID.from_16_bits(0x180F), [
            Characteristic(UUID.from_16_bits(0x2A19), Characteristic.Properties.READ | notify,
                           Characteristic.READABLE, bytes([97]))]))
        device.add_service(Service(UUID.from_16_bits(0x180A), [
            Characteristic(UUID.from_16_bits(0x2A29), Characteristic.Properties.READ, Characteristic.READABLE, b"Rig"),
            Characteristic(UUID.from_16_bits(0x2A24), Characteristic.Properties.READ, Characteristic.READABLE,
                           options.kind.encode())]))
        if options.passkey is not None:
            first, last = self.streams[0][0].handle, self.streams[-1][0].end_group_handle
            for attribute in device.gatt_server.attributes:
                if first <= attribute.handle <= last:
                    self.guard(attribute)
        uuids = (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS if len(service.to_bytes()) == 2
                 else AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS)
        # A 128-bit UUID and a name do not fit one advertisement: the name is in the scan response.
        self.advertising_data = bytes(AdvertisingData([
            (AdvertisingData.FLAGS, bytes([0x06])), (uuids, service.to_bytes())]))
        self.scan_response_data = bytes(AdvertisingData([
            (AdvertisingData.COMPLETE_LOCAL_NAME, options.name.encode())]))
        device.on("connection", self.on_connection)

    def guard(self, attribute):
        """Bumble's own permissions take every encrypted link for an authenticated one."""
        read, write = attribute.read_value, attribute.write_value

        def insist(connection):
            keys = self.device.keystore.all_keys.get(str(connection.peer_address))
            if not (connection.is_encrypted and keys and keys.ltk and keys.ltk.authenticated):
                emit(event="refused", link=self.link, handle=attribute.handle, encrypted=connection.is_encrypted)
                raise ATT_Error(INSUFFICIENT_AUTHENTICATION, att_handle=attribute.handle)

        async def guarded_read(connection):
            insist(connection)
            return await read(connection)

        async def guarded_write(connection, octets):
            insist(connection)
            return await write(connection, octets)
        attribute.read_value, attribute.write_value = guarded_read, guarded_write

    def offset(self, format, base):
        return struct.pack(format, base + self.sequence % 500)

    def thermometer(self):
        return bytes([0x00]) + float32_11073(36.5 + (self.sequence % 100) / 100)

    def heart_rate(self):
        return struct.pack("<BBHH", 0x10, 60 + self.sequence % 40, 1024, 1000)

    def counter(self):
        return struct.pack("<IQ", self.sequence, time.time_ns() // 1000)

    def on_connection(self, connection):
        self.link += 1
        self.connection = connection
        self.disconnected.clear()
        emit(event="connected", link=self.link, peer=str(connection.peer_address))
        connection.on("disconnection", self.on_disconnection)
        link = self.link
        connection.on("pairing", lambda keys: emit(
            event="paired", link=link, authenticated=bool(keys.ltk and keys.ltk.authenticated)))
        connection.on("pairing_failure", lambda reason: emit(event="pairing-failed", link=link, reason=int(reason)))

    def on_disconnection(self, reason):
        emit(event="disconnected", link=self.link, reason=reason)
        self.connection = None
        self.disconnected.set()

    async def unless_disconnected(self, coroutine, timeout):
        """Whether the coroutine ended before the link did. (Bumble leaves waiters of a dead link waiting.)"""
        work = asyncio.ensure_future(coroutine)
        gone = asyncio.ensure_future(self.disconnected.wait())
        await asyncio.wait([work, gone], timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        for task in (work, gone):
            if not task.done():
                task.cancel()
        if work.done() and not work.cancelled():
            work.result()
            return True
        return False

    async def drained(self):
        """Waits until the controller has completed every packet of this link."""
        while self.connection is not None:
            queue = self.device.host.get_data_packet_queue(self.connection.handle)
            if queue is None or queue.pending == 0:
                return
            await asyncio.sleep(0.005)

    async def send(self, item, indicated, value):
        """Tells whether the value went out: accepted (notification) or confirmed (indication)."""
        link = self.link
        try:
            if indicated:
                done = await self.unless_disconnected(
                    self.device.indicate_subscriber(self.connection, item, value), INDICATION_TIMEOUT)
            else:
                await self.device.notify_subscriber(self.connection, item, value)
                done = self.connection is not None
        except Exception as error:  # the link went away while sending
            done = False
            emit(event="send-failed", link=link, sequence=self.sequence, error=str(error))
        emit(event="sent" if done else "unconfirmed", link=link, sequence=self.sequence, uuid=str(item.uuid),
             value=value.hex())

    def subscription(self, item, indicated):
        """Whether the peer of the present link wants this stream."""
        value = self.device.gatt_server.subscribers.get(self.connection, {}).get(item.handle)
        return bool(value) and bool(value[0] & (2 if indicated else 1))

    async def run(self):
        options = self.options
        await self.device.power_on()
        await self.device.start_advertising(auto_restart=True, advertising_data=self.advertising_data,
                                            scan_response_data=self.scan_response_data)
        emit(event="advertising", address=str(self.device.random_address), kind=options.kind)
        link, sent_on_link = 0, 0
        while not self.stopping.is_set() and (options.count == 0 or self.sequence < options.count):
            try:
                await asyncio.wait_for(self.stopping.wait(), 1 / options.rate)
                break
            except asyncio.TimeoutError:
                pass
            if link != self.link:
                link, sent_on_link = self.link, 0
            subscribed = False
            for item, indicated in self.streams:
                if self.connection is not None and self.subscription(item, indicated):
                    subscribed = True
                    await self.send(item, indicated, item.encode())
            if subscribed:
                self.sequence += 1
                sent_on_link += 1
            if options.drop_every and sent_on_link >= options.drop_every and self.connection is not None:
                await self.drained()
                if self.connection is not None:
                    await self.unless_disconnected(self.connection.disconnect(), 10)
        await self.drained()
        emit(event="finished", sent=self.sequence, links=self.link)
        await self.stopping.wait()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default="tcp-client:127.0.0.1:6402")
    parser.add_argument("--address", default="F0:00:00:00:00:01", help="static random address")
    parser.add_argument("--name", default="rig-sensor")
    parser.add_argument("--kind", choices=["thermometer", "heart-rate", "environment", "counter"], default="counter")
    parser.add_argument("--rate", type=float, default=10, help="values a second")
    parser.add_argument("--count", type=int, default=0, help="stop sending after this many values (0: never)")
    parser.add_argument("--drop-every", type=int, default=0, help="drop the link after this many values (0: never)")
    parser.add_argument("--pad", type=int, default=0,
                        help="characteristics of another service that come first, and so move the attribute handles")
    parser.add_argument("--encrypted", action="store_true", help="reading needs an encrypted link")
    parser.add_argument("--passkey", type=int, help="insist on pairing with this passkey, 1 to 999999")
    options = parser.parse_args()
    async with await open_transport(options.transport) as hci:
        configuration = DeviceConfiguration(name=options.name, address=Address(options.address))
        device = Device.from_config_with_hci(configuration, hci.source, hci.sink)
        delegate = (PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT) if options.passkey is None
                    else Label(options.passkey))
        device.pairing_config_factory = lambda _connection: PairingConfig(
            sc=True, mitm=options.passkey is not None, bonding=True, delegate=delegate,
            identity_address_type=PairingConfig.AddressType.RANDOM)
        sensor = Sensor(device, options)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, sensor.stopping.set)
        await sensor.run()


if __name__ == "__main__":
    asyncio.run(main())
