#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A phone played by an independent host stack (Bumble): scans, connects, pairs, reads,
writes and subscribes, one JSON line for each step.

    phone.py scan
    phone.py --name my-gateway dump
    phone.py --address F0:00:00:00:00:01/R --pair --io keyboard --passkey 123456 read UUID
    phone.py --name my-gateway write UUID HEX
    phone.py --name my-gateway subscribe UUID SECONDS

`--keystore FILE` keeps the bond, so that a later run reconnects with the stored key.
A refusal is printed with its ATT or SMP error code and makes the exit status 1.
"""
import argparse
import asyncio
import json
import sys

from bumble.att import ATT_Error
from bumble.core import AdvertisingData, ProtocolError, UUID
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.hci import Address
from bumble.keys import JsonKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

IO = {"none": PairingDelegate.NO_OUTPUT_NO_INPUT, "keyboard": PairingDelegate.KEYBOARD_INPUT_ONLY,
      "display": PairingDelegate.DISPLAY_OUTPUT_ONLY, "display-yes-no": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
      "keyboard-display": PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT}


def emit(**fields):
    print(json.dumps(fields), flush=True)


class PhoneUser(PairingDelegate):
    """Answers pairing prompts as a person holding the phone would."""

    def __init__(self, options):
        super().__init__(IO[options.io])
        self.passkey = options.passkey

    async def get_number(self):
        emit(event="passkey-entered", passkey=self.passkey)
        return self.passkey

    async def compare_numbers(self, number, digits):
        emit(event="numbers-compared", number=number)
        return True

    async def display_number(self, number, digits):
        emit(event="passkey-displayed", number=number)


async def find(device, options):
    if options.address:
        return Address(options.address)
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement):
        names = [advertisement.data.get(kind, raw=True) for kind in
                 (AdvertisingData.COMPLETE_LOCAL_NAME, AdvertisingData.SHORTENED_LOCAL_NAME)]
        if options.name.encode() in names and not found.done():
            emit(event="found", address=str(advertisement.address), rssi=advertisement.rssi,
                 data=bytes(advertisement.data).hex())
            found.set_result(advertisement.address)

    device.on("advertisement", on_advertisement)
    await device.start_scanning(active=True)
    address = await asyncio.wait_for(found, options.timeout)
    await device.stop_scanning()
    return address


async def scan(device, seconds):
    """One line for each advertiser, when its scan response has come or the time is over."""
    seen = {}

    def on_advertisement(advertisement):
        names = [advertisement.data.get(kind, raw=True) for kind in
                 (AdvertisingData.COMPLETE_LOCAL_NAME, AdvertisingData.SHORTENED_LOCAL_NAME)]
        name = next((name.decode(errors="replace") for name in names if name), None)
        address = str(advertisement.address)
        if address not in seen or name:
            seen[address] = dict(address=address, name=name, data=bytes(advertisement.data).hex())

    device.on("advertisement", on_advertisement)
    await device.start_scanning(active=True)
    await asyncio.sleep(seconds)
    await device.stop_scanning()
    for advertiser in seen.values():
        emit(event="seen", **advertiser)


async def characteristic(peer, uuid):
    for item in peer.get_characteristics_by_uuid(UUID(uuid)):
        return item
    raise SystemExit(f"no characteristic {uuid}")


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default="tcp-client:127.0.0.1:6402")
    parser.add_argument("--own-address", default="F0:00:00:00:00:F0")
    parser.add_argument("--name")
    parser.add_argument("--address")
    parser.add_argument("--timeout", type=float, default=15)
    parser.add_argument("--pair", action="store_true", help="pair before the action")
    parser.add_argument("--io", choices=IO, default="keyboard")
    parser.add_argument("--passkey", type=int, default=0)
    parser.add_argument("--legacy", action="store_true", help="LE Legacy pairing instead of Secure Connections")
    parser.add_argument("--no-mitm", action="store_true")
    parser.add_argument("--keystore")
    parser.add_argument("action", choices=["scan", "dump", "read", "write", "subscribe", "pair"])
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    async with await open_transport(options.transport) as hci:
        configuration = DeviceConfiguration(name="rig-phone", address=Address(options.own_address))
        device = Device.from_config_with_hci(configuration, hci.source, hci.sink)
        if options.keystore:
            device.keystore = JsonKeyStore("phone", options.keystore)
        device.pairing_config_factory = lambda _connection: PairingConfig(
            sc=not options.legacy, mitm=not options.no_mitm, bonding=True, delegate=PhoneUser(options))
        await device.power_on()
        if options.action == "scan":
            await scan(device, float(options.arguments[0]) if options.arguments else 4)
            return
        connection = await device.connect(await find(device, options), timeout=options.timeout)
        emit(event="connected", peer=str(connection.peer_address))
        peer = Peer(connection)
        if options.pair:
            await connection.pair()
            emit(event="paired", encrypted=connection.is_encrypted, authenticated=connection.authenticated,
                 sc=connection.sc)
        elif options.keystore and await device.keystore.get(str(connection.peer_address)):
            await connection.encrypt()
            emit(event="encrypted", authenticated=connection.authenticated)
        await peer.request_mtu(517)
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
            for item in service.characteristics:
                await item.discover_descriptors()
        if options.action == "dump":
            for service in peer.services:
                emit(service=str(service.uuid), handle=service.handle, end=service.end_group_handle, characteristics=[
                    dict(uuid=str(c.uuid), handle=c.handle, properties=int(c.properties),
                         descriptors=[str(d.type) for d in c.descriptors]) for c in service.characteristics])
        elif options.action == "read":
            value = await (await characteristic(peer, options.arguments[0])).read_value()
            emit(event="read", value=bytes(value).hex())
        elif options.action == "write":
            item = await characteristic(peer, options.arguments[0])
            await item.write_value(bytes.fromhex(options.arguments[1]), with_response=True)
            emit(event="written")
        elif options.action == "subscribe":
            item = await characteristic(peer, options.arguments[0])
            await item.subscribe(lambda value: emit(event="value", value=bytes(value).hex()))
            emit(event="subscribed")
            gone = asyncio.Event()
            connection.on("disconnection", lambda _reason: gone.set())
            try:
                await asyncio.wait_for(gone.wait(), float(options.arguments[1]))
                emit(event="disconnected")
                return
            except asyncio.TimeoutError:
                pass
        await connection.disconnect()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (ATT_Error, ProtocolError) as error:
        emit(event="refused", error=str(error), code=getattr(error, "error_code", None))
        sys.exit(1)
    except (asyncio.TimeoutError, TimeoutError) as error:
        emit(event="timeout", error=str(error))
        sys.exit(1)
