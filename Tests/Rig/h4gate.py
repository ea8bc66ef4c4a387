#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""h4gate.py LISTEN ROOTCANAL - the gate between HCI hosts and RootCanal, on loopback.

One RootCanal connection (= one virtual controller) per accepted connection. It works round two things: RootCanal
aborts on Write Authenticated Payload Timeout, which Linux sends after every encryption, so that is answered here; and
it leaves Nagle's algorithm on, which costs 45 ms a command.
"""
import asyncio
import sys

from h4 import serve

WRITE_AUTHENTICATED_PAYLOAD_TIMEOUT = b"\x01\x7c\x0c"


class Gate:
    skips_noise = False

    def answer(self, packet):
        if packet[:3] == WRITE_AUTHENTICATED_PAYLOAD_TIMEOUT:
            return bytes([4, 0x0E, 6, 1, 0x7C, 0x0C, 0]) + packet[4:6]
        return None

    def change(self, packet):
        return packet


asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), Gate, "radio: ready"))
