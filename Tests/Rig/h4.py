# SPDX-License-Identifier: Apache-2.0
"""H4 on TCP between HCI hosts and the controllers of a virtual radio, with somebody in between who sees each packet."""
import asyncio
import socket

# packet type: (offset of the length field after the type octet, its size)
LENGTH_FIELD = {1: (2, 1), 2: (2, 2), 3: (2, 1), 4: (1, 1), 5: (2, 2)}


def without_delay(writer):
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


async def read_packet(reader, skips_noise=False):
    kind = await reader.readexactly(1)
    while skips_noise and kind[0] not in LENGTH_FIELD:
        kind = await reader.readexactly(1)
    offset, size = LENGTH_FIELD[kind[0]]
    header = await reader.readexactly(offset + size)
    length = int.from_bytes(header[offset:], "little")
    if kind[0] == 5:
        length &= 0x3FFF  # the two upper bits of an ISO header's length are reserved
    return kind + header + await reader.readexactly(length)


async def relay(host_reader, host_writer, port, between):
    """One host and one controller, until either leaves. `between.answer(packet)`: what the host gets at once for a packet
    that the controller shall not see, else None. `between.change(packet)`: what the host gets of the controller."""
    controller_reader, controller_writer = await asyncio.open_connection("127.0.0.1", port)
    without_delay(host_writer)

    async def down():
        while True:
            packet = await read_packet(host_reader, between.skips_noise)
            without_delay(host_writer)
            answer = between.answer(packet)
            if answer is not None:
                host_writer.write(answer)
                continue
            controller_writer.write(packet)
            await controller_writer.drain()

    async def up():
        while True:
            packet = await read_packet(controller_reader)
            without_delay(controller_writer)
            host_writer.write(between.change(packet))
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


async def serve(listen, port, make_between, ready):
    """Each host on 127.0.0.1:`listen` gets a controller of its own at `port`, and a `make_between()`; says `ready`."""
    async def accepted(reader, writer):
        try:
            await relay(reader, writer, port, make_between())
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(accepted, "127.0.0.1", listen)
    print(ready, flush=True)
    await server.serve_forever()
