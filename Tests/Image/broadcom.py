#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""broadcom.py LISTEN RADIO - a Raspberry Pi's Bluetooth chip for QEMU's UART: a controller of the radio at RADIO (H4, as
Tests/Rig/radio.sh serves it) which also answers Broadcom's vendor commands and calls itself a BCM43430A1, so that Linux
uploads that chip's firmware first. What it was sent of that is a JSON line when it is started."""
import asyncio
import json
import sys

LENGTH_FIELD = {1: (2, 1), 2: (2, 2), 3: (2, 1), 4: (1, 1), 5: (2, 2)}
VENDOR = 0x3F
READ_LOCAL_VERSION = 0x1001
LAUNCH_RAM = 0xFC4E
WRITE_RAM = 0xFC4C
# Of Read Local Version's answer: the HCI revision of a UART chip, and the LMP subversion that means BCM43430A1.
REVISION, SUBVERSION = 0x0000, 0x2209
ANSWERS = {
    0xFC6E: bytes(8),  # Read Controller Features
    0xFC79: bytes([0x6E, 0, 0, 0, 0, 0]),  # Read Verbose Config: the chip
}


async def read_packet(reader):
    kind = await reader.readexactly(1)
    while kind[0] not in LENGTH_FIELD:  # what a UART sends while it is set up
        kind = await reader.readexactly(1)
    offset, size = LENGTH_FIELD[kind[0]]
    header = await reader.readexactly(offset + size)
    length = int.from_bytes(header[offset:], "little")
    if kind[0] == 5:
        length &= 0x3FFF
    return kind + header + await reader.readexactly(length)


def opcode(packet):
    return int.from_bytes(packet[1:3], "little")


def complete(command, parameters=b""):
    body = b"\x01" + command.to_bytes(2, "little") + b"\x00" + parameters
    return bytes([4, 0x0E, len(body)]) + body


def renamed(event):
    """Read Local Version's answer with this chip's numbers in it; every other event as it is."""
    if event[:2] == b"\x04\x0e" and event[4:6] == READ_LOCAL_VERSION.to_bytes(2, "little") and len(event) == 15:
        return (event[:8] + REVISION.to_bytes(2, "little") + event[10:13] + SUBVERSION.to_bytes(2, "little"))
    return event


async def serve(host_reader, host_writer, radio):
    controller_reader, controller_writer = await asyncio.open_connection("127.0.0.1", radio)
    firmware = 0

    async def down():
        nonlocal firmware
        while True:
            packet = await read_packet(host_reader)
            if packet[0] == 1 and opcode(packet) >> 10 == VENDOR:
                if opcode(packet) == WRITE_RAM:
                    firmware += len(packet) - 8
                if opcode(packet) == LAUNCH_RAM:
                    print(json.dumps({"event": "firmware", "octets": firmware}), flush=True)
                host_writer.write(complete(opcode(packet), ANSWERS.get(opcode(packet), b"")))
                continue
            controller_writer.write(packet)
            await controller_writer.drain()

    async def up():
        while True:
            host_writer.write(renamed(await read_packet(controller_reader)))
            await host_writer.drain()

    tasks = [asyncio.ensure_future(down()), asyncio.ensure_future(up())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        host_writer.close()
        controller_writer.close()


async def main(listen, radio):
    async def accepted(reader, writer):
        try:
            await serve(reader, writer, radio)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(accepted, "127.0.0.1", listen)
    print("chip: ready", flush=True)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
