# SPDX-License-Identifier: Apache-2.0
"""The people before both ends of a pairing with Bumble: they carry digits from one to the other, and compare them."""
import asyncio

from bumble.pairing import PairingDelegate
from pairing import DISPLAY_ONLY, DISPLAY_YES_NO, KEYBOARD_DISPLAY, KEYBOARD_ONLY, NO_INPUT_NO_OUTPUT

PATIENCE = 60  # seconds
AGREED = 271828  # the passkey of two people who both enter it
IO = {NO_INPUT_NO_OUTPUT: PairingDelegate.NO_OUTPUT_NO_INPUT, KEYBOARD_ONLY: PairingDelegate.KEYBOARD_INPUT_ONLY,
      DISPLAY_ONLY: PairingDelegate.DISPLAY_OUTPUT_ONLY,
      DISPLAY_YES_NO: PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
      KEYBOARD_DISPLAY: PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT}


class People:
    """Who sits before both ends during one pairing, and carries digits from one to the other."""

    def __init__(self, rig):
        loop = asyncio.get_running_loop()
        self.rig = rig
        self.shown_by_us, self.shown_by_peer = loop.create_future(), loop.create_future()
        self.our_number, self.peer_number = loop.create_future(), loop.create_future()
        self.nobody_shows = False
        self.asked = []  # of us
        # What they do wrong on purpose.
        self.mistake = 0
        self.we_deny = self.peer_denies = False

    async def passkey(self, shown):
        digits = AGREED if self.nobody_shows else await asyncio.wait_for(shown, PATIENCE)
        return (digits + self.mistake) % 1_000_000

    async def answer(self, asked):
        """What we are asked."""
        question, number = asked["question"], asked.get("number")
        self.asked.append(question)
        if question == "consent":
            self.rig.tell("answer", accept=True)
        elif question == "display":
            self.shown_by_us.set_result(int(number))
        elif question == "enter":
            self.rig.tell("answer", passkey=f"{await self.passkey(self.shown_by_peer):06}")
        else:
            self.our_number.set_result(int(number))
            other = await asyncio.wait_for(self.peer_number, PATIENCE)
            self.rig.tell("answer", accept=int(number) == other and not self.we_deny)


class Delegate(PairingDelegate):
    """What Bumble asks."""

    def __init__(self, rig, capability):
        super().__init__(IO[capability])
        self.people = rig.people

    async def display_number(self, number, digits):
        self.people.shown_by_peer.set_result(number)

    async def generate_passkey(self):
        return max(1, await super().generate_passkey())  # with 0, Bumble 0.0.236 goes no further

    async def get_number(self):
        return await self.people.passkey(self.people.shown_by_us)

    async def compare_numbers(self, number, digits):
        self.people.peer_number.set_result(number)
        other = await asyncio.wait_for(self.people.our_number, PATIENCE)
        return number == other and not self.people.peer_denies
