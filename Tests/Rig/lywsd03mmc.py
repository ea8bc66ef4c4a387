#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Xiaomi LYWSD03MMC with its maker's firmware, played by an independent host stack (Bumble).

    lywsd03mmc.py --transport tcp-client:127.0.0.1:6402 --key 32-HEXADECIMAL-DIGITS

Encrypted MiBeacon of version 5: temperature and humidity by turns, a new packet each second, each in some advertising events.
Its address is that of its controller, which it prints first.
"""
import argparse
import asyncio
import itertools
import signal

from bumble.device import AdvertisingEventProperties, AdvertisingParameters, Device, DeviceConfiguration
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from broadcasters import FLAGS, octets_of, structure

TEMPERATURE = bytes.fromhex("0410") + b"\x02" + (214).to_bytes(2, "little")  # 21.4 °C
HUMIDITY = bytes.fromhex("0610") + b"\x02" + (480).to_bytes(2, "little")  # 48 %
PRODUCT = bytes.fromhex("5b05")


def packet(address, key, number):
    """Frame control, product, counter, address, sealed object, high octets of the counter, check value."""
    mac, count = octets_of(address)[::-1], (number + 1).to_bytes(4, "little")
    nonce = mac + PRODUCT + count
    sealed = AESCCM(key, tag_length=4).encrypt(nonce, (TEMPERATURE, HUMIDITY)[number % 2], b"\x11")
    frame = bytes.fromhex("5858") + PRODUCT + count[:1] + mac + sealed[:-4] + count[1:] + sealed[-4:]
    return FLAGS + structure(0x16, bytes.fromhex("95fe") + frame)


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transport", required=True)
    parser.add_argument("--key", required=True, type=bytes.fromhex)
    options = parser.parse_args()
    done = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, done.set)
    async with await open_transport(options.transport) as transport:
        unused = Address("F0:00:04:00:00:01", Address.RANDOM_DEVICE_ADDRESS)
        device = Device.from_config_with_hci(
            DeviceConfiguration(name="LYWSD03MMC", address=unused), transport.source, transport.sink)
        await device.power_on()
        address = str(device.public_address).split("/")[0]
        parameters = AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(
                is_connectable=True, is_scannable=True, is_legacy=True),
            own_address_type=OwnAddressType.PUBLIC,
            primary_advertising_interval_min=200, primary_advertising_interval_max=210)
        advertising = await device.create_advertising_set(
            advertising_parameters=parameters, advertising_data=packet(address, options.key, 0))
        print(f"ready {address}", flush=True)
        for number in itertools.count(1):
            try:
                await asyncio.wait_for(done.wait(), 1)
                break
            except asyncio.TimeoutError:
                await advertising.set_advertising_data(packet(address, options.key, number))
        await advertising.stop()


if __name__ == "__main__":
    asyncio.run(main())
