# SPDX-License-Identifier: Apache-2.0
"""What else happens around pairings: mistakes, refusals, requests from the other side, keys that one end has lost."""
import asyncio

import reference
from bumble import hci
from bumble.hci import Address
from bumble.pairing import PairingConfig
from pairing import (CONFIRM_VALUE_FAILED, DISPLAY_ONLY, DISPLAY_YES_NO, KEYBOARD_ONLY, NO_INPUT_NO_OUTPUT,
                     NUMERIC_COMPARISON_FAILED, PAIRING_NOT_SUPPORTED, Combination, agree)
from reference import expect

LABEL = 19655  # a passkey that is printed on a device
INSUFFICIENT_AUTHENTICATION = 0x05
# RootCanal says so where controllers say PIN or Key Missing (0x06): CBError.peerRemovedPairingInformation.
AUTHENTICATION_FAILURE = 0x05


class Labelled:
    """The delegate of a device with one passkey for all its life."""

    def __init__(self, delegate):
        async def generate_passkey():
            return LABEL
        delegate.generate_passkey = generate_passkey


class Incidents:
    def __init__(self, rig):
        self.rig = rig

    # MARK: What steps are made of

    async def meet(self, ours=NO_INPUT_NO_OUTPUT, theirs=NO_INPUT_NO_OUTPUT, mitm=False, connect=True, **policy):
        """A peer that was never met, connected."""
        rig = self.rig
        rig.began = []
        await rig.become_somebody_else()
        rig.configure(Combination(rig.is_central, ours, theirs, mitm=mitm))
        await rig.tell_policy(Combination(rig.is_central, ours, theirs, mitm=mitm), **policy)
        if connect:
            await rig.connect()

    async def bonded(self, **options):
        """The same, paired; gives the bond."""
        await self.meet(**options)
        line, result = await self.rig.pair()
        expect(line["event"] == "paired", f"it failed: {line}, {result!r}")
        bond = await self.rig.bond()
        await self.rig.disconnect()
        return bond

    # MARK: Both roles

    async def wrong_passkey(self, report):
        await self.meet(KEYBOARD_ONLY, DISPLAY_ONLY, mitm=True)
        self.rig.people.mistake = 1
        await self.rig.check_failure(CONFIRM_VALUE_FAILED, *await self.rig.pair())

    async def digits_denied_here(self, report):
        await self.meet(DISPLAY_YES_NO, DISPLAY_YES_NO, mitm=True)
        self.rig.people.we_deny = True
        await self.rig.check_failure(NUMERIC_COMPARISON_FAILED, *await self.rig.pair())

    async def digits_denied_there(self, report):
        """Bumble says it by another reason than the specification has for it."""
        await self.meet(DISPLAY_YES_NO, DISPLAY_YES_NO, mitm=True)
        self.rig.people.peer_denies = True
        await self.rig.check_failure(CONFIRM_VALUE_FAILED, *await self.rig.pair())

    async def public_identity(self, report):
        """The identity is another address than that of the link, which stays: the peer is kept, and found, under that."""
        rig = self.rig
        await self.meet(connect=False)
        rig.config.identity_address_type = PairingConfig.AddressType.PUBLIC
        await rig.connect()
        line, result = await rig.pair()
        expect(line["event"] == "paired", f"it failed: {line}, {result!r}")
        bond = await rig.bond()
        agree("identity", bond["address"], rig.address, line["address"])
        expect(bond["isRandom"], "the address of the link is random")
        report["detail"] = rig.address

    async def private_address(self, report):
        """A peer comes back with another resolvable private address than it has paired with."""
        rig, seen = self.rig, []
        await self.meet(connect=False)
        for visit in range(3):
            await rig.appear_as(Address.generate_private_address(rig.device.irk))
            seen.append(str(rig.device.random_address))
            rig.began = []
            connection = await rig.connect(again=visit > 0)
            if visit == 0:
                line, result = await rig.pair()
                expect(line["event"] == "paired", f"it failed: {line}, {result!r}")
                agree("identity", (await rig.bond())["address"], rig.address)
            elif not rig.is_central:
                await rig.encrypt(connection)
            agree("value", await rig.read_secured(), reference.ENCRYPTED_VALUE)
            if visit:
                agree("pairings begun", rig.began, [])
            await rig.disconnect()
        await rig.bond()
        report["detail"] = seen

    # MARK: We are the Central

    async def on_demand(self, report):
        """Reading what is refused pairs, and is repeated."""
        await self.meet()
        self.rig.pairings_begun += 1
        agree("value", await self.rig.read_secured(), reference.ENCRYPTED_VALUE)
        await self.rig.bond()

    async def security_request(self, report):
        await self.meet()
        self.rig.pairings_begun += 1
        self.rig.connection.request_pairing()
        line = await self.rig.hear("paired", "failed")
        expect(line["event"] == "paired", f"it failed: {line}")

    async def unwanted_security_request(self, report):
        await self.meet(incoming="closed")
        self.rig.connection.request_pairing()
        await asyncio.sleep(1)
        agree("pairings begun", self.rig.began, [])
        expect(not self.rig.bonds.all(), "there is a bond")

    async def label(self, report):
        """A passkey of the configuration: nobody is asked."""
        rig = self.rig
        await self.meet(NO_INPUT_NO_OUTPUT, DISPLAY_ONLY, mitm=True, connect=False)
        Labelled(rig.config.delegate)
        await rig.tell_policy(Combination(True, NO_INPUT_NO_OUTPUT, DISPLAY_ONLY),
                              passkeys={rig.address: f"{LABEL:06}"})
        await rig.connect()
        line, result = await rig.pair()
        expect(line["event"] == "paired" and line["authenticated"], f"it failed: {line}, {result!r}")
        agree("questions", rig.people.asked, [])

    async def lost_by_peer(self, report):
        """The peer has forgotten us: the link ends, the bond stays, and nothing is paired anew."""
        rig = self.rig
        bond = await self.bonded()
        rig.device.keystore.all_keys.clear()
        rig.began = []
        await rig.advertise()
        rig.tell("reconnect")
        line = await rig.hear("disconnected")
        expect(f"{AUTHENTICATION_FAILURE:#04x}" in line["text"], f"it ended by {line}")
        agree("pairings begun", rig.began, [])
        agree("our bond", (await rig.bond())["keys"], bond["keys"])
        report["detail"] = line["text"]

    # MARK: We are the Peripheral

    async def closed_window(self, report):
        """Refused while the window is closed, then allowed."""
        rig = self.rig
        await self.meet(incoming="closed")
        agree("a stranger's read: error", await rig.read_secured(), INSUFFICIENT_AUTHENTICATION)
        line, result = await rig.pair(heard=False)
        agree("reason", result, PAIRING_NOT_SUPPORTED)
        expect(not rig.bonds.all(), "there is a bond")
        await rig.disconnect()
        await rig.tell_policy(Combination(False, NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT))
        await rig.connect()
        line, result = await rig.pair()
        expect(line["event"] == "paired", f"it failed: {line}, {result!r}")
        agree("value", await rig.read_secured(), reference.ENCRYPTED_VALUE)

    async def our_security_request(self, report):
        rig = self.rig
        await self.meet()
        report["detail"] = f"AuthReq {await rig.ask_for_security():#x}"
        line, result = await rig.pair()
        expect(line["event"] == "paired", f"it failed: {line}, {result!r}")

    async def lost_by_us(self, report):
        """We have forgotten the peer: its key opens nothing."""
        rig = self.rig
        await self.bonded()
        await rig.do("forget", "forgotten")
        connection = await rig.connect()
        try:
            await rig.encrypt(connection)
            expect(False, "it was encrypted with a key that we have forgotten")
        except hci.HCI_Error as error:
            agree("error", error.error_code, AUTHENTICATION_FAILURE)
        agree("read: error", await rig.read_secured(), INSUFFICIENT_AUTHENTICATION)


async def run(rig):
    incidents = Incidents(rig)
    script = [
        ("wrong passkey", incidents.wrong_passkey), ("digits denied here", incidents.digits_denied_here),
        ("digits denied there", incidents.digits_denied_there), ("public identity", incidents.public_identity),
        ("private address", incidents.private_address)]
    if rig.is_central:
        script += [
            ("pairing on demand", incidents.on_demand), ("security request", incidents.security_request),
            ("unwanted security request", incidents.unwanted_security_request),
            ("passkey known beforehand", incidents.label), ("bond lost by the peer", incidents.lost_by_peer)]
    else:
        script += [
            ("window closed, then open", incidents.closed_window),
            ("our security request", incidents.our_security_request), ("bond lost by us", incidents.lost_by_us)]
    for name, body in script:
        if rig.options.only and rig.options.only not in name:
            continue
        with rig.steps.step(name) as report:
            try:
                await body(report)
            finally:
                await rig.clean_up()
