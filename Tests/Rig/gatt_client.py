#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every GATT procedure, by an independent host stack (Bumble), against a peripheral with the reference database.

    gatt_client.py --transport tcp-client:127.0.0.1:7400 --name reference

One JSON line a step; the exit status is 1 when one did not hold. Requests that Bumble has no method for are sent as
PDUs.
"""
import argparse
import asyncio
import struct
import sys

import reference
from bumble import att, crypto
from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.hci import Address
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.pairing import PairingConfig
from bumble.transport import open_transport
from reference import Steps, expect

PATIENCE = 100  # seconds
MTU = 185
SERVICE_CHANGED, DATABASE_HASH, CLIENT_FEATURES, SERVER_FEATURES = "2a05", "2b2a", "2b29", "2b3a"
INVALID_HANDLE, READ_NOT_PERMITTED, WRITE_NOT_PERMITTED, INSUFFICIENT_AUTHENTICATION = 0x01, 0x02, 0x03, 0x05
INSUFFICIENT_ENCRYPTION = 0x0F
PAIRING_NOT_SUPPORTED = 0x05  # of the Security Manager
NOT_SUPPORTED, INVALID_OFFSET, NOT_FOUND, INVALID_LENGTH, DATABASE_OUT_OF_SYNC = 0x06, 0x07, 0x0A, 0x0D, 0x12


class Values:
    """What a subscription brought."""

    def __init__(self):
        self.queue = asyncio.Queue()

    def __call__(self, value):
        self.queue.put_nowait(bytes(value))

    async def next(self):
        return await asyncio.wait_for(self.queue.get(), PATIENCE)

    async def expect_counted(self, count, what):
        for index in range(count):
            value = await self.next()
            expect(value[:4] == reference.value(index), f"{what} {index} is {value.hex()}")


class Client:
    def __init__(self, device, name):
        self.device, self.name = device, name
        self.steps = Steps()
        self.connection = self.peer = None
        self.by_uuid = {}

    # MARK: What steps are made of

    def __getitem__(self, uuid):
        expect(uuid in self.by_uuid, f"no characteristic {uuid}")
        return self.by_uuid[uuid]

    async def request(self, pdu):
        return await asyncio.wait_for(self.peer.gatt_client.send_request(pdu), PATIENCE)

    async def refused(self, pdu, *codes):
        response = await self.request(pdu)
        expect(response.op_code == att.Opcode.ATT_ERROR_RESPONSE, f"no error, but {response}")
        expect(response.error_code in codes, f"error {int(response.error_code):#04x} instead of {codes}")

    async def granted(self, pdu):
        response = await self.request(pdu)
        expect(response.op_code != att.Opcode.ATT_ERROR_RESPONSE, f"{response}")
        return response

    async def write(self, uuid, octets):
        await self.granted(att.ATT_Write_Request(attribute_handle=self[uuid].handle, attribute_value=octets))

    async def read(self, uuid):
        return (await self.granted(att.ATT_Read_Request(attribute_handle=self[uuid].handle))).attribute_value

    async def prepare(self, uuid, offset, part):
        response = await self.granted(att.ATT_Prepare_Write_Request(
            attribute_handle=self[uuid].handle, value_offset=offset, part_attribute_value=part))
        expect((response.attribute_handle, response.value_offset, response.part_attribute_value) ==
               (self[uuid].handle, offset, part), f"not echoed: {response}")

    async def discover(self):
        self.by_uuid = {}
        await self.peer.discover_services()
        for service in self.peer.services:
            for item in await service.discover_characteristics():
                self.by_uuid[str(item.uuid.to_hex_str("-")).lower()] = item

    # MARK: Steps

    async def connect(self, report):
        found = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement):
            names = [advertisement.data.get(kind, raw=True) for kind in
                     (AdvertisingData.COMPLETE_LOCAL_NAME, AdvertisingData.SHORTENED_LOCAL_NAME)]
            if self.name.encode() in names and not found.done():
                found.set_result((advertisement.address, bytes(advertisement.data).hex()))

        self.device.on("advertisement", on_advertisement)
        await self.device.start_scanning(active=True)
        address, data = await asyncio.wait_for(found, PATIENCE)
        await self.device.stop_scanning()
        self.device.remove_listener("advertisement", on_advertisement)
        expect(UUID(reference.MAIN).to_bytes().hex() in data, f"the service is not advertised: {data}")
        self.connection = await self.device.connect(address, timeout=PATIENCE)
        self.peer = Peer(self.connection)
        report["detail"] = str(address)

    async def exchange_mtu(self, report):
        report["detail"] = await self.peer.request_mtu(MTU)
        expect(report["detail"] == MTU, f"{report['detail']} instead of {MTU}")

    async def discover_services(self, report):
        await self.discover()
        found = [service.uuid.to_hex_str("-").lower() for service in self.peer.services]
        for uuid in (reference.MAIN, reference.INCLUDED, reference.BATTERY, "1800", "1801"):
            expect(found.count(uuid) == 1, f"{uuid} among {found}")
        report["detail"] = found

    async def discover_by_uuid(self, report):
        for uuid in (reference.MAIN, reference.BATTERY):
            found = await self.peer.discover_service(UUID(uuid))
            expect(len(found) == 1, f"{len(found)} services {uuid}")
        await self.refused(att.ATT_Find_By_Type_Value_Request(
            starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID("2800"),
            attribute_value=bytes(16)), NOT_FOUND)

    async def discover_included(self, report):
        """A 128-bit UUID is not in the include declaration: it is read from the service's."""
        main = next(item for item in self.peer.services if item.uuid == UUID(reference.MAIN))
        response = await self.granted(att.ATT_Read_By_Type_Request(
            starting_handle=main.handle, ending_handle=main.end_group_handle, attribute_type=UUID("2802")))
        entries = [octets for _, octets in response.attributes]
        first = response.attributes[-1][0] + 1
        response = await self.request(att.ATT_Read_By_Type_Request(
            starting_handle=first, ending_handle=main.end_group_handle, attribute_type=UUID("2802")))
        if response.op_code != att.Opcode.ATT_ERROR_RESPONSE:
            entries += [octets for _, octets in response.attributes]
        ranges = {item.uuid: struct.pack("<HH", item.handle, item.end_group_handle) for item in self.peer.services}
        wanted = {ranges[UUID(reference.INCLUDED)], ranges[UUID(reference.BATTERY)] + bytes.fromhex("0f18")}
        expect(set(entries) == wanted, f"included are {[octets.hex() for octets in entries]}")

    async def discover_characteristics(self, report):
        properties = {reference.CONSTANT: 0x02, reference.WRITABLE: 0x0A, reference.COUNTING: 0x06,
                      reference.NOTIFYING: 0x10, reference.INDICATING: 0x20, reference.CONTROL: 0x08,
                      reference.DESCRIBED: 0x30, reference.WRITE_ONLY: 0x08, reference.BATTERY_LEVEL: 0x12}
        for uuid, value in properties.items():
            expect(int(self[uuid].properties) & 0x7F == value, f"{uuid} has {int(self[uuid].properties):#x}")
        main = next(item for item in self.peer.services if item.uuid == UUID(reference.MAIN))
        found = await self.peer.discover_characteristics([UUID(reference.LONG)], main)
        expect(len(found) == 1, f"{len(found)} characteristics by UUID")
        await self.discover()

    async def discover_descriptors(self, report):
        for uuid in (reference.DESCRIBED, reference.NOTIFYING, reference.INDICATING, reference.BATTERY_LEVEL):
            await self[uuid].discover_descriptors()
            kinds = [descriptor.type.to_hex_str().lower() for descriptor in self[uuid].descriptors]
            wanted = {"2902", "2901", "2904"} if uuid == reference.DESCRIBED else {"2902"}
            expect(set(kinds) == wanted, f"{uuid} has {kinds}")
        values = {descriptor.type.to_hex_str().lower(): await descriptor.read_value()
                  for descriptor in self[reference.DESCRIBED].descriptors}
        expect(bytes(values["2901"]) == reference.DESCRIPTION.encode(), f"2901 is {values['2901'].hex()}")
        expect(bytes(values["2902"]) == bytes(2), f"2902 is {values['2902'].hex()}")
        expect(bytes(values["2904"]) == reference.FORMAT, f"2904 is {values['2904'].hex()}")

    async def read_short(self, report):
        for uuid, value in ((reference.CONSTANT, reference.CONSTANT_VALUE),
                            (reference.DYNAMIC, reference.DYNAMIC_VALUE),
                            (reference.INCLUDED_VALUE, reference.INCLUDED_CONTENT)):
            read = await self.read(uuid)
            expect(read == value, f"{uuid} is {read.hex()}")

    async def read_long(self, report):
        read = bytes(await self[reference.LONG].read_value())
        expect(read == reference.LONG_VALUE, f"{len(read)} octets: {read.hex()}")
        handle = self[reference.LONG].handle
        end = await self.granted(att.ATT_Read_Blob_Request(attribute_handle=handle, value_offset=len(read)))
        expect(end.part_attribute_value == b"", f"at the end: {end}")
        await self.refused(att.ATT_Read_Blob_Request(attribute_handle=handle, value_offset=len(read) + 1),
                           INVALID_OFFSET)

    async def read_by_uuid(self, report):
        response = await self.granted(att.ATT_Read_By_Type_Request(
            starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID(reference.DYNAMIC)))
        expect(response.attributes == [(self[reference.DYNAMIC].handle, reference.DYNAMIC_VALUE)],
               f"{response.attributes}")
        await self.refused(att.ATT_Read_By_Type_Request(
            starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID(reference.WRITE_ONLY)), READ_NOT_PERMITTED)
        await self.refused(att.ATT_Read_By_Type_Request(
            starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID("2aff")), NOT_FOUND)

    async def read_multiple(self, report):
        handles = [self[uuid].handle for uuid in (reference.CONSTANT, reference.DYNAMIC)]
        response = await self.granted(att.ATT_Read_Multiple_Request(set_of_handles=handles))
        expect(response.set_of_values == reference.CONSTANT_VALUE + reference.DYNAMIC_VALUE, f"{response}")
        await self.refused(att.ATT_Read_Multiple_Request(
            set_of_handles=[*handles, self[reference.WRITE_ONLY].handle]), READ_NOT_PERMITTED)

    async def read_multiple_variable(self, report):
        handles = [self[uuid].handle for uuid in (reference.CONSTANT, reference.DYNAMIC, reference.INCLUDED_VALUE)]
        response = await self.granted(att.ATT_Read_Multiple_Variable_Request(set_of_handles=handles))
        values = [octets for _, octets in response.length_value_tuple_list]
        expect(values == [reference.CONSTANT_VALUE, reference.DYNAMIC_VALUE, reference.INCLUDED_CONTENT], f"{values}")

    async def write_values(self, report):
        for octets in (b"written", b"", bytes(MTU - 3)):
            await self.write(reference.WRITABLE, octets)
            read = bytes(await self[reference.WRITABLE].read_value())
            expect(read == octets, f"{len(octets)} octets were written, {read.hex()} is read")

    async def write_without_response(self, report):
        handle, count = self[reference.COUNTING].handle, 200
        for index in range(count):
            await self.peer.gatt_client.send_command(att.ATT_Write_Command(
                attribute_handle=handle, attribute_value=reference.value(index) + bytes(MTU - 7)))
        came, misplaced = struct.unpack("<II", await self.read(reference.COUNTING))
        expect((came, misplaced) == (count, 0), f"{came} of {count} came, {misplaced} out of order")
        # Commands that are not allowed are ignored.
        await self.peer.gatt_client.send_command(att.ATT_Write_Command(
            attribute_handle=self[reference.CONSTANT].handle, attribute_value=b"ignored"))
        expect(await self.read(reference.CONSTANT) == reference.CONSTANT_VALUE, "a constant was written")

    async def write_long(self, report):
        for size in (400, 512):
            octets = bytes(number * 11 % 256 for number in range(size))
            for offset in range(0, size, MTU - 5):
                await self.prepare(reference.WRITABLE, offset, octets[offset:offset + MTU - 5])
            await self.granted(att.ATT_Execute_Write_Request(flags=1))
            read = bytes(await self[reference.WRITABLE].read_value())
            expect(read == octets, f"{size} octets were written, {len(read)} are read")
        await self.prepare(reference.WRITABLE, 0, b"cancelled")
        await self.granted(att.ATT_Execute_Write_Request(flags=0))
        expect(bytes(await self[reference.WRITABLE].read_value()) == octets, "a cancelled write was carried out")

    async def write_reliably(self, report):
        """Two characteristics together, or not at all."""
        async def contents():
            return [await self.read(uuid) for uuid in (reference.PAIR_FIRST, reference.PAIR_SECOND)]
        await self.prepare(reference.PAIR_FIRST, 0, b"one")
        await self.prepare(reference.PAIR_SECOND, 0, b"two")
        await self.granted(att.ATT_Execute_Write_Request(flags=1))
        expect(await contents() == [b"one", b"two"], f"the values are {await contents()}")
        await self.prepare(reference.PAIR_FIRST, 0, b"lost")
        await self.prepare(reference.PAIR_SECOND, 0, b"too long")
        await self.refused(att.ATT_Execute_Write_Request(flags=1), INVALID_LENGTH)
        expect(await contents() == [b"one", b"two"], f"half a refused write was carried out: {await contents()}")

    async def refuse_prepared(self, report):
        await self.refused(att.ATT_Prepare_Write_Request(
            attribute_handle=self[reference.CONSTANT].handle, value_offset=0, part_attribute_value=b"x"),
            WRITE_NOT_PERMITTED)
        await self.refused(att.ATT_Prepare_Write_Request(
            attribute_handle=0xFFF0, value_offset=0, part_attribute_value=b"x"), INVALID_HANDLE)
        await self.prepare(reference.PAIR_FIRST, 100, b"beyond the end")
        await self.refused(att.ATT_Execute_Write_Request(flags=1), INVALID_OFFSET)

    async def subscribe(self, report):
        values = Values()
        await self[reference.NOTIFYING].subscribe(values, prefer_notify=True)
        await self.write(reference.CONTROL, bytes([reference.NOTIFY, 50]))
        await values.expect_counted(50, "notification")

    async def subscribe_to_indications(self, report):
        values = Values()
        await self[reference.INDICATING].subscribe(values, prefer_notify=False)
        await self.write(reference.CONTROL, bytes([reference.INDICATE, 10]))
        await values.expect_counted(10, "indication")

    async def flood(self, report):
        """More notifications of the greatest size than fit the server's queue at once."""
        values = Values()
        await self[reference.DESCRIBED].subscribe(values, prefer_notify=True)
        await self.write(reference.CONTROL, bytes([reference.FLOOD, 250]))
        for index in range(250):
            value = await values.next()
            expect(value[:4] == reference.value(index) and len(value) == MTU - 3,
                   f"notification {index} has {len(value)} octets: {value[:4].hex()}")

    async def unsubscribe(self, report):
        values = Values()
        self.peer.gatt_client.notification_subscribers[self[reference.NOTIFYING].handle] = {values}
        descriptor = self[reference.NOTIFYING].get_descriptor(UUID("2902"))
        expect(bytes(await descriptor.read_value()) == b"\x01\x00", "2902 does not read as it was written")
        await self.granted(att.ATT_Write_Request(attribute_handle=descriptor.handle, attribute_value=bytes(2)))
        await self.write(reference.CONTROL, bytes([reference.NOTIFY, 3]))
        await self.read(reference.DYNAMIC)
        expect(values.queue.empty(), "a value came after unsubscribing")

    async def refusals(self, report):
        def write(uuid, octets=b"refused"):
            return att.ATT_Write_Request(attribute_handle=self[uuid].handle, attribute_value=octets)

        def read(uuid):
            return att.ATT_Read_Request(attribute_handle=self[uuid].handle)
        await self.refused(read(reference.WRITE_ONLY), READ_NOT_PERMITTED)
        await self.refused(write(reference.CONSTANT), WRITE_NOT_PERMITTED)
        await self.refused(read(reference.ENCRYPTED), INSUFFICIENT_AUTHENTICATION)
        await self.refused(read(reference.REFUSING), reference.READ_REFUSED)
        await self.refused(write(reference.REFUSING), reference.WRITE_REFUSED)
        await self.refused(write(reference.PAIR_SECOND, b"too long"), INVALID_LENGTH)
        await self.refused(att.ATT_Read_Request(attribute_handle=0xFFF0), INVALID_HANDLE)
        await self.refused(att.ATT_Read_Request(attribute_handle=0), INVALID_HANDLE)
        await self.refused(att.ATT_Read_By_Group_Type_Request(
            starting_handle=1, ending_handle=0xFFFF, attribute_group_type=UUID("2803")), 0x10)
        descriptor = next(item for item in self[reference.DESCRIBED].descriptors if item.type == UUID("2904"))
        await self.refused(att.ATT_Write_Request(attribute_handle=descriptor.handle, attribute_value=b"x"),
                           WRITE_NOT_PERMITTED)

    async def database_hash(self, report):
        """Calculated here from what the database shows. Vol 3, Part G, 7.3.1."""
        message, handle = b"", 1
        while handle <= 0xFFFF:
            response = await self.request(att.ATT_Find_Information_Request(
                starting_handle=handle, ending_handle=0xFFFF))
            if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
                break
            for handle, octets in response.information:
                number = int.from_bytes(octets, "little") if len(octets) == 2 else 0
                if number in (0x2800, 0x2801, 0x2802, 0x2803, 0x2900):
                    value = await self.peer.gatt_client.read_value(handle)
                    message += struct.pack("<HH", handle, number) + bytes(value)
                elif number in (0x2901, 0x2902, 0x2903, 0x2904, 0x2905):
                    message += struct.pack("<HH", handle, number)
            handle += 1
        response = await self.granted(att.ATT_Read_By_Type_Request(
            starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID(DATABASE_HASH)))
        (_, read), wanted = response.attributes[0], crypto.aes_cmac(m=message, k=bytes(16))[::-1]
        expect(read == wanted, f"the hash is {read.hex()}, calculated {wanted.hex()}")
        report["detail"] = read.hex()

    async def change_services(self, report):
        """The indication names the range of a new service."""
        await self.write(CLIENT_FEATURES, b"\x01")
        expect(await self.read(CLIENT_FEATURES) == b"\x01", "the client's features are not kept")
        indications = Values()
        await self[SERVICE_CHANGED].discover_descriptors()
        await self[SERVICE_CHANGED].subscribe(indications, prefer_notify=False)
        await self.write(reference.CONTROL, bytes([reference.CHANGE_SERVICES]))
        changed = await indications.next()
        await self.discover()
        new = next((item for item in self.peer.services if item.uuid == UUID(reference.CHANGING)), None)
        expect(new is not None, "the new service is not there")
        first, last = struct.unpack("<HH", changed)
        expect(first <= new.handle and new.end_group_handle <= last, f"{first:#x}…{last:#x} leaves it out")
        report["detail"] = f"{first:#06x}…{last:#06x}"

    async def out_of_sync(self, report):
        """Robust caching, Vol 3, Part G, 2.5.2.1: a client that was not told is refused until it has read the hash."""
        await self[SERVICE_CHANGED].discover_descriptors()
        descriptor = self[SERVICE_CHANGED].get_descriptor(UUID("2902"))
        await self.granted(att.ATT_Write_Request(attribute_handle=descriptor.handle, attribute_value=bytes(2)))
        await self.write(reference.CONTROL, bytes([reference.CHANGE_SERVICES]))
        await self.device_has_changed()
        hash_request = att.ATT_Read_By_Type_Request(
            starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID(DATABASE_HASH))
        await self.granted(hash_request)
        await self.read(reference.DYNAMIC)

    async def device_has_changed(self):
        """Asks until the refusal comes: the service goes some time after the command was answered."""
        for _ in range(100):
            response = await self.request(att.ATT_Read_Request(attribute_handle=self[reference.DYNAMIC].handle))
            if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
                expect(response.error_code == DATABASE_OUT_OF_SYNC, f"{response}")
                return
        expect(False, "the database changed, and no request was refused")

    async def echo(self, report):
        psm, = struct.unpack("<H", await self.read(reference.PSM))
        channel = await self.connection.create_l2cap_channel(LeCreditBasedChannelSpec(psm=psm, mtu=512, mps=100))
        received, arrived = bytearray(), asyncio.Event()
        sent = bytes(number * 3 % 251 for number in range(20_000))

        def sink(octets):
            received.extend(octets)
            if len(received) >= len(sent):
                arrived.set()
        channel.sink = sink
        for offset in range(0, len(sent), 400):
            channel.write(sent[offset:offset + 400])
        await asyncio.wait_for(arrived.wait(), PATIENCE)
        expect(bytes(received) == sent, f"{len(received)} octets came back, not those that were sent")
        await channel.disconnect()
        report["detail"] = f"{len(sent)} octets there and back, PSM {psm:#x}"

    async def reconnect(self, report):
        await self.connection.disconnect()
        await self.connect(report)
        await self.exchange_mtu(report)
        await self.discover()
        await self[reference.NOTIFYING].discover_descriptors()
        descriptor = self[reference.NOTIFYING].get_descriptor(UUID("2902"))
        expect(bytes(await descriptor.read_value()) == bytes(2), "a subscription outlived the link of a stranger")
        await self.subscribe(report)
        report["detail"] = "subscribed again"

    async def pair_in_vain(self, report):
        """Nobody has opened the window."""
        try:
            await asyncio.wait_for(self.connection.pair(), PATIENCE)
            expect(False, "a stranger was let in")
        except ProtocolError as error:
            report["detail"] = f"{error}"
            expect(error.error_code == PAIRING_NOT_SUPPORTED, f"another reason: {error}")
        await self.refused(att.ATT_Read_Request(attribute_handle=self[reference.ENCRYPTED].handle),
                           INSUFFICIENT_AUTHENTICATION)

    async def pair(self, report):
        """Once it is open, encrypted values are given, and subscriptions outlive the link."""
        await self.write(reference.CONTROL, bytes([reference.OPEN_WINDOW]))
        await self.meet_again()
        await asyncio.wait_for(self.connection.pair(), PATIENCE)
        await self.check_encrypted()
        await self.subscribe(report)
        report["detail"] = "paired"

    async def check_encrypted(self):
        read = await self.read(reference.ENCRYPTED)
        expect(read == reference.ENCRYPTED_VALUE, f"the encrypted value is {read.hex()}")

    async def come_back(self, report):
        """Encrypted by the key of the bond, without pairing."""
        await self.meet_again()
        pairings = []
        self.connection.on("pairing_start", lambda: pairings.append(1))
        await self.refused(att.ATT_Read_Request(attribute_handle=self[reference.ENCRYPTED].handle),
                           INSUFFICIENT_ENCRYPTION)
        await asyncio.wait_for(self.connection.encrypt(), PATIENCE)
        await self.check_encrypted()
        await self[reference.NOTIFYING].discover_descriptors()
        descriptor = self[reference.NOTIFYING].get_descriptor(UUID("2902"))
        expect(bytes(await descriptor.read_value()) == b"\x01\x00", "a bonded peer's subscription was forgotten")
        expect(not pairings, "there was another pairing")
        await self.connection.disconnect()
        report["detail"] = "bonded"

    async def meet_again(self):
        """Bumble 0.0.236 takes no second pairing on one link."""
        await self.connection.disconnect()
        await self.connect({})
        await self.exchange_mtu({})
        await self.discover()

    async def run(self):
        await self.device.power_on()
        script = [
            ("connect", self.connect), ("mtu", self.exchange_mtu), ("discover services", self.discover_services),
            ("discover services by uuid", self.discover_by_uuid), ("discover included", self.discover_included),
            ("discover characteristics", self.discover_characteristics),
            ("discover and read descriptors", self.discover_descriptors), ("read short", self.read_short),
            ("read long", self.read_long), ("read by uuid", self.read_by_uuid), ("read multiple", self.read_multiple),
            ("read multiple variable", self.read_multiple_variable), ("write", self.write_values),
            ("write without response", self.write_without_response), ("write long", self.write_long),
            ("write reliably", self.write_reliably), ("prepared writes refused", self.refuse_prepared),
            ("subscribe notify", self.subscribe), ("subscribe indicate", self.subscribe_to_indications),
            ("flood", self.flood), ("unsubscribe", self.unsubscribe), ("refusals", self.refusals),
            ("database hash", self.database_hash), ("services changed", self.change_services),
            ("database out of sync", self.out_of_sync), ("l2cap", self.echo), ("reconnect", self.reconnect),
            ("pairing refused", self.pair_in_vain), ("paired", self.pair), ("bonded", self.come_back)]
        for name, body in script:
            with self.steps.step(name) as report:
                await body(report)
            if self.peer is None or not self.by_uuid and name == "discover services":
                break  # nothing else can be asked
        return self.steps.failures == 0


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default="tcp-client:127.0.0.1:6402")
    parser.add_argument("--own-address", default="F0:00:00:00:00:F1")
    parser.add_argument("--name", default="reference")
    options = parser.parse_args()
    async with await open_transport(options.transport) as hci:
        configuration = DeviceConfiguration(name="client", address=Address(options.own_address))
        device = Device.from_config_with_hci(configuration, hci.source, hci.sink)
        device.pairing_config_factory = lambda _connection: PairingConfig(
            mitm=False, identity_address_type=PairingConfig.AddressType.RANDOM)
        return await Client(device, options.name).run()


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main()) else 1)
