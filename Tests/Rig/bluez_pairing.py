#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs our host (`martlet-peer pairing`) with BlueZ; runs beside bluetoothd.

    bluez_pairing.py --peer .build/test/release/martlet-peer --controller hci0 --adapter hci1 --role central --folder /host

`--role` is ours. One JSON line a combination; the exit status is 1 when one did not hold. BlueZ's answers come from an
agent on D-Bus, its keys are read where bluetoothd keeps them.
"""
import argparse
import configparser
import json
import pathlib
import sys
import tempfile
import time

import dbus
import dbus.mainloop.glib
import dbus.service
import reference
from bluez_client import CHARACTERISTIC, DEVICE, long_uuid
from bluez_server import OBJECT_MANAGER, Advertisement, Application
from gi.repository import GLib
from our_end import OurEnd
from pairing import (DISPLAY_ONLY, DISPLAY_YES_NO, KEYBOARD_DISPLAY, KEYBOARD_ONLY, NO_INPUT_NO_OUTPUT, Bonds,
                     Combination, agree, is_secure, long_term_keys, secrets_of)
from reference import Steps, expect

PATIENCE = 120  # seconds
NAME = "pairing"
AGENT, AGENT_MANAGER, ADAPTER = "org.bluez.Agent1", "org.bluez.AgentManager1", "org.bluez.Adapter1"
ADVERTISEMENT, PROPERTIES = "org.bluez.LEAdvertisement1", "org.freedesktop.DBus.Properties"
AGENT_PATH = dbus.ObjectPath("/agent")
CAPABILITIES = {NO_INPUT_NO_OUTPUT: "NoInputNoOutput", KEYBOARD_ONLY: "KeyboardOnly", DISPLAY_ONLY: "DisplayOnly",
                DISPLAY_YES_NO: "DisplayYesNo", KEYBOARD_DISPLAY: "KeyboardDisplay"}
# Ours, theirs, and whether we insist on protection: each model, each way that digits can go.
COMBINATIONS = [
    (NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT, False), (DISPLAY_ONLY, KEYBOARD_ONLY, True),
    (KEYBOARD_ONLY, DISPLAY_ONLY, True), (KEYBOARD_ONLY, KEYBOARD_ONLY, True),
    (DISPLAY_YES_NO, DISPLAY_YES_NO, True), (KEYBOARD_DISPLAY, KEYBOARD_DISPLAY, True)]
# Where bluetoothd keeps keys of Secure Connections: in either section, whatever its role was.
LONG_TERM_KEYS = ("LongTermKey", "PeripheralLongTermKey", "SlaveLongTermKey")
AGREED = 271828  # the passkey of two people who both enter it


class People:
    """Who sits before both ends during one pairing."""

    def __init__(self):
        self.shown = self.our_number = self.their_number = None
        self.answers = []  # (what has to be known, what is done with it)

    def when(self, known, act):
        self.answers.append((known, act))
        self.look()

    def look(self):
        for known, act in list(self.answers):
            value = known()
            if value is not None:
                self.answers.remove((known, act))
                act(value)

    def numbers(self):
        if None in (self.our_number, self.their_number):
            return None
        return self.our_number, self.their_number


class Agent(dbus.service.Object):
    def __init__(self, bus, rig):
        super().__init__(bus, AGENT_PATH)
        self.rig = rig

    def asked(self, what):
        self.rig.asked.append(what)
        return self.rig.people

    @dbus.service.method(AGENT, in_signature="o", out_signature="u", async_callbacks=("reply", "_refuse"))
    def RequestPasskey(self, _device, reply, _refuse):
        self.asked("RequestPasskey").when(lambda: self.rig.people.shown, lambda number: reply(dbus.UInt32(number)))

    @dbus.service.method(AGENT, in_signature="ouq")
    def DisplayPasskey(self, _device, passkey, _entered):
        people = self.asked("DisplayPasskey")
        people.shown = int(passkey)
        people.look()

    @dbus.service.method(AGENT, in_signature="ou", async_callbacks=("reply", "refuse"))
    def RequestConfirmation(self, _device, passkey, reply, refuse):
        people = self.asked("RequestConfirmation")
        people.their_number = int(passkey)
        people.when(people.numbers, lambda both: reply() if both[0] == both[1] else refuse(
            dbus.DBusException("they differ", name="org.bluez.Error.Rejected")))
        people.look()

    @dbus.service.method(AGENT, in_signature="o")
    def RequestAuthorization(self, _device):
        self.asked("RequestAuthorization")

    @dbus.service.method(AGENT, in_signature="os")
    def AuthorizeService(self, _device, _uuid):
        pass

    @dbus.service.method(AGENT)
    def Cancel(self):
        pass

    @dbus.service.method(AGENT)
    def Release(self):
        pass


class Rig:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.is_central = options.role == "central"
        self.context, self.steps = GLib.MainContext.default(), Steps()
        self.state = pathlib.Path(tempfile.mkdtemp())
        self.bonds, self.secrets = Bonds(self.state), set()
        self.lines, self.asked, self.people = [], [], People()
        self.pairings_begun = 0
        self.agent_is_registered = False
        self.ours = OurEnd(
            [options.peer, "pairing", "--role", options.role, "--controller", options.controller, "--name", NAME,
             "--state", self.state, "--capture", self.folder / f"{options.role}.btsnoop"],
            self.folder / f"martlet-peer-{options.role}.log", lambda line: GLib.idle_add(self.on_line, line))

    def find_bluez(self):
        self.bus = dbus.SystemBus()
        self.adapter_path = f"/org/bluez/{self.options.adapter}"
        self.adapter = self.object(self.adapter_path)
        self.manager = dbus.Interface(self.object("/org/bluez"), AGENT_MANAGER)
        self.own_address = str(self.adapter.Get(ADAPTER, "Address", dbus_interface=PROPERTIES))
        for name in ("Powered", "Pairable"):
            self.adapter.Set(ADAPTER, name, dbus.Boolean(True, variant_level=1), dbus_interface=PROPERTIES)
        self.agent = Agent(self.bus, self)

    # MARK: What steps are made of

    def object(self, path):
        return self.bus.get_object("org.bluez", path, introspect=False)

    def objects(self, interface):
        found = self.object("/").GetManagedObjects(dbus_interface=OBJECT_MANAGER)
        return {str(path): interfaces[interface] for path, interfaces in found.items() if interface in interfaces}

    def call(self, path, interface, method, *arguments):
        """Waits for the answer, and serves the agent meanwhile."""
        outcome = []
        self.object(path).get_dbus_method(method, interface)(
            *arguments, timeout=PATIENCE, reply_handler=lambda *values: outcome.append((values, None)),
            error_handler=lambda error: outcome.append((None, error)))
        values, error = self.wait(f"{method} is answered", lambda: outcome and outcome[0])
        if error:
            raise error
        return values[0] if values else None

    def wait(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        timer = GLib.timeout_add(50, lambda: True)
        try:
            while not (value := condition()):
                expect(time.monotonic() < deadline, f"{what}: not within {PATIENCE} s; {self.lines[-3:]}")
                self.context.iteration(True)
            return value
        finally:
            GLib.source_remove(timer)

    def on_line(self, line):
        if line is None:
            self.lines.append({"event": "ended"})
        elif line["event"] == "asked":
            self.answer(line)
        else:
            self.lines.append(line)
        return False

    def answer(self, line):
        people, question = self.people, line["question"]
        self.asked.append(question)
        if question == "consent":
            self.ours.tell("answer", accept=True)
        elif question == "display":
            people.shown = int(line["number"])
        elif question == "enter":
            people.when(lambda: people.shown, lambda number: self.ours.tell("answer", passkey=f"{number:06}"))
        else:
            people.our_number = int(line["number"])
            people.when(people.numbers, lambda both: self.ours.tell("answer", accept=both[0] == both[1]))
        people.look()

    def hear(self, *events):
        def heard():
            for index, line in enumerate(self.lines):
                if line["event"] in events:
                    del self.lines[:index + 1]
                    return line
                expect(line["event"] not in ("ended", "error"), f"martlet-peer: {line}")
        return self.wait(f"{events} of ours", heard)

    def do(self, command, event, **fields):
        self.ours.tell(command, **fields)
        return self.hear(event)

    # MARK: BlueZ

    def set_capability(self, capability):
        if self.agent_is_registered:
            self.manager.UnregisterAgent(AGENT_PATH)
        self.manager.RegisterAgent(AGENT_PATH, CAPABILITIES[capability])
        self.manager.RequestDefaultAgent(AGENT_PATH)
        self.agent_is_registered = True

    def serve(self):
        """BlueZ as the Peripheral."""
        application = Application(self.bus, "/pairing")
        service = application.service(reference.MAIN)
        application.characteristic(service, reference.ENCRYPTED, ["encrypt-read"], lambda: reference.ENCRYPTED_VALUE)
        self.call(self.adapter_path, "org.bluez.GattManager1", "RegisterApplication",
                  dbus.ObjectPath(application.path), dbus.Dictionary({}, signature="sv"))
        self.advertisement = Advertisement(self.bus, "/advertisement", ADVERTISEMENT, {
            "Type": "peripheral", "ServiceUUIDs": dbus.Array([reference.MAIN], signature="s"), "LocalName": NAME})
        self.call(self.adapter_path, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
                  dbus.ObjectPath(self.advertisement.path), dbus.Dictionary({}, signature="sv"))

    def device(self):
        """The object of our host: it has our name, or is the one that is connected."""
        found = [path for path, item in self.objects(DEVICE).items() if item["Connected"] or item.get("Name") == NAME]
        return found[0] if found else None

    def discover(self):
        adapter = dbus.Interface(self.adapter, ADAPTER)
        adapter.SetDiscoveryFilter(dbus.Dictionary({"Transport": "le"}, signature="sv"))
        adapter.StartDiscovery()
        path = self.wait("our peripheral is found", self.device)
        adapter.StopDiscovery()
        return path

    def read_from_us(self, path):
        self.wait("the services are resolved", lambda: self.objects(DEVICE)[path]["ServicesResolved"])
        found = [item for item, properties in self.objects(CHARACTERISTIC).items()
                 if item.startswith(path + "/") and properties["UUID"] == long_uuid(reference.ENCRYPTED)]
        expect(len(found) == 1, f"{len(found)} characteristics")
        return bytes(self.call(found[0], CHARACTERISTIC, "ReadValue", dbus.Dictionary({}, signature="sv")))

    def read_from_bluez(self):
        line = self.do("read", "read")
        return bytes.fromhex(line["value"]) if "value" in line else line

    def stored(self):
        """What bluetoothd has written down of its only bond."""
        folder = pathlib.Path("/var/lib/bluetooth") / self.own_address

        def written():
            for path in folder.glob("*/info"):
                content = configparser.ConfigParser()
                content.optionxform = str
                content.read(path)
                if any(content.has_section(name) for name in LONG_TERM_KEYS):
                    return content
        return self.wait("bluetoothd has written the key", written)

    # MARK: Pairing

    def play(self, ours, theirs, insists):
        combination = Combination(self.is_central, ours, theirs, mitm=True, insists=insists)
        self.people, self.asked = People(), []
        if combination.letter == "B":
            self.people.shown = AGREED
        self.set_capability(theirs)
        self.do("policy", "policy", capability=ours, requiresAuthentication=insists, incoming="open")
        self.pairings_begun += 1
        if self.is_central:
            self.do("connect", "connected", address=self.own_address)
            self.ours.tell("pair")
            path = None
        else:
            path = self.discover()
            self.call(path, DEVICE, "Pair")
        line = self.hear("paired", "failed")
        expect(line["event"] == "paired", f"it failed: {line}; asked: {self.asked}")
        self.compare(combination, line)
        self.read(path)
        self.disconnect(path)
        self.asked = []
        if self.is_central:
            self.reconnect()
        else:
            self.call(path, DEVICE, "Connect")
        self.read(path)
        agree("asked at the reconnection", self.asked, [])
        expect(not [line for line in self.lines if line["event"] in ("paired", "failed")], f"{self.lines}")
        self.disconnect(path)
        return combination.model

    def reconnect(self):
        """bluetoothd on a busy machine may not take up a link that comes back at once: the kernel, where nobody uses it, ends it after
        4 s (0x13). Whoever was connected connects again, as our collector does; a second time is a failure."""
        self.do("reconnect", "connected")
        value = self.read_from_bluez()
        if isinstance(value, bytes) or "notConnected" not in value["text"]:
            return
        self.wait("disconnected", lambda: not [item for item in self.objects(DEVICE).values() if item["Connected"]])
        self.do("reconnect", "connected")

    def compare(self, combination, line):
        bond = self.wait("our bond is on disk", lambda: self.bonds.all())[0]
        info = self.stored()
        theirs = next(info[name] for name in LONG_TERM_KEYS if info.has_section(name))
        agree("questions", *[sorted(self.asked), sorted(self.expected(combination))])
        agree("LTK (ours / BlueZ)", long_term_keys(bond), bytes.fromhex(theirs["Key"])[::-1].hex())
        # 2: Secure Connections, unauthenticated; 3: authenticated.
        agree("authenticated (table / ours / our store / BlueZ)", combination.is_authenticated, line["authenticated"],
              bond["isAuthenticated"], {2: False, 3: True}.get(int(theirs["Authenticated"])))
        agree("Secure Connections", is_secure(bond), True)
        agree("key size (ours / BlueZ)", bond["keySize"], int(theirs["EncSize"]))
        given = info["IdentityResolvingKey"]["Key"] if info.has_section("IdentityResolvingKey") else None
        agree("our IRK", self.bonds.identity_key(), given and bytes.fromhex(given)[::-1].hex())
        self.secrets.update(filter(None, secrets_of(bond) + [self.bonds.identity_key()]))

    def expected(self, combination):
        """What is asked of people on both sides."""
        ours = {"I": "display" if self.is_central else "enter", "R": "enter" if self.is_central else "display",
                "B": "enter", "N": "compare", "J": None if self.is_central else "consent"}[combination.letter]
        theirs = {"I": "RequestPasskey" if self.is_central else "DisplayPasskey",
                  "R": "DisplayPasskey" if self.is_central else "RequestPasskey",
                  "B": "RequestPasskey", "N": "RequestConfirmation",
                  "J": "RequestAuthorization" if self.is_central else None}[combination.letter]
        return [question for question in (ours, theirs) if question]

    def read(self, path):
        agree("the secured value", self.read_from_bluez() if self.is_central else self.read_from_us(path),
              reference.ENCRYPTED_VALUE)

    def disconnect(self, path):
        if self.is_central:
            self.do("disconnect", "disconnected")
        else:
            self.call(path, DEVICE, "Disconnect")
        self.wait("disconnected", lambda: not [item for item in self.objects(DEVICE).values() if item["Connected"]])

    def clean_up(self):
        """No bond is left on either side."""
        for path in self.objects(DEVICE):
            self.call(self.adapter_path, ADAPTER, "RemoveDevice", dbus.ObjectPath(path))
        self.do("forget", "forgotten")
        self.wait("our bonds are gone", lambda: not self.bonds.all())
        self.lines.clear()

    def run(self):
        self.hear("ready")
        reference.emit(event="ours is ready")
        if self.options.go:
            pathlib.Path(self.options.go).read_text()
        self.find_bluez()
        if self.is_central:
            self.serve()
        for ours, theirs, insists in COMBINATIONS:
            with self.steps.step(f"{ours} and BlueZ's {theirs}") as report:
                try:
                    report["detail"] = self.play(ours, theirs, insists)
                finally:
                    self.clean_up()
        status = self.ours.end()
        (self.folder / f"secrets-{self.options.role}.json").write_text(json.dumps(sorted(self.secrets)))
        if status == 0:
            reference.emit(event="end", pairings=self.pairings_begun)
        return self.steps.failures == 0 and status == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--controller", default="hci0")
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--role", choices=["central", "peripheral"], required=True)
    parser.add_argument("--folder", default="/host")
    parser.add_argument("--go", help="wait, once our end has its controller, until this file has been written")
    options = parser.parse_args()
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    return Rig(options).run()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
