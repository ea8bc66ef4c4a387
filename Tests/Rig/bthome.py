#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A BTHome device, played by an independent host stack (Bumble).

    bthome.py --transport tcp-client:127.0.0.1:6402 --address F0:00:05:00:00:01

Each line of standard input is what it advertises from then on: the device information octet and the objects, in hexadecimal
digits (bthome.io). It prints "advertising OCTETS" once they are on the air, and ends with its input.
"""
import argparse
import asyncio
import sys

from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device, DeviceConfiguration
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

from broadcasters import FLAGS, structure


def packet(octets):
    return FLAGS + structure(0x16, bytes.fromhex("d2fc") + octets)


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transport", required=True)
    parser.add_argument("--address", required=True)
    options = parser.parse_args()
    async with await open_transport(options.transport) as transport:
        address = Address(options.address, Address.RANDOM_DEVICE_ADDRESS)
        device = Device.from_config_with_hci(
            DeviceConfiguration(name="BTHome", address=address), transport.source, transport.sink)
        await device.power_on()
        parameters = AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(
                is_connectable=False, is_scannable=False, is_legacy=True),
            own_address_type=OwnAddressType.RANDOM,
            primary_advertising_interval_min=100, primary_advertising_interval_max=110)
        advertising = None
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            data = packet(bytes.fromhex(line))
            if advertising is None:
                advertising = await device.create_advertising_set(
                    random_address=address, advertising_parameters=parameters, advertising_data=data)
            else:
                await advertising.set_advertising_data(data)
            print(f"advertising {line.strip()}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
