#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sets a gateway up by BlueZ as a desktop would: pairs with an agent that types the passkey, reads, writes, is notified.

    bluez_phone.py --adapter hci1 -- martlet provision status --json

What comes behind -- says the passkey. One JSON line a step; the exit status is 1 when one did not hold.
"""
import argparse
import json
import subprocess
import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from bluez_client import CHARACTERISTIC, DEVICE, PATIENCE, Client
from bluez_server import PROPERTIES
from reference import expect

AGENT, AGENT_PATH = "org.bluez.Agent1", "/martlet/typist"
FAMILY = "c60e{}-6fca-4533-8c04-739715e5f018"
STATE, NAME, STATUS = (FAMILY.format(number) for number in ("0013", "0012", "0040"))


class Typist(dbus.service.Object):
    """Types what the gateway shows."""

    def __init__(self, bus, adapter, command):
        super().__init__(bus, AGENT_PATH)
        self.command = command
        self.typed = 0
        manager = dbus.Interface(bus.get_object("org.bluez", "/org/bluez", introspect=False), "org.bluez.AgentManager1")
        manager.RegisterAgent(dbus.ObjectPath(AGENT_PATH), "KeyboardOnly")
        manager.RequestDefaultAgent(dbus.ObjectPath(AGENT_PATH))
        adapter.Set("org.bluez.Adapter1", "Pairable", dbus.Boolean(True, variant_level=1), dbus_interface=PROPERTIES)

    @dbus.service.method(AGENT, in_signature="o", out_signature="u")
    def RequestPasskey(self, _device):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            said = subprocess.run(self.command, capture_output=True, text=True, check=True).stdout
            if passkey := json.loads(said).get("passkey"):
                self.typed += 1
                return dbus.UInt32(int(passkey))
            time.sleep(0.1)
        raise dbus.DBusException("no passkey is shown", name="org.bluez.Error.Rejected")

    @dbus.service.method(AGENT, in_signature="os")
    def AuthorizeService(self, _device, _uuid):
        pass

    @dbus.service.method(AGENT)
    def Cancel(self):
        pass

    @dbus.service.method(AGENT)
    def Release(self):
        pass


class Phone(Client):
    def __init__(self, bus, adapter, command):
        super().__init__(bus, adapter, None, lambda bus, adapter: Typist(bus, adapter, command))
        self.typist = self.agent

    def connect(self, report):
        adapter = dbus.Interface(self.adapter, "org.bluez.Adapter1")
        adapter.SetDiscoveryFilter(dbus.Dictionary({"Transport": "le"}, signature="sv"))
        adapter.StartDiscovery()
        service = FAMILY.format("0001")
        self.device_path, _ = self.wait("the gateway is found", lambda: [
            (path, item) for path, item in self.objects(DEVICE).items() if service in item["UUIDs"]])[0]
        adapter.StopDiscovery()
        self.call(self.device_path, DEVICE, "Connect")
        self.wait("the services are resolved", lambda: self.objects(DEVICE)[self.device_path]["ServicesResolved"])
        report["detail"] = self.device_path

    def read_open(self, report):
        report["detail"] = self.read(STATE).decode()
        expect(report["detail"] == "unprovisioned", f"the state is {report['detail']}")

    def pair(self, report):
        """The agent is asked meanwhile, so this must not wait in the call."""
        outcome = []
        self.object(self.device_path).get_dbus_method("Pair", DEVICE)(
            reply_handler=lambda: outcome.append(None), error_handler=outcome.append, timeout=PATIENCE)
        self.wait("the pairing ends", lambda: outcome)
        expect(outcome[0] is None, f"the pairing has failed: {outcome[0]}")
        expect(self.typist.typed == 1, f"the passkey was typed {self.typist.typed} times")
        report["detail"] = self.read(STATUS).decode(errors="replace")
        expect(report["detail"].startswith("{"), report["detail"])

    def write_value(self, report):
        self.write(NAME, b"Attic gateway")
        state = self.read(STATE)
        expect(state == b"staged", f"after a write the state is {state}")

    def notifications(self, report):
        path = self.path(STATUS)
        self.values[path] = []
        self.call(path, CHARACTERISTIC, "StartNotify")
        self.wait("a whole line of the status", lambda: b"\n" in b"".join(self.values[path]))
        report["detail"] = b"".join(self.values[path]).decode()

    def reconnect(self, report):
        self.call(self.device_path, DEVICE, "Disconnect")
        self.wait("disconnected", lambda: not self.objects(DEVICE)[self.device_path]["Connected"])
        self.come_back()
        expect(self.read(STATUS).startswith(b"{"), "a bonded phone does not read")
        expect(self.typist.typed == 1, "it has paired again")
        self.call(self.device_path, DEVICE, "Disconnect")

    def run(self):
        for name, body in [("connect", self.connect), ("read what is open", self.read_open), ("pair", self.pair),
                           ("write", self.write_value), ("notified", self.notifications),
                           ("reconnect", self.reconnect)]:
            with self.steps.step(name) as report:
                body(report)
            if self.steps.failures:
                break  # each builds on the one before
        return self.steps.failures == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    return Phone(dbus.SystemBus(), options.adapter, options.command).run()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
