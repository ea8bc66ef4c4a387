#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs our host (`martlet-peer pairing`) with an independent one (Bumble) in every combination of pairing.py.

    bumble_pairing.py --peer .build/test/release/martlet-peer --controller tcp:127.0.0.1:7400 \\
        --transport tcp-client:127.0.0.1:7400 --role central --folder /tmp/pairing

`--role` is ours. One JSON line a combination or step; the exit status is 1 when one did not hold. The folder gets our
state, our capture, what both ends said, and every key there was, so that it can be looked for where it must not be.

Each combination is a peer that was never met, so that its refusals do not count against the next. It pairs, is compared
by both key stores, comes back, and must then be encrypted without another pairing.
"""
import argparse
import asyncio
import json
import pathlib
import sys

import bumble_incidents
import reference
from bumble import core, hci, smp
from bumble.att import ATT_Error
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig
from bumble.transport import open_transport
from bumble_people import PATIENCE, Delegate, People
from our_end import OurEnd
from pairing import (JUST_WORKS, NUMERIC_COMPARISON, OUT_OF_BAND, PASSKEY_ENTRY, REASONS, Bonds, agree, is_secure,
                     long_term_keys, matrix, secrets_of)
from reference import Steps, expect

NAME = "pairing"
METHODS = {smp.PairingMethod.JUST_WORKS: JUST_WORKS, smp.PairingMethod.PASSKEY: PASSKEY_ENTRY,
           smp.PairingMethod.NUMERIC_COMPARISON: NUMERIC_COMPARISON, smp.PairingMethod.OOB: OUT_OF_BAND}
REFUSALS = 8  # after twelve, our host lets all strangers wait, which a new process has forgotten
INTERVAL = 20  # milliseconds between advertisements


class Rig:
    """Both ends, and what goes on between them."""

    def __init__(self, device, options):
        self.device, self.options = device, options
        self.folder = pathlib.Path(options.folder)
        self.is_central = options.role == "central"
        self.steps = Steps()
        self.bonds = Bonds(self.folder / "state")
        self.loop = asyncio.get_running_loop()
        self.runs = 0
        self.refusals = 0
        self.people = self.connection = self.peer = self.config = None
        self.pairings_begun = 0
        self.began = []  # what either end said of pairings that began, since `meet`
        self.peers = 0
        self.secrets = set()
        self.session = None

    # MARK: Our end

    async def start(self):
        """Our end, with a capture of its own."""
        self.runs += 1
        self.refusals = 0
        lines = self.lines = asyncio.Queue()
        self.ours = OurEnd(
            [self.options.peer, "pairing", "--role", self.options.role, "--controller", self.options.controller,
             "--name", NAME, "--state", self.folder / "state", "--capture",
             self.folder / f"{self.options.role}-{self.runs}.btsnoop"],
            self.folder / "martlet-peer.log", lambda line: self.loop.call_soon_threadsafe(lines.put_nowait, line))
        await self.hear("ready")

    async def stop(self):
        status = await asyncio.to_thread(self.ours.end)
        expect(status == 0, f"martlet-peer ended with status {status}")

    def tell(self, do, **fields):
        self.ours.tell(do, **fields)

    async def line(self):
        line = await asyncio.wait_for(self.lines.get(), PATIENCE)
        expect(line is not None, "martlet-peer ended")
        expect(line["event"] != "error", f"martlet-peer: {line.get('text')}")
        if line["event"] in ("asked", "paired", "failed"):
            self.began.append(line["event"])
        return line

    async def hear(self, *events):
        """The next line of one of these kinds; people answer what is asked meanwhile."""
        while True:
            line = await self.line()
            if line["event"] in events:
                return line
            if line["event"] == "asked":
                asyncio.ensure_future(self.people.answer(line))

    async def do(self, command, event, **fields):
        self.tell(command, **fields)
        return await self.hear(event)

    # MARK: The peer

    async def become_somebody_else(self):
        """A static address that nobody has met."""
        self.peers += 1
        number = self.peers + (0x8000 if self.is_central else 0)
        self.device.static_address = Address(f"F1:00:00:00:{number // 256:02X}:{number % 256:02X}")
        self.device.irk = b"irk" + number.to_bytes(13, "big")
        self.device.keystore = MemoryKeyStore()
        await self.appear_as(self.device.static_address)

    async def appear_as(self, address):
        self.device.random_address = address
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))

    def configure(self, combination, oob=None):
        """Makes Bumble what the combination says."""
        self.people = People(self)
        self.people.nobody_shows = combination.letter == "B"
        self.config = PairingConfig(
            sc=combination.secure, mitm=combination.mitm, bonding=True, delegate=Delegate(self, combination.theirs),
            identity_address_type=PairingConfig.AddressType.RANDOM, oob=oob)

    async def tell_policy(self, combination, **others):
        await self.do("policy", "policy", **{
            "capability": combination.ours, "requiresAuthentication": combination.insists, "incoming": "open",
            "legacy": [self.address] if combination.legacy else [], **others})

    @property
    def address(self):
        """The peer's identity, as we write it."""
        return plain(self.device.static_address)

    async def advertise(self):
        await self.device.start_advertising(
            auto_restart=False, advertising_interval_min=INTERVAL, advertising_interval_max=INTERVAL,
            advertising_data=bytes(AdvertisingData([
                (AdvertisingData.FLAGS, bytes([0x06])), (AdvertisingData.COMPLETE_LOCAL_NAME, NAME.encode())])))

    async def connect(self, again=False):
        """A link, by whoever is the Central. `again`: to the device of the link before, wherever it is heard."""
        found = self.loop.create_future()
        self.device.once("connection", found.set_result)
        if self.is_central:
            await self.advertise()
            if again:
                await self.do("reconnect", "connected")
            else:
                await self.do("connect", "connected", address=plain(self.device.random_address))
        else:
            await self.connect_to_us()
        self.connection = await asyncio.wait_for(found, PATIENCE)
        self.connection.on("pairing_start", lambda: self.began.append("theirs"))
        if not self.is_central:
            self.peer = Peer(self.connection)
        return self.connection

    async def connect_to_us(self):
        """As phones do: scans again if our private address has just changed."""
        for _ in range(3):
            try:
                return await self.device.connect(await self.our_address(), timeout=PATIENCE / 3)
            except core.TimeoutError:
                print("no link to the address that was heard", flush=True)
        raise core.TimeoutError

    async def our_address(self):
        found = self.loop.create_future()

        def on_advertisement(advertisement):
            if advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME, raw=True) == NAME.encode():
                if not found.done():
                    found.set_result(advertisement.address)
        self.device.on("advertisement", on_advertisement)
        await self.device.start_scanning(active=True)
        address = await asyncio.wait_for(found, PATIENCE)
        await self.device.stop_scanning()
        self.device.remove_listener("advertisement", on_advertisement)
        return address

    async def disconnect(self):
        if self.is_central:
            await self.do("disconnect", "disconnected")
        else:
            await self.connection.disconnect()
        while self.connection.handle in self.device.connections:
            await asyncio.sleep(0.005)

    # MARK: Pairing

    async def pair(self, heard=True, out_of_band=None):
        """Pairs, by the initiator's wish; gives what either end says of it: a line of ours, where we have to be
        `heard`, and Bumble's keys or reason. `out_of_band`: what we are told; as the Peripheral, it is good for a
        pairing that we ask for."""
        self.pairings_begun += 1
        theirs = self.loop.create_future()
        for event in ("pairing", "pairing_failure"):
            self.connection.once(event, lambda what: None if theirs.done() else theirs.set_result(what))
        options = {"outOfBand": out_of_band} if out_of_band else {}
        if self.is_central:
            self.tell("pair", **options)
        else:
            if options:
                await self.ask_for_security(**options)
            asyncio.ensure_future(quiet(self.connection.pair()))
        line = await self.hear("paired", "failed") if heard else None
        self.session = self.device.smp_manager.sessions.get(self.connection.handle)
        return line, await asyncio.wait_for(theirs, PATIENCE)

    async def ask_for_security(self, **options):
        """We send a Security Request, as the Peripheral; gives its AuthReq."""
        await self.read_open()  # so that we know who is there
        asked = self.loop.create_future()
        self.connection.once("security_request", asked.set_result)
        self.tell("pair", **options)
        return int(await asyncio.wait_for(asked, PATIENCE))

    async def bond(self):
        """Our bond, once it is on disk."""
        for _ in range(200):
            if bonds := self.bonds.all():
                agree("bonds", len(bonds), 1)
                return bonds[0]
            await asyncio.sleep(0.02)
        expect(False, "no bond was written")

    async def read_secured(self):
        """The value behind encryption, or the error's code."""
        if self.is_central:
            line = await self.do("read", "read")
            return bytes.fromhex(line["value"]) if "value" in line else line["code"]
        return await self.read(reference.ENCRYPTED)

    async def read_open(self):
        agree("an open value", await self.read(reference.DYNAMIC), reference.DYNAMIC_VALUE)

    async def read(self, uuid):
        for service in await self.peer.discover_service(UUID(reference.MAIN)):
            for found in await service.discover_characteristics([UUID(uuid)]):
                try:
                    return bytes(await asyncio.wait_for(found.read_value(), PATIENCE))
                except ATT_Error as error:
                    return int(error.error_code)
        expect(False, f"no characteristic {uuid}")

    async def compare(self, combination, line, keys):
        """Both key stores hold the same, and what the combination leads to."""
        bond = await self.bond()
        self.secrets.update(secrets_of(bond))
        method = METHODS[self.session.pairing_method]
        # Where nobody is asked anything, our end is not told of the model.
        agree("association model (table / ours / Bumble)", combination.model, line["model"] or method, method)
        agree("authenticated (table / ours / our store / Bumble)", combination.is_authenticated, line["authenticated"],
              bond["isAuthenticated"], (keys.ltk or keys.ltk_central).authenticated)
        agree("Secure Connections (wanted / ours / Bumble)", combination.secure, is_secure(bond), self.session.sc)
        agree("key size", bond["keySize"], 16)

        def key(key):
            return key.value[::-1].hex(), key.ediv, int.from_bytes(key.rand, "little")
        if combination.secure:
            agree("LTK (ours / Bumble)", long_term_keys(bond), keys.ltk.value[::-1].hex())
        else:
            # Bumble: `central` is what the Central encrypts with, the Peripheral's.
            mine, yours = ("localDistributed", "peerDistributed")
            by_peripheral, by_central = (yours, mine) if self.is_central else (mine, yours)
            agree("LTK given by the Peripheral", long_term_keys(bond)[by_peripheral], key(keys.ltk_central))
            agree("LTK given by the Central", long_term_keys(bond)[by_central], key(keys.ltk_peripheral))
        agree("the peer's identity", bond["address"], self.address)
        agree("the peer's IRK", bond["identityKey"], self.device.irk[::-1].hex())
        agree("our IRK", self.bonds.identity_key(), keys.irk and keys.irk.value[::-1].hex())
        self.secrets.update(filter(None, [self.bonds.identity_key()]))
        return bond

    async def come_back(self, bond):
        """A bonded link is encrypted with the key that there is."""
        self.began = []
        connection = await self.connect(again=True)
        if not self.is_central:
            agree("a plain link of a bonded peer: error", await self.read_secured(), 0x0F)
            await self.encrypt(connection)
        agree("read by a bonded peer", await self.read_secured(), reference.ENCRYPTED_VALUE)
        expect(connection.is_encrypted, "Bumble knows nothing of encryption")
        agree("pairings begun at the reconnection", self.began, [])
        agree("our bond after it", (await self.bond())["keys"], bond["keys"])
        await self.disconnect()

    async def encrypt(self, connection):
        """With the key that Bumble has; it looks for it by the address of the link."""
        expect(await self.device.keystore.get(str(connection.peer_address)),
               f"Bumble has no key for {connection.peer_address}: {await self.device.keystore.get_all()}")
        await asyncio.wait_for(connection.encrypt(), PATIENCE)

    async def play(self, combination):
        """The whole life of one bond, or of none."""
        await self.become_somebody_else()
        ours, theirs = await self.exchange_out_of_band(combination)
        self.configure(combination, theirs)
        await self.tell_policy(combination)
        await self.connect()
        try:
            if not self.is_central:
                agree("a stranger's read: error", await self.read_secured(), 0x05)
            line, result = await self.pair(out_of_band=ours)
            if combination.refusal is not None:
                return await self.check_failure(combination.refusal, line, result)
            expect(line["event"] == "paired", f"it failed: {line}, {result!r}")
            expect(not isinstance(result, int), f"it failed at Bumble: {result!r}")
            bond = await self.compare(combination, line, result)
            agree("read after pairing", await self.read_secured(), reference.ENCRYPTED_VALUE)
            await self.disconnect()
            await self.come_back(bond)
        finally:
            await self.clean_up()

    async def check_failure(self, reason, line, result):
        """Both ends have the reason, and neither has a bond."""
        expect(line["event"] == "failed" and REASONS[reason] in line["text"], f"we did not end it so: {line}")
        agree("reason (wanted / Bumble)", reason, int(result) if isinstance(result, int) else result)
        expect(not self.bonds.all(), "a bond was kept")
        expect(not await self.device.keystore.get_all(), "Bumble kept a bond")
        self.refusals += 1

    async def exchange_out_of_band(self, combination):
        """What we are told, and Bumble's configuration."""
        if not (combination.we_hold or combination.peer_holds):
            return None, None
        if not combination.secure:
            context = smp.OobLegacyContext()
            self.secrets.add(context.tk[::-1].hex())
            return ({"temporaryKey": context.tk[::-1].hex()} if combination.we_hold else None,
                    PairingConfig.OobConfig(None, None, context) if combination.peer_holds else None)
        context, ours, data = smp.OobContext(), {}, None
        if combination.we_hold:
            shared = context.share()
            ours.update(confirm=shared.c[::-1].hex(), random=shared.r[::-1].hex())
        if combination.peer_holds:
            told = await self.do("tell-out-of-band", "out-of-band")
            ours["isTold"] = True
            data = smp.OobSharedData(c=bytes.fromhex(told["confirm"])[::-1], r=bytes.fromhex(told["random"])[::-1])
        return ours, PairingConfig.OobConfig(context, data, None)

    async def clean_up(self):
        """No link and no bond is left of the combination before."""
        if self.connection and self.connection.handle in self.device.connections:
            await self.disconnect()
        await self.device.stop_advertising()
        await self.do("forget", "forgotten")
        for _ in range(200):
            if not self.bonds.all():
                return
            await asyncio.sleep(0.02)
        expect(False, "a forgotten bond is still on disk")

    async def run(self):
        if self.is_central:
            self.offer_secured_value()
        await self.device.power_on()
        self.device.pairing_config_factory = lambda _connection: self.config
        await self.start()
        try:
            for combination in matrix(self.is_central):
                if self.options.only and self.options.only not in str(combination):
                    continue
                if self.refusals == REFUSALS:
                    await self.stop()
                    await self.start()
                with self.steps.step(str(combination)) as report:
                    await self.play(combination)
                    report["detail"] = "refused" if combination.refusal else combination.model
            await self.stop()
            await self.start()
            await bumble_incidents.run(self)
        finally:
            (self.folder / "secrets.json").write_text(json.dumps(sorted(self.secrets)))
            await self.stop()
        reference.emit(event="end", pairings=self.pairings_begun)
        return self.steps.failures == 0

    def offer_secured_value(self):
        def read(connection):
            # Bumble's own READ_REQUIRES_ENCRYPTION answers Insufficient Encryption to strangers too.
            if not connection.is_encrypted:
                raise ATT_Error(0x05)
            return reference.ENCRYPTED_VALUE
        self.device.add_service(Service(UUID(reference.MAIN), [Characteristic(
            UUID(reference.ENCRYPTED), Characteristic.Properties.READ, Characteristic.READABLE,
            CharacteristicValue(read=read))]))


def plain(address):
    return str(address).split("/")[0]


async def quiet(coroutine):
    """What it raises is told by an event as well."""
    try:
        await coroutine
    except (core.ProtocolError, asyncio.CancelledError):
        pass


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--controller", required=True)
    parser.add_argument("--transport", required=True)
    parser.add_argument("--role", choices=["central", "peripheral"], required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--only", help="combinations whose description has these words")
    options = parser.parse_args()
    async with await open_transport(options.transport) as transport:
        configuration = DeviceConfiguration(name=NAME, address=Address("F1:00:00:00:00:00"))
        device = Device.from_config_with_hci(configuration, transport.source, transport.sink)
        return await Rig(device, options).run()


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main()) else 1)
