#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The reference database (reference.py) on BlueZ, for a central to go through; runs beside bluetoothd.

    bluez_server.py --adapter hci1 --name reference

One JSON line an event. What BlueZ adds by itself (2902, the services 1800 and 1801) is not registered.
"""
import argparse
import ctypes
import socket
import struct

import dbus
import dbus.mainloop.glib
import dbus.service
import reference
from gi.repository import GLib
from reference import emit

OBJECT_MANAGER, PROPERTIES = "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"
SERVICE, CHARACTERISTIC, DESCRIPTOR = (f"org.bluez.Gatt{kind}1" for kind in ("Service", "Characteristic", "Descriptor"))
AGENT = "org.bluez.Agent1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"


class Refused(dbus.DBusException):
    def __init__(self, name, message="refused"):
        super().__init__(message)
        self._dbus_error_name = f"org.bluez.Error.{name}"


def application_error(code):
    """BlueZ takes the codes from the message."""
    def refused(*_):
        raise Refused("Failed", f"0x{code:02x}")
    return refused


class Node(dbus.service.Object):
    """A D-Bus object with the properties of one interface."""

    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.path, self.interface, self.properties = dbus.ObjectPath(path), interface, properties

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return self.properties

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Attribute(Node):
    """A characteristic or a descriptor: `read()` gives the value, `write(octets)` takes one."""

    def __init__(self, bus, path, interface, properties, read=None, write=None):
        super().__init__(bus, path, interface, properties)
        self.read, self.write = read, write
        self.waiting = []  # indications that wait for the confirmation of the one before

    def value(self, options):
        octets = self.read()
        return dbus.Array(octets[int(options.get("offset", 0)):], signature="y")

    def take(self, octets, options):
        octets = bytes(octets)
        if options.get("offset"):
            raise Refused("InvalidOffset")
        self.write(octets)

    def send(self, octets):
        self.PropertiesChanged(self.interface, {"Value": dbus.Array(octets, signature="y")}, [])


class Characteristic(Attribute):
    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        return self.value(options)

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, octets, options):
        self.take(octets, options)

    @dbus.service.method(CHARACTERISTIC)
    def StartNotify(self):
        emit(event="subscribed", uuid=self.properties["UUID"])

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        emit(event="unsubscribed", uuid=self.properties["UUID"])

    @dbus.service.method(CHARACTERISTIC)
    def Confirm(self):
        emit(event="confirmed", uuid=self.properties["UUID"])
        if self.waiting:
            self.send(self.waiting.pop(0))


class Descriptor(Attribute):
    @dbus.service.method(DESCRIPTOR, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        return self.value(options)

    @dbus.service.method(DESCRIPTOR, in_signature="aya{sv}")
    def WriteValue(self, octets, options):
        self.take(octets, options)


class Application(dbus.service.Object):
    """Services that are registered together."""

    def __init__(self, bus, path):
        super().__init__(bus, path)
        self.bus, self.path, self.nodes = bus, path, []

    def add(self, node):
        self.nodes.append(node)
        return node

    def service(self, uuid, includes=()):
        path = f"{self.path}/service{len(self.nodes)}"
        return self.add(Node(self.bus, path, SERVICE, {
            "UUID": uuid, "Primary": True,
            "Includes": dbus.Array([service.path for service in includes], signature="o")}))

    def characteristic(self, service, uuid, flags, read=None, write=None):
        path = f"{service.path}/characteristic{len(self.nodes)}"
        return self.add(Characteristic(self.bus, path, CHARACTERISTIC, {
            "UUID": uuid, "Service": service.path, "Flags": dbus.Array(flags, signature="s")}, read, write))

    def descriptor(self, characteristic, uuid, flags, read=None, write=None):
        path = f"{characteristic.path}/descriptor{len(self.nodes)}"
        return self.add(Descriptor(self.bus, path, DESCRIPTOR, {
            "UUID": uuid, "Characteristic": characteristic.path, "Flags": dbus.Array(flags, signature="s")},
            read, write))

    @dbus.service.method(OBJECT_MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {node.path: {node.interface: node.properties} for node in self.nodes}


class Advertisement(Node):
    @dbus.service.method(ADVERTISEMENT)
    def Release(self):
        emit(event="advertisement-released")


class Consent(dbus.service.Object):
    """An agent that lets Just Works happen: without one, BlueZ refuses."""

    def __init__(self, bus, adapter):
        path = dbus.ObjectPath("/consent")
        super().__init__(bus, path)
        manager = dbus.Interface(bus.get_object("org.bluez", "/org/bluez", introspect=False), "org.bluez.AgentManager1")
        manager.RegisterAgent(path, "NoInputNoOutput")
        manager.RequestDefaultAgent(path)
        adapter.Set("org.bluez.Adapter1", "Pairable", dbus.Boolean(True, variant_level=1), dbus_interface=PROPERTIES)

    @dbus.service.method(AGENT, in_signature="o")
    def RequestAuthorization(self, device):
        emit(event="authorized", device=str(device))

    @dbus.service.method(AGENT)
    def Release(self):
        pass


class Stored:
    """A value that keeps what is written."""

    def __init__(self, octets=b"", limit=512):
        self.octets, self.limit = octets, limit

    def read(self):
        return self.octets

    def write(self, octets):
        if len(octets) > self.limit:
            raise Refused("InvalidValueLength")
        self.octets = octets


class Server:
    def __init__(self, bus, adapter, name):
        self.bus, self.adapter_path, self.name = bus, f"/org/bluez/{adapter}", name
        self.adapter = bus.get_object("org.bluez", self.adapter_path)
        self.counter = reference.Counter()
        self.psm = 0x0080
        self.application = self.reference_database()
        self.changing = None

    def reference_database(self):
        app = Application(self.bus, "/reference")

        def stored(uuid, limit=512, flags=("read", "write")):
            content = Stored(limit=limit)
            app.characteristic(main, uuid, flags, content.read, content.write)

        battery = app.service("180f")
        app.characteristic(battery, reference.BATTERY_LEVEL, ["read", "notify"], lambda: bytes([97]))
        included = app.service(reference.INCLUDED)
        app.characteristic(included, reference.INCLUDED_VALUE, ["read"], lambda: reference.INCLUDED_CONTENT)
        main = app.service(reference.MAIN, [included, battery])
        app.characteristic(main, reference.CONSTANT, ["read"], lambda: reference.CONSTANT_VALUE)
        app.characteristic(main, reference.DYNAMIC, ["read"], lambda: reference.DYNAMIC_VALUE)
        app.characteristic(main, reference.LONG, ["read"], lambda: reference.LONG_VALUE)
        stored(reference.WRITABLE)
        app.characteristic(main, reference.COUNTING, ["read", "write-without-response"], self.counter.read,
                           self.counter.write)
        self.notifying = app.characteristic(main, reference.NOTIFYING, ["notify"])
        self.indicating = app.characteristic(main, reference.INDICATING, ["indicate"])
        app.characteristic(main, reference.CONTROL, ["write"], write=self.on_command)
        described = app.characteristic(main, reference.DESCRIBED, ["notify", "indicate"])
        description = Stored(reference.DESCRIPTION.encode())
        app.descriptor(described, "2901", ["read", "write"], description.read, description.write)
        app.descriptor(described, "2904", ["read"], lambda: reference.FORMAT)
        app.characteristic(main, reference.WRITE_ONLY, ["write"], write=lambda _: None)
        app.characteristic(main, reference.ENCRYPTED, ["encrypt-read"], lambda: reference.ENCRYPTED_VALUE)
        app.characteristic(main, reference.REFUSING, ["read", "write"], application_error(reference.READ_REFUSED),
                           application_error(reference.WRITE_REFUSED))
        reliable = ["read", "write", "reliable-write"]
        stored(reference.PAIR_FIRST, flags=reliable)
        stored(reference.PAIR_SECOND, limit=4, flags=reliable)
        app.characteristic(main, reference.PSM, ["read"], lambda: struct.pack("<H", self.psm))
        return app

    def register(self, application, then):
        dbus.Interface(self.adapter, "org.bluez.GattManager1").RegisterApplication(
            application.path, {}, reply_handler=then, error_handler=self.fail)

    def start(self):
        self.agent = Consent(self.bus, self.adapter)
        self.listen()
        self.register(self.application, self.advertise)

    def advertise(self):
        self.advertisement = Advertisement(self.bus, "/advertisement", ADVERTISEMENT, {
            "Type": "peripheral", "ServiceUUIDs": dbus.Array([reference.MAIN], signature="s"),
            "LocalName": self.name})
        dbus.Interface(self.adapter, "org.bluez.LEAdvertisingManager1").RegisterAdvertisement(
            self.advertisement.path, {}, reply_handler=lambda: emit(event="advertising"), error_handler=self.fail)

    def fail(self, error):
        emit(event="failed", error=str(error))
        raise SystemExit(1)

    def on_command(self, octets):
        emit(event="command", octets=octets.hex())
        GLib.idle_add(self.perform, octets[0], octets[1] if len(octets) > 1 else 0)  # the response goes first

    def perform(self, command, count):
        if command == reference.NOTIFY:
            for index in range(count):
                self.notifying.send(reference.value(index))
        elif command == reference.INDICATE:
            self.indicating.waiting = [reference.value(index) for index in range(1, count)]
            self.indicating.send(reference.value(0))
        elif command == reference.CHANGE_SERVICES:
            self.change_services()
        elif command == reference.DISCONNECT:
            manager = dbus.Interface(self.bus.get_object("org.bluez", "/"), OBJECT_MANAGER)
            for path, interfaces in manager.GetManagedObjects().items():
                if interfaces.get("org.bluez.Device1", {}).get("Connected"):
                    dbus.Interface(self.bus.get_object("org.bluez", path), "org.bluez.Device1").Disconnect(
                        reply_handler=lambda: emit(event="disconnected"), error_handler=self.fail)

    def change_services(self):
        """Adds the changing service, or removes it."""
        if self.changing is None:
            self.changing = Application(self.bus, "/changing")
            service = self.changing.service(reference.CHANGING)
            self.changing.characteristic(service, reference.CHANGING_VALUE, ["read"], lambda: b"changed")
            self.register(self.changing, lambda: emit(event="services-changed"))
        else:
            dbus.Interface(self.adapter, "org.bluez.GattManager1").UnregisterApplication(
                self.changing.path, reply_handler=lambda: emit(event="services-changed"), error_handler=self.fail)
            self.changing = None

    # A channel that echoes.

    def listen(self):
        self.listener = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_SEQPACKET, socket.BTPROTO_L2CAP)
        address = str(self.adapter.Get("org.bluez.Adapter1", "Address", dbus_interface=PROPERTIES))
        low_energy_call("bind", self.listener, address, self.psm)
        self.listener.listen(1)
        GLib.io_add_watch(self.listener.fileno(), GLib.IO_IN, self.on_channel)

    def on_channel(self, *_):
        channel, _ = self.listener.accept()
        emit(event="channel", psm=self.psm)

        def on_data(*_):
            octets = channel.recv(65535)
            if octets:
                channel.send(octets)
                return True
            channel.close()
            return False
        GLib.io_add_watch(channel.fileno(), GLib.IO_IN | GLib.IO_HUP, on_data)
        return True


def low_energy_call(function, connection, address, psm, address_type=1):
    """bind or connect with an address type (1: public, 2: random), which Python's socket module cannot say."""
    octets = bytes.fromhex(address.replace(":", ""))[::-1]
    name = struct.pack("<HH6sHBx", socket.AF_BLUETOOTH, psm, octets, 0, address_type)
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(connection.fileno(), name, len(name)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function} {address} {psm:#x}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--name", default="reference")
    options = parser.parse_args()
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    Server(dbus.SystemBus(), options.adapter, options.name).start()
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
