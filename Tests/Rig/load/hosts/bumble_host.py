#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bumble_host.py PORT adv|extadv|notify LINKS - Bumble as the host under test, on h4gen's controller.

Counts values in the application's callback, checks their sequence numbers, and ends when the controller closes.
"""
import asyncio
import json
import logging
import struct
import sys

from bumble.core import AdvertisingData, UUID
from bumble.device import Device, Peer
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

logging.basicConfig(level=logging.CRITICAL)
PORT, MODE, LINKS = sys.argv[1], sys.argv[2], int(sys.argv[3])
TEMPERATURE = UUID.from_16_bits(0x2A6E)


class Count:
    def __init__(self):
        self.callbacks = 0
        self.gaps = 0
        self.next = {}

    def value(self, source, sequence):
        self.callbacks += 1
        if sequence != self.next.get(source, 0):
            self.gaps += 1
        self.next[source] = sequence + 1


def address(number):
    return Address(bytes([number & 255, number >> 8 & 255, number >> 16 & 255, 0x50, 0x5E, 0xC0]),
                   Address.RANDOM_DEVICE_ADDRESS)


async def subscribe(device, number, count):
    peer = Peer(await device.connect(address(number), own_address_type=OwnAddressType.RANDOM))
    await peer.request_mtu(247)
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
        for characteristic in service.characteristics:
            if characteristic.uuid == TEMPERATURE:
                await characteristic.discover_descriptors()
                await characteristic.subscribe(lambda value: count.value(number, *struct.unpack_from("<I", value)))


async def main(count):
    async with await open_transport(f"tcp-client:127.0.0.1:{PORT}") as (source, sink):
        device = Device.with_hci("host", Address("F0:F1:F2:F3:F4:F5"), source, sink)
        await device.power_on()
        if MODE == "notify":
            for number in range(LINKS):
                await subscribe(device, number, count)
        else:
            def on_advertisement(advertisement):
                data = advertisement.data.get(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, raw=True)
                count.value(bytes(advertisement.address), *struct.unpack_from("<I", data, 2))

            device.on("advertisement", on_advertisement)
            await device.start_scanning(active=False, filter_duplicates=False, legacy=MODE == "adv")
        await source.wait_for_termination()


counted = Count()
try:
    asyncio.run(main(counted))
except (EOFError, OSError, asyncio.CancelledError):
    pass  # the controller has gone: the flood is over
finally:
    print(json.dumps({"callbacks": counted.callbacks, "gaps": counted.gaps}))
