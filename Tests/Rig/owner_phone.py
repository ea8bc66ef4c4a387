#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A phone in somebody's hand, played by an independent host stack (Bumble): it does what each line of its standard
input says, and answers each with a line.

    {"id": 1, "do": "connect"}                      {"id": 2, "do": "read", "item": "0011"}
    {"id": 3, "do": "pair", "io": "keyboard"}       {"id": 4, "do": "type", "passkey": 19655}
    {"id": 5, "do": "request", "pdu": "0a2200"}     one ATT request as it is; the answer as it comes

`item` is the number of a characteristic of the configuration service. A refusal is `{"id": 2, "code": 5}`: the ATT error,
or SMP's reason. What comes by itself are lines without `id`: values, pairings that end, the end of the link. Commands run
beside each other, so that somebody can type while the pairing waits.
"""
import argparse
import asyncio
import json
import sys

from bumble import att
from bumble.att import ATT_Error, ATT_PDU
from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import ConnectionParametersPreferences, Device, DeviceConfiguration, Peer
from bumble.hci import Address, Phy
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

FAMILY = "c60e{}-6fca-4533-8c04-739715e5f018"
SERVICE = UUID(FAMILY.format("0001"))
IO = {"none": PairingDelegate.NO_OUTPUT_NO_INPUT, "keyboard": PairingDelegate.KEYBOARD_INPUT_ONLY,
      "keyboard-display": PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT}
PATIENCE = 60  # seconds
CLIENT_CONFIGURATION = UUID("2902")


def emit(**fields):
    print(json.dumps(fields), flush=True)


class Raw(ATT_PDU):
    """Octets as they are: also those of requests that Bumble would not make."""

    def __init__(self, octets):
        self.octets = octets
        self.op_code = octets[0]
        try:
            self.name = att.Opcode(octets[0]).name
        except ValueError:
            self.name = "OTHER_REQUEST"

    def __bytes__(self):
        return self.octets


class User(PairingDelegate):
    """Holds the phone: types what is told, accepts whatever is asked."""

    def __init__(self, phone, io):
        super().__init__(IO[io])
        self.phone = phone

    async def get_number(self):
        emit(event="asked for the passkey")
        return await self.phone.typed.get()

    async def compare_numbers(self, number, digits):
        emit(event="numbers", number=number)
        return True

    async def display_number(self, number, digits):
        emit(event="displays", number=number)


class Phone:
    def __init__(self, device):
        self.device = device
        self.connection = self.peer = None
        self.typed = asyncio.Queue()
        self.user = User(self, "keyboard")
        self.items = {}
        self.tasks = set()
        device.pairing_config_factory = lambda _connection: PairingConfig(
            sc=True, mitm=self.user.io_capability != PairingDelegate.NO_OUTPUT_NO_INPUT, bonding=True,
            delegate=self.user, identity_address_type=PairingConfig.AddressType.RANDOM)

    # MARK: Finding and connecting

    async def find(self, seconds=PATIENCE, service=str(SERVICE), **_):
        """The first that advertises the service; none within `seconds` is `found: null`."""
        found = asyncio.get_running_loop().create_future()
        wanted = UUID(service)

        def on_advertisement(advertisement):
            lists = (advertisement.data.get(kind) or [] for kind in (
                AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS))
            if any(wanted in uuids for uuids in lists) and not found.done():
                found.set_result(advertisement)
        self.device.on("advertisement", on_advertisement)
        await self.device.start_scanning(active=True)
        try:
            advertisement = await asyncio.wait_for(found, seconds)
            return {"found": str(advertisement.address), "data": bytes(advertisement.data).hex()}
        except asyncio.TimeoutError:
            return {"found": None}
        finally:
            await self.device.stop_scanning()
            self.device.remove_listener("advertisement", on_advertisement)

    async def connect(self, address=None, mtu=517, interval=None, **_):
        """interval: of the connection, in milliseconds."""
        if not address:
            address = (await self.find())["found"]
        parameters = interval and {Phy.LE_1M: ConnectionParametersPreferences(
            connection_interval_min=interval, connection_interval_max=interval)}
        self.connection = await self.device.connect(
            Address(address), timeout=PATIENCE, connection_parameters_preferences=parameters)
        self.connection.on("disconnection", lambda reason: emit(event="disconnected", reason=int(reason)))
        self.connection.on("security_request", lambda _request: emit(event="security request"))
        self.connection.on("pairing", lambda _keys: emit(
            event="paired", authenticated=bool(self.connection.authenticated), sc=bool(self.connection.sc)))
        self.connection.on("pairing_failure", lambda reason: emit(event="pairing failed", reason=int(reason)))
        self.peer = Peer(self.connection)
        if mtu > 23:
            await self.peer.request_mtu(mtu)
        await self.discover()
        return {"peer": str(self.connection.peer_address), "items": {
            number: {"value": item["value"], "configuration": item["configuration"]}
            for number, item in self.items.items()}}

    async def discover(self):
        self.items = {}
        for service in await self.peer.discover_service(SERVICE):
            characteristics = await service.discover_characteristics()
            for index, found in enumerate(characteristics):
                descriptors = await found.discover_descriptors()
                configuration = [item.handle for item in descriptors if item.type == CLIENT_CONFIGURATION]
                self.items[str(found.uuid).lower()[4:8]] = {
                    "object": found, "value": found.handle, "configuration": configuration[0] if configuration else None}

    async def disconnect(self, **_):
        if self.connection.handle in self.device.connections:
            await self.connection.disconnect()
        while self.connection.handle in self.device.connections:
            await asyncio.sleep(0.01)
        return {}

    # MARK: Values

    async def read(self, item, **_):
        return {"value": bytes(await self.items[item]["object"].read_value()).hex()}

    async def write(self, item, value, **_):
        await self.items[item]["object"].write_value(bytes.fromhex(value), with_response=True)
        return {}

    async def subscribe(self, item, **_):
        await self.items[item]["object"].subscribe(
            lambda value: emit(event="value", item=item, value=bytes(value).hex()))
        return {}

    async def request(self, pdu, **_):
        """Commands of ATT have no answer."""
        client, octets = self.peer.gatt_client, bytes.fromhex(pdu)
        if octets[0] & 0x40:
            client.send_gatt_pdu(octets)
            return {}
        answer = await client.send_request(Raw(octets))
        return {"answer": bytes(answer).hex()}

    # MARK: Security

    async def pair(self, io="keyboard", **_):
        """Begins; `paired` or `pairing failed` comes by itself."""
        self.user = User(self, io)
        while not self.typed.empty():
            self.typed.get_nowait()
        task = asyncio.ensure_future(self.connection.pair())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return {}

    async def type(self, passkey, **_):
        await self.typed.put(int(passkey))
        return {}

    async def encrypt(self, **_):
        """With the key of the bond."""
        await asyncio.wait_for(self.connection.encrypt(), PATIENCE)
        return {"authenticated": bool(self.connection.authenticated)}

    async def bonds(self, **_):
        return {"bonds": [name for name, _ in await self.device.keystore.get_all()]}

    async def forget(self, **_):
        self.device.keystore = MemoryKeyStore()
        return {}

    # MARK: Lines

    async def do(self, line):
        try:
            answer = await getattr(self, line["do"])(**{
                key: value for key, value in line.items() if key not in ("id", "do")})
        except ATT_Error as error:
            answer = {"code": int(error.error_code)}
        except ProtocolError as error:
            answer = {"code": int(error.error_code), "space": str(error.error_namespace)}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        emit(id=line["id"], **answer)

    async def run(self):
        await self.device.power_on()
        emit(event="ready")
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while text := await reader.readline():
            task = asyncio.ensure_future(self.do(json.loads(text)))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", required=True)
    parser.add_argument("--own-address", default="F0:00:00:00:00:F0")
    options = parser.parse_args()
    async with await open_transport(options.transport) as transport:
        device = Device.from_config_with_hci(
            DeviceConfiguration(name="phone", address=Address(options.own_address)), transport.source, transport.sink)
        device.keystore = MemoryKeyStore()
        await Phone(device).run()


if __name__ == "__main__":
    asyncio.run(main())
