#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Goes through the reference database (reference.py) of a peripheral by BlueZ; runs beside bluetoothd.

    bluez_client.py --adapter hci1 --name reference

One JSON line a step; the exit status is 1 when one did not hold.
"""
import argparse
import socket
import struct
import sys
import time

import dbus
import dbus.mainloop.glib
import reference
from bluez_server import OBJECT_MANAGER, PROPERTIES, Consent, low_energy_call
from gi.repository import GLib
from reference import Steps, expect

PATIENCE = 60  # seconds
DEVICE, SERVICE, CHARACTERISTIC, DESCRIPTOR = (
    f"org.bluez.{name}1" for name in ("Device", "GattService", "GattCharacteristic", "GattDescriptor"))


class Client:
    def __init__(self, bus, adapter, name, agent=Consent):
        self.bus, self.name, self.adapter_path = bus, name, f"/org/bluez/{adapter}"
        self.adapter = self.object(self.adapter_path)
        self.agent = agent(bus, self.adapter)
        self.steps = Steps()
        self.context = GLib.MainContext.default()
        self.device = self.device_path = None
        self.values = {}  # by characteristic, what PropertiesChanged brought
        bus.add_signal_receiver(self.on_change, "PropertiesChanged", PROPERTIES, path_keyword="path")

    # MARK: What steps are made of

    def object(self, path):
        return self.bus.get_object("org.bluez", path, introspect=False)

    def objects(self, interface):
        """The properties of every object of the kind, by path."""
        found = self.object("/").GetManagedObjects(dbus_interface=OBJECT_MANAGER)
        return {str(path): interfaces[interface] for path, interfaces in found.items() if interface in interfaces}

    def on_change(self, interface, changed, _invalidated, path):
        if interface == CHARACTERISTIC and "Value" in changed:
            self.values.setdefault(str(path), []).append(bytes(changed["Value"]))

    def wait(self, what, condition):
        deadline = time.monotonic() + PATIENCE
        # A timer wakes the loop when no signal does.
        timer = GLib.timeout_add(100, lambda: True)
        try:
            while not (value := condition()):
                expect(time.monotonic() < deadline, f"{what}: not within {PATIENCE} s")
                self.context.iteration(True)
            return value
        finally:
            GLib.source_remove(timer)

    def of_device(self, interface):
        return {path: properties for path, properties in self.objects(interface).items()
                if path.startswith(self.device_path + "/")}

    def path(self, uuid, interface=CHARACTERISTIC):
        found = [path for path, properties in self.of_device(interface).items()
                 if properties["UUID"] == long_uuid(uuid)]
        expect(len(found) == 1, f"{len(found)} of {uuid}")
        return found[0]

    def call(self, path, interface, method, *arguments):
        return self.object(path).get_dbus_method(method, interface)(*arguments, timeout=PATIENCE)

    def read(self, uuid):
        return bytes(self.call(self.path(uuid), CHARACTERISTIC, "ReadValue", dbus.Dictionary({}, signature="sv")))

    def write(self, uuid, octets, kind="request", path=None):
        self.call(path or self.path(uuid), CHARACTERISTIC, "WriteValue", dbus.Array(octets, signature="y"),
                  dbus.Dictionary({"type": kind}, signature="sv"))

    def refused(self, body, *words):
        try:
            body()
        except dbus.DBusException as error:
            text = f"{error.get_dbus_name()}: {error.get_dbus_message()}"
            expect(any(word in text for word in words), text)
            return text
        expect(False, f"no error, where one of {words} was expected")

    def subscribed(self, uuid, command, count, size=4):
        path = self.path(uuid)
        self.values[path] = []
        self.call(path, CHARACTERISTIC, "StartNotify")
        self.write(reference.CONTROL, bytes([command, count]))
        self.wait(f"{count} values", lambda: len(self.values[path]) >= count)
        wanted = [reference.value(index) for index in range(count)]
        got = [octets[:4] for octets in self.values[path]]
        expect(got == wanted, f"{[octets.hex() for octets in got]}")
        expect(all(len(octets) >= size for octets in self.values[path]), "values are shorter than the MTU allows")

    # MARK: Steps

    def connect(self, report):
        adapter = dbus.Interface(self.adapter, "org.bluez.Adapter1")
        adapter.SetDiscoveryFilter(dbus.Dictionary({"Transport": "le"}, signature="sv"))
        adapter.StartDiscovery()
        found = self.wait("the device is found", lambda: [
            (path, item) for path, item in self.objects(DEVICE).items() if item.get("Name") == self.name])
        self.device_path, properties = found[0]
        adapter.StopDiscovery()
        expect(long_uuid(reference.MAIN) in properties["UUIDs"], f"advertised are {list(properties['UUIDs'])}")
        self.call(self.device_path, DEVICE, "Connect")
        self.wait("the services are resolved", lambda: self.objects(DEVICE)[self.device_path]["ServicesResolved"])
        report["detail"] = self.device_path

    def services(self, report):
        found = self.of_device(SERVICE)
        uuids = [str(item["UUID"]) for item in found.values()]
        for uuid in (reference.MAIN, reference.INCLUDED, reference.BATTERY):
            expect(uuids.count(long_uuid(uuid)) == 1, f"{uuid} among {uuids}")
        main = found[self.path(reference.MAIN, SERVICE)]
        wanted = {self.path(reference.INCLUDED, SERVICE), self.path(reference.BATTERY, SERVICE)}
        expect({str(path) for path in main["Includes"]} == wanted, f"included are {list(main['Includes'])}")

    def characteristics(self, report):
        found = self.of_device(CHARACTERISTIC)
        wanted = {
            reference.CONSTANT: {"read"}, reference.WRITABLE: {"read", "write"},
            reference.COUNTING: {"read", "write-without-response"}, reference.NOTIFYING: {"notify"},
            reference.INDICATING: {"indicate"}, reference.DESCRIBED: {"notify", "indicate"}}
        for uuid, flags in wanted.items():
            shown = {str(flag) for flag in found[self.path(uuid)]["Flags"]}
            expect(shown - {"extended-properties"} == flags, f"{uuid} has {shown}")
        report["detail"] = int(found[self.path(reference.LONG)].get("MTU", 0))
        expect(report["detail"] > 23, "the MTU was not exchanged")

    def descriptors(self, report):
        described = self.path(reference.DESCRIBED)
        found = {str(item["UUID"]): path for path, item in self.of_device(DESCRIPTOR).items()
                 if item["Characteristic"] == described}
        values = {uuid: bytes(self.call(path, DESCRIPTOR, "ReadValue", dbus.Dictionary({}, signature="sv")))
                  for uuid, path in found.items()}
        expect(values.get(long_uuid("2901")) == reference.DESCRIPTION.encode(), f"{values}")
        expect(values.get(long_uuid("2904")) == reference.FORMAT, f"{values}")

    def read_values(self, report):
        for uuid, value in ((reference.CONSTANT, reference.CONSTANT_VALUE),
                            (reference.DYNAMIC, reference.DYNAMIC_VALUE),
                            (reference.INCLUDED_VALUE, reference.INCLUDED_CONTENT),
                            (reference.LONG, reference.LONG_VALUE)):
            read = self.read(uuid)
            expect(read == value, f"{uuid} has {len(read)} octets: {read.hex()}")

    def write_values(self, report):
        for size in (7, 400, 512):
            octets = bytes(number * 11 % 256 for number in range(size))
            self.write(reference.WRITABLE, octets)
            read = self.read(reference.WRITABLE)
            expect(read == octets, f"{size} octets were written, {len(read)} are read")

    def write_reliably(self, report):
        self.write(reference.WRITABLE, b"reliable", kind="reliable")
        expect(self.read(reference.WRITABLE) == b"reliable", "it does not read so")

    def write_without_response(self, report):
        path, count = self.path(reference.COUNTING), 100
        for index in range(count):
            self.write(None, reference.value(index), kind="command", path=path)
        came, misplaced = struct.unpack("<II", self.read(reference.COUNTING))
        expect((came, misplaced) == (count, 0), f"{came} of {count} came, {misplaced} out of order")

    def notifications(self, report):
        self.subscribed(reference.NOTIFYING, reference.NOTIFY, 50)

    def indications(self, report):
        self.subscribed(reference.INDICATING, reference.INDICATE, 10)

    def flood(self, report):
        mtu = int(self.objects(CHARACTERISTIC)[self.path(reference.DESCRIBED)]["MTU"])
        self.subscribed(reference.DESCRIBED, reference.FLOOD, 100, size=mtu - 3)

    def unsubscribe(self, report):
        path = self.path(reference.NOTIFYING)
        self.call(path, CHARACTERISTIC, "StopNotify")
        self.values[path] = []
        self.write(reference.CONTROL, bytes([reference.NOTIFY, 3]))
        self.read(reference.DYNAMIC)
        expect(not self.values[path], "a value came after unsubscribing")

    def refusals(self, report):
        report["detail"] = [
            self.refused(lambda: self.read(reference.WRITE_ONLY), "NotPermitted"),
            self.refused(lambda: self.write(reference.CONSTANT, b"refused"), "NotPermitted"),
            self.refused(lambda: self.read(reference.REFUSING), "0x80"),
            self.refused(lambda: self.write(reference.REFUSING, b"refused"), "0x81"),
            self.refused(lambda: self.write(reference.PAIR_SECOND, b"too long"), "InvalidValueLength", "Invalid Length",
                         "0x0d")]

    def services_changed(self, report):
        self.write(reference.CONTROL, bytes([reference.CHANGE_SERVICES]))
        self.wait("BlueZ shows the new service", lambda: [
            item for item in self.of_device(SERVICE).values() if item["UUID"] == long_uuid(reference.CHANGING)])
        self.write(reference.CONTROL, bytes([reference.CHANGE_SERVICES]))
        self.wait("BlueZ drops the removed service", lambda: not [
            item for item in self.of_device(SERVICE).values() if item["UUID"] == long_uuid(reference.CHANGING)])

    def echo(self, report):
        psm, = struct.unpack("<H", self.read(reference.PSM))
        device = self.objects(DEVICE)[self.device_path]
        with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_SEQPACKET, socket.BTPROTO_L2CAP) as channel:
            own = self.adapter.Get("org.bluez.Adapter1", "Address", dbus_interface=PROPERTIES)
            low_energy_call("bind", channel, own, 0)
            kind = 1 if device["AddressType"] == "public" else 2
            low_energy_call("connect", channel, device["Address"], psm, kind)
            channel.settimeout(PATIENCE)
            sent, received = bytes(number * 3 % 251 for number in range(5_000)), b""
            for offset in range(0, len(sent), 250):
                channel.send(sent[offset:offset + 250])
            while len(received) < len(sent):
                octets = channel.recv(65535)
                expect(octets, f"the channel was closed after {len(received)} octets")
                received += octets
            expect(received == sent, "other octets came back than were sent")
        report["detail"] = f"{len(sent)} octets there and back, PSM {psm:#x}"

    def come_back(self):
        self.call(self.device_path, DEVICE, "Connect")
        self.wait("the services are resolved", lambda: self.objects(DEVICE)[self.device_path]["ServicesResolved"])

    def reconnect(self, report):
        self.call(self.device_path, DEVICE, "Disconnect")
        self.wait("disconnected", lambda: not self.objects(DEVICE)[self.device_path]["Connected"])
        self.come_back()
        self.subscribed(reference.NOTIFYING, reference.NOTIFY, 5)
        read = self.read(reference.ENCRYPTED)
        expect(read == reference.ENCRYPTED_VALUE, f"a bonded peer reads {read.hex()}")
        self.call(self.device_path, DEVICE, "Disconnect")

    def encrypted(self, report):
        """BlueZ answers the refusal by pairing; nobody has opened the window, so reading fails. It ends the link."""
        report["detail"] = self.refused(
            lambda: self.read(reference.ENCRYPTED), "NotPermitted", "NotAuthorized", "Failed")
        self.wait("BlueZ has given up", lambda: not self.objects(DEVICE)[self.device_path]["Connected"])

    def paired(self, report):
        self.come_back()
        self.write(reference.CONTROL, bytes([reference.OPEN_WINDOW]))
        self.call(self.device_path, DEVICE, "Pair")
        read = self.read(reference.ENCRYPTED)
        expect(read == reference.ENCRYPTED_VALUE, f"the encrypted value is {read.hex()}")

    def run(self):
        script = [
            ("connect", self.connect), ("discover services", self.services),
            ("discover characteristics", self.characteristics), ("read descriptors", self.descriptors),
            ("read", self.read_values), ("write", self.write_values), ("write reliably", self.write_reliably),
            ("write without response", self.write_without_response), ("subscribe notify", self.notifications),
            ("subscribe indicate", self.indications), ("flood", self.flood), ("unsubscribe", self.unsubscribe),
            ("refusals", self.refusals), ("services changed", self.services_changed), ("l2cap", self.echo),
            ("encryption required", self.encrypted), ("paired", self.paired), ("reconnect", self.reconnect)]
        for name, body in script:
            with self.steps.step(name) as report:
                body(report)
            if name == "connect" and self.steps.failures:
                break  # nothing else can be asked
        return self.steps.failures == 0


def long_uuid(uuid):
    """As BlueZ writes it."""
    return uuid if len(uuid) > 4 else f"0000{uuid}-0000-1000-8000-00805f9b34fb"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--name", default="reference")
    options = parser.parse_args()
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    return Client(dbus.SystemBus(), options.adapter, options.name).run()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
