#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""h4gate.py LISTEN ROOTCANAL - the gate between HCI hosts and RootCanal, on loopback.

One RootCanal connection (= one virtual controller) per accepted connection. It works round two things: RootCanal
aborts on Write Authenticated Payload Timeout, which Linux sends after every encryption, so that is answered here; and
it leaves Nagle's algorithm on, which costs 45 ms a command.
"""
import asyncio
import socket
import sys

# packet type: (offset of the length field after the type octet, its size)
LENGTH_FIELD = {1: (2, 1), 2: (2, 2), 3: (2, 1), 4: (1, 1), 5: (2, 2)}
WRITE_AUTHENTICATED_PAYLOAD_TIMEOUT = b"\x01\x7c\x0c"


def without_delay(writer):
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


async def read_packet(reader):
    kind = await reader.readexactly(1)
    offset, size = LENGTH_FIELD[kind[0]]
    header = await reader.readexactly(offset + size)
    length = int.from_bytes(header[offset:], "little")
    if kind[0] == 5:
        length &= 0x3FFF  # the two upper bits of an ISO header's length are reserved
    return kind + header + await reader.readexactly(length)


async def serve(host_reader, host_writer, port):
    controller_reader, controller_writer = await asyncio.open_connection("127.0.0.1", port)
    without_delay(host_writer)

    async def down():
        while True:
            packet = await read_packet(host_reader)
            without_delay(host_writer)
            if packet[:3] == WRITE_AUTHENTICATED_PAYLOAD_TIMEOUT:
                host_writer.write(bytes([4, 0x0E, 6, 1, 0x7C, 0x0C, 0]) + packet[4:6])
                continue
            controller_writer.write(packet)
            await controller_writer.drain()

    async def up():
        while True:
            packet = await read_packet(controller_reader)
            without_delay(controller_writer)
            host_writer.write(packet)
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


async def main(listen, port):
    async def accepted(reader, writer):
        try:
            await serve(reader, writer, port)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(accepted, "127.0.0.1", listen)
    print("radio: ready", flush=True)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
