#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Home Assistant's Improv client (PyPI's py-improv-ble-client) with Bumble below it, in place of Bleak.

    improv_client.py --transport tcp-client:127.0.0.1:6402 --ssid Attic --password 12345678 --go FILE

One JSON line a step. Where it needs somebody at the gateway it says {"waits": …}, until the file says that it is done.
"""
import argparse
import asyncio
import json
import pathlib
import sys

import improv_ble_client.client as improv
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.hci import Address
from bumble.transport import open_transport
from improv_ble_client import protocol
from improv_ble_client.errors import ImprovError, ProvisioningFailed

PATIENCE = 60  # seconds
SERVICE = UUID("00467768-6228-2272-4663-277478268000")
SERVICE_DATA = UUID("4677")


class Characteristic:
    def __init__(self, found):
        self.found = found
        self.uuid = str(found.uuid).lower()


class Services:
    def __init__(self, characteristics):
        self.characteristics = {item.uuid: item for item in characteristics}

    def get_characteristic(self, uuid):
        return self.characteristics.get(str(uuid).lower())


class Link:
    """What the client takes for a BleakClient."""

    def __init__(self, connection, disconnected):
        self.connection = connection
        self.is_connected = True
        self.services = None
        self.tasks = set()

        def on_end(_reason):
            self.is_connected = False
            disconnected(self)
        connection.on("disconnection", on_end)

    async def resolve(self):
        peer = Peer(self.connection)
        await peer.request_mtu(247)
        characteristics = []
        for service in await peer.discover_service(SERVICE):
            for found in await service.discover_characteristics():
                await found.discover_descriptors()
                characteristics.append(Characteristic(found))
        self.services = Services(characteristics)

    def _find(self, characteristic):
        if isinstance(characteristic, Characteristic):
            return characteristic
        return self.services.get_characteristic(characteristic)

    async def start_notify(self, characteristic, callback):
        item = self._find(characteristic)

        def on_value(value):
            result = callback(item, bytearray(value))
            if asyncio.iscoroutine(result):
                task = asyncio.ensure_future(result)
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
        await item.found.subscribe(on_value)

    async def stop_notify(self, characteristic):
        await self._find(characteristic).found.unsubscribe()

    async def read_gatt_char(self, characteristic, **_options):
        return bytearray(await self._find(characteristic).found.read_value())

    async def write_gatt_char(self, characteristic, value, response=True):
        await self._find(characteristic).found.write_value(bytes(value), with_response=response)

    async def disconnect(self):
        if self.is_connected:
            await self.connection.disconnect()

    async def clear_cache(self):
        pass


class Advertised:
    """What the client takes for a BLEDevice."""

    def __init__(self, address):
        self.address = self.name = str(address)


class Rig:
    def __init__(self, device, options):
        self.device, self.options = device, options
        self.failures = 0
        improv.establish_connection = self.establish_connection

    async def establish_connection(self, _kind, ble_device, _name, disconnected, **_options):
        connection = await self.device.connect(Address(ble_device.address), timeout=PATIENCE)
        link = Link(connection, disconnected)
        await link.resolve()
        return link

    async def step(self, name, body):
        try:
            detail, ok = await asyncio.wait_for(body, 2 * PATIENCE), True
        except (AssertionError, ImprovError, asyncio.TimeoutError) as error:
            detail, ok = f"{type(error).__name__}: {error}", False
            self.failures += 1
        print(json.dumps({"step": name, "ok": ok, "detail": detail}), flush=True)

    async def wait_for(self, what, word):
        print(json.dumps({"waits": what}), flush=True)
        path = pathlib.Path(self.options.go)
        while not path.exists() or path.read_text() != word:
            await asyncio.sleep(0.05)

    async def advertisement(self):
        """As a passive scan hears it: UUID and service data in one PDU of 31 octets."""
        heard = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement):
            uuids = advertisement.data.get(AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS) or []
            if SERVICE in uuids and not heard.done():
                heard.set_result(advertisement)
        self.device.on("advertisement", on_advertisement)
        await self.device.start_scanning(active=False)
        advertisement = await asyncio.wait_for(heard, PATIENCE)
        await self.device.stop_scanning()
        self.device.remove_listener("advertisement", on_advertisement)
        uuid, data = advertisement.data.get(AdvertisingData.SERVICE_DATA_16_BIT_UUID)
        assert uuid == SERVICE_DATA, f"service data of {uuid}"
        assert len(bytes(advertisement.data)) == 31, f"{len(bytes(advertisement.data))} octets"
        found = protocol.ImprovServiceData.from_bytes(bytes(data))
        assert found.state == protocol.State.AUTHORIZATION_REQUIRED, f"the state is {found.state}"
        self.client = improv.ImprovBLEClient(Advertised(advertisement.address))
        return bytes(advertisement.data).hex()

    async def refused(self, body, wanted):
        try:
            await body
        except ProvisioningFailed as failure:
            assert failure.error == wanted, f"refused with {failure.error}"
            return str(failure.error)
        raise AssertionError("it was not refused")

    def join(self, password=None):
        states = []
        return self.client.provision(self.options.ssid, password or self.options.password, states.append)

    async def no_consent(self):
        assert await self.client.need_authorization(), "no authorization is needed"
        return await self.refused(self.join(), protocol.Error.NOT_AUTHORIZED)

    async def authorized(self):
        while await self.client.need_authorization():
            await asyncio.sleep(0.1)
        return str(self.client.capabilities)

    async def information(self):
        found = await self.client.get_device_info()
        assert found.firmware_name == b"Martlet" and found.device_name, str(found)
        return str(found)

    async def scan(self):
        found = await self.client.scan_wifi()
        assert self.options.ssid.encode() in [name for name, _, _ in found.networks], str(found)
        return str(found)

    async def provision(self):
        assert not await self.join(), "there is an address to go to"
        assert not await self.client.need_authorization(), "the state is not told as provisioned"
        return "joined"

    async def run(self):
        await self.device.power_on()
        await self.step("advertisement", self.advertisement())
        await self.step("no consent", self.no_consent())
        await self.wait_for("consent", "consent")
        await self.step("authorized", self.authorized())
        await self.step("device information", self.information())
        await self.step("scan", self.scan())
        await self.step("wrong password", self.refused(self.join("87654321"), protocol.Error.UNABLE_TO_CONNECT))
        await self.step("provision", self.provision())
        await self.wait_for("the end of the window", "closed")
        await self.step("outside the window", self.refused(self.join(), protocol.Error.NOT_AUTHORIZED))
        return self.failures == 0


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", required=True)
    parser.add_argument("--ssid", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--go", required=True)
    options = parser.parse_args()
    async with await open_transport(options.transport) as transport:
        device = Device.from_config_with_hci(
            DeviceConfiguration(name="home-assistant", address=Address("F0:00:00:00:00:F2")), transport.source,
            transport.sink)
        return await Rig(device, options).run()


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main()) else 1)
