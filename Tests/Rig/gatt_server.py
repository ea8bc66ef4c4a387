#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference database (reference.py) on an independent host stack (Bumble), for a central to go through.

    gatt_server.py --transport tcp-client:127.0.0.1:7400 --name reference

One JSON line an event. The MTU is kept small, so that long values take several PDUs.
"""
import argparse
import asyncio
import struct

import reference
from bumble.att import ATT_Error
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, IncludedServiceDeclaration, Service
from bumble.hci import Address
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.pairing import PairingConfig
from bumble.transport import open_transport
from reference import emit

MTU = 100
READ, WRITE, COMMAND, NOTIFY, INDICATE = (
    Characteristic.Properties.READ, Characteristic.Properties.WRITE, Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
    Characteristic.Properties.NOTIFY, Characteristic.Properties.INDICATE)
READABLE, WRITEABLE = Characteristic.READABLE, Characteristic.WRITEABLE
READ_NOT_PERMITTED, WRITE_NOT_PERMITTED, INSUFFICIENT_AUTHENTICATION, INVALID_LENGTH = 0x02, 0x03, 0x05, 0x0D


def refuse(code):
    def refused(*_):
        raise ATT_Error(code)
    return refused


def read_encrypted(connection):
    """Bumble's own permission answers Insufficient Encryption to strangers, too."""
    if not connection.is_encrypted:
        raise ATT_Error(INSUFFICIENT_AUTHENTICATION)
    return reference.ENCRYPTED_VALUE


class Stored:
    """A value that keeps what is written."""

    def __init__(self, octets=b"", limit=512):
        self.octets, self.limit = octets, limit

    def read(self, _connection):
        return self.octets

    def write(self, _connection, octets):
        if len(octets) > self.limit:
            raise ATT_Error(INVALID_LENGTH)
        self.octets = bytes(octets)


class Server:
    def __init__(self, device, options):
        self.device, self.options = device, options
        self.counter = reference.Counter()
        self.connection = None
        self.tasks = set()
        self.changing = None

        # Bumble itself looks at no READABLE or WRITEABLE: what is not allowed is refused here.
        def item(uuid, properties, read=refuse(READ_NOT_PERMITTED), write=refuse(WRITE_NOT_PERMITTED), descriptors=()):
            return Characteristic(UUID(uuid), properties, READABLE | WRITEABLE,
                                  CharacteristicValue(read=read, write=write), descriptors)

        def stored(uuid, properties, limit=512):
            content = Stored(limit=limit)
            return item(uuid, properties, content.read, content.write)

        description = Stored(reference.DESCRIPTION.encode())
        self.notifying = item(reference.NOTIFYING, NOTIFY)
        self.indicating = item(reference.INDICATING, INDICATE)
        self.described = item(reference.DESCRIBED, NOTIFY | INDICATE, descriptors=[
            Descriptor(UUID("2901"), READABLE | WRITEABLE,
                       CharacteristicValue(read=description.read, write=description.write)),
            Descriptor(UUID("2904"), READABLE, reference.FORMAT)])
        channels = device.create_l2cap_server(LeCreditBasedChannelSpec(mtu=512, mps=128), handler=self.on_channel)
        battery = Service(UUID(reference.BATTERY), [
            Characteristic(UUID(reference.BATTERY_LEVEL), READ | NOTIFY, READABLE, bytes([97]))])
        included = Service(UUID(reference.INCLUDED), [
            item(reference.INCLUDED_VALUE, READ, lambda _: reference.INCLUDED_CONTENT)])
        main = Service(UUID(reference.MAIN), [
            item(reference.CONSTANT, READ, lambda _: reference.CONSTANT_VALUE),
            item(reference.DYNAMIC, READ, lambda _: reference.DYNAMIC_VALUE),
            item(reference.LONG, READ, lambda _: reference.LONG_VALUE),
            stored(reference.WRITABLE, READ | WRITE),
            item(reference.COUNTING, READ | COMMAND, lambda _: self.counter.read(),
                 lambda _, octets: self.counter.write(octets)),
            self.notifying, self.indicating,
            item(reference.CONTROL, WRITE, write=self.on_command),
            self.described,
            item(reference.WRITE_ONLY, WRITE, write=lambda *_: None),
            item(reference.ENCRYPTED, READ, read_encrypted),
            item(reference.REFUSING, READ | WRITE, refuse(reference.READ_REFUSED), refuse(reference.WRITE_REFUSED)),
            stored(reference.PAIR_FIRST, READ | WRITE), stored(reference.PAIR_SECOND, READ | WRITE, limit=4),
            item(reference.PSM, READ, lambda _: struct.pack("<H", channels.psm)),
        ], included_services=[included, battery])
        device.add_services([battery, included, main])
        device.gatt_server.max_mtu = MTU
        for attribute in device.gatt_server.attributes:
            # Only 16-bit UUIDs are in an include declaration (Vol 3, Part G, 3.2); Bumble cuts longer ones.
            if isinstance(attribute, IncludedServiceDeclaration) and len(bytes(attribute.service.uuid)) > 2:
                attribute.value = attribute.value[:4]
        device.on("connection", self.on_connection)

    def on_connection(self, connection):
        self.connection = connection
        emit(event="connected", peer=str(connection.peer_address))
        connection.on("disconnection", lambda reason: emit(event="disconnected", reason=reason))

    def on_command(self, _connection, octets):
        emit(event="command", octets=octets.hex())
        task = asyncio.ensure_future(self.perform(octets[0], octets[1] if len(octets) > 1 else 0))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def perform(self, command, count):
        await asyncio.sleep(0)  # the response goes first
        if command == reference.NOTIFY:
            for index in range(count):
                await self.device.notify_subscriber(self.connection, self.notifying, reference.value(index))
        elif command == reference.INDICATE:
            for index in range(count):
                await self.device.indicate_subscriber(self.connection, self.indicating, reference.value(index))
                emit(event="confirmed", index=index)
        elif command == reference.CHANGE_SERVICES:
            first, last = self.change_services()
            service_changed = self.device.gatt_service.service_changed_characteristic
            await self.device.indicate_subscriber(self.connection, service_changed, struct.pack("<HH", first, last))
            emit(event="services-changed", first=first, last=last)
        elif command == reference.DISCONNECT:
            await self.connection.disconnect()

    def change_services(self):
        """Adds the changing service, or removes it; gives the range of its handles."""
        if self.changing is None:
            self.changing = Service(UUID(reference.CHANGING), [
                Characteristic(UUID(reference.CHANGING_VALUE), READ, READABLE, b"changed")])
            self.device.add_service(self.changing)
            return self.changing.handle, self.changing.end_group_handle
        server, first, last = self.device.gatt_server, self.changing.handle, self.changing.end_group_handle
        # Bumble has no means to remove a service.
        server.attributes = [attribute for attribute in server.attributes if not first <= attribute.handle <= last]
        server.services.remove(self.changing)
        for handle in range(first, last + 1):
            server.attributes_by_handle.pop(handle, None)
        self.changing = None
        return first, last

    def on_channel(self, channel):
        emit(event="channel", psm=channel.psm)
        channel.sink = channel.write

    async def run(self):
        await self.device.power_on()
        await self.device.start_advertising(
            auto_restart=True,
            advertising_data=bytes(AdvertisingData([
                (AdvertisingData.FLAGS, bytes([0x06])),
                (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, UUID(reference.MAIN).to_bytes())])),
            scan_response_data=bytes(AdvertisingData([
                (AdvertisingData.COMPLETE_LOCAL_NAME, self.options.name.encode())])))
        emit(event="advertising")
        await asyncio.get_running_loop().create_future()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default="tcp-client:127.0.0.1:6402")
    parser.add_argument("--address", default="F0:00:00:00:00:05", help="static random address")
    parser.add_argument("--name", default="reference")
    options = parser.parse_args()
    async with await open_transport(options.transport) as hci:
        configuration = DeviceConfiguration(name=options.name, address=Address(options.address))
        device = Device.from_config_with_hci(configuration, hci.source, hci.sink)
        # By default, Bumble would say that it is to be found under another address than its own.
        device.pairing_config_factory = lambda _connection: PairingConfig(
            mitm=False, identity_address_type=PairingConfig.AddressType.RANDOM)
        await Server(device, options).run()


if __name__ == "__main__":
    asyncio.run(main())
