# SPDX-License-Identifier: Apache-2.0
"""A NetworkManager that is played: python-dbusmock's template, and what it lacks for networks on trial.

    python3 -m dbusmock --system --template networkmanager_mock.py

AddAndActivateConnection2, checkpoints with their time-out, scans that move LastScan, and Device.StateChanged with reasons. How
an activation goes is the network's name's to say (PLAYS); "Attic" wants the password "correct horse". `World` says as JSON
what there is, `Call` changes it.
"""
import json

import dbus
import dbusmock
from dbusmock.templates import networkmanager
from dbusmock.templates.networkmanager import *  # noqa: F401,F403
from gi.repository import GLib

BUS_NAME, MAIN_OBJ, SYSTEM_BUS = networkmanager.BUS_NAME, networkmanager.MAIN_OBJ, True
IS_OBJECT_MANAGER = True
NM, NM_IFACE = networkmanager.MANAGER_OBJ, networkmanager.MANAGER_IFACE
DEVICE_IFACE, WIRELESS_IFACE = networkmanager.DEVICE_IFACE, networkmanager.WIRELESS_DEVICE_IFACE
SETTINGS, PROFILE_IFACE = networkmanager.SETTINGS_OBJ, networkmanager.CSETTINGS_IFACE
DEVICE = "/org/freedesktop/NetworkManager/Devices/wlan0"
PSK, SAE = 0x188, 0x488

# State and reason, one after the other; after 100 the network has an address.
GOOD = [(40, 0), (50, 0), (60, 0), (40, 0), (50, 0), (70, 0), (80, 0), (100, 0)]
PLAYS = {
    "Attic": GOOD, "Barn": GOOD, "home": GOOD,
    "Wrong": [(40, 0), (50, 0), (60, 8), (120, 7)],
    # A wrong WPA3 password, as NetworkManager 1.42 has it.
    "Cellar": [(40, 0), (50, 0), (120, 53)],
    "Ghost": [(40, 0), (50, 0), (120, 53)],
    "Desert": [(40, 0), (50, 0), (70, 0), (120, 5)],
    # Says nothing more: for what happens in the middle.
    "Still": [(40, 0), (50, 0)],
}
world = {"played": [], "checkpoints": 0, "refusing": False, "scans": 0, "saved": {}}
checkpoints = {}


def the(path):
    return dbusmock.get_object(path)


def active_path():
    return str(the(DEVICE).Get(DEVICE_IFACE, "ActiveConnection"))


def active_profile():
    path = active_path()
    return None if path == "/" else str(the(path).Get(networkmanager.ACTIVE_CONNECTION_IFACE, "Connection"))


def change(state, reason):
    device = the(DEVICE)
    old = device.Get(DEVICE_IFACE, "State")
    device.Set(DEVICE_IFACE, "State", dbus.UInt32(state))
    device.EmitSignal(DEVICE_IFACE, "StateChanged", "uuu", [dbus.UInt32(state), old, dbus.UInt32(reason)])


def set_address(address):
    data = [dbus.Dictionary({"address": address, "prefix": dbus.UInt32(24)}, signature="sv")] if address else []
    the("/org/freedesktop/NetworkManager/IP4Config/1").Set(
        "org.freedesktop.NetworkManager.IP4Config", "AddressData", dbus.Array(data, signature="a{sv}"))


def disconnect(state=30, reason=60):
    path = active_path()
    the(DEVICE).Set(DEVICE_IFACE, "ActiveConnection", dbus.ObjectPath("/"))
    set_address(None)
    if path != "/":
        manager = the(NM)
        paths = [each for each in manager.Get(NM_IFACE, "ActiveConnections") if each != path]
        manager.Set(NM_IFACE, "ActiveConnections", dbus.Array(paths, signature="o"))
        the(NM).RemoveObject(path)
        change(110, reason)
    change(state, reason)


def activate(profile):
    """Plays the activation of a profile; its steps come one by one from the main loop."""
    disconnect()
    settings = the(profile).settings
    name = bytes(settings["802-11-wireless"]["ssid"]).decode()
    world["played"].append(name)
    number = len(world["played"])
    path = f"/org/freedesktop/NetworkManager/ActiveConnection/{number}"
    the(NM).AddObject(path, networkmanager.ACTIVE_CONNECTION_IFACE, {
        "Connection": dbus.ObjectPath(profile), "Uuid": settings["connection"]["uuid"], "State": dbus.UInt32(1)}, [])
    the(DEVICE).Set(DEVICE_IFACE, "ActiveConnection", dbus.ObjectPath(path))
    play = list(PLAYS[name])
    if name == "Attic" and settings["802-11-wireless-security"].get("psk") != "correct horse":
        play = PLAYS["Wrong"]

    def step():
        # Another activation has come between.
        if len(world["played"]) != number or active_path() != path:
            return False
        state, reason = play.pop(0)
        if state == 100:
            set_address(f"192.0.2.{number}")
        if state == 120:
            the(DEVICE).Set(DEVICE_IFACE, "ActiveConnection", dbus.ObjectPath("/"))
        change(state, reason)
        return bool(play)
    GLib.timeout_add(30, step)
    return path


def add_profile(settings, saved):
    settings = {section: dict(values) for section, values in settings.items()}
    path = the(SETTINGS).SettingsAddConnection({**settings, "connection": {**settings["connection"], "autoconnect": False}})
    profile = the(path)
    profile.settings = settings
    world["saved"][path] = saved
    profile.AddMethod(PROFILE_IFACE, "Update2", "a{sa{sv}}ua{sv}", "a{sv}", "ret = self.update2(self, args[0], args[1])")
    profile.update2, profile.ConnectionGetSettings = update2, get_settings
    profile.ConnectionGetSecrets = get_secrets
    profile.AddProperty(PROFILE_IFACE, "Filename", "")
    profile.ConnectionDelete = delete_profile
    return path


def get_settings(profile):
    return {section: dbus.Dictionary({key: value for key, value in values.items() if key != "psk"}, signature="sv")
            for section, values in profile.settings.items()}


def get_secrets(profile, section):
    values = profile.settings[section]
    return {section: dbus.Dictionary({key: values[key] for key in ("psk",) if key in values}, signature="sv")}


def update2(profile, settings, flags):
    if settings:
        # As NetworkManager does: what is not given is gone, secrets too.
        profile.settings = {section: dict(values) for section, values in settings.items()}
    if flags & 1:
        world["saved"][profile.connection_path] = {
            section: dict(values) for section, values in profile.settings.items()}
    return dbus.Dictionary({}, signature="sv")


def delete_profile(profile):
    path = profile.connection_path
    if active_profile() == path:
        disconnect(reason=38)
    world["saved"].pop(path, None)
    settings = the(SETTINGS)
    paths = [each for each in settings.Get(networkmanager.SETTINGS_IFACE, "Connections") if each != path]
    settings.Set(networkmanager.SETTINGS_IFACE, "Connections", dbus.Array(paths, signature="o"))
    the(NM).RemoveObject(path)


def add_and_activate(_manager, settings, device, specific, options):
    assert device == DEVICE and specific == "/" and options == {"persist": "memory"}, (device, specific, options)
    assert not settings["connection"]["autoconnect"], "a network on trial joins by itself"
    profile = add_profile(settings, saved=False)
    return profile, dbus.ObjectPath(activate(profile)), dbus.Dictionary({}, signature="sv")


def show_checkpoints():
    the(NM).Set(NM_IFACE, "Checkpoints", dbus.Array(list(checkpoints), signature="o"))


def checkpoint_create(_manager, devices, seconds, flags):
    assert [str(each) for each in devices] == [DEVICE] and flags & 2, (devices, flags)
    if flags & 4:
        raise dbus.exceptions.DBusException(
            "the DISCONNECT_NEW_DEVICES flag can only be used with an empty device list",
            name=f"{NM_IFACE}.InvalidArguments")
    if checkpoints:
        raise dbus.exceptions.DBusException(
            "device 'wlan0' is already included in checkpoint", name=f"{NM_IFACE}.InvalidArguments")
    world["checkpoints"] += 1
    path = f"/org/freedesktop/NetworkManager/Checkpoint/{world['checkpoints']}"
    timer = GLib.timeout_add(int(seconds) * 1000, lambda: bool(roll_back(path)) and False)
    profiles = [str(each) for each in the(SETTINGS).Get(networkmanager.SETTINGS_IFACE, "Connections")]
    checkpoints[path] = (timer, active_profile(), profiles)
    show_checkpoints()
    return dbus.ObjectPath(path)


def take(path):
    if path not in checkpoints:
        raise dbus.exceptions.DBusException(f"checkpoint {path} does not exist", name=f"{NM_IFACE}.InvalidArguments")
    entry = checkpoints.pop(path)
    show_checkpoints()
    return entry


def checkpoint_destroy(_manager, path):
    GLib.source_remove(take(path)[0])


def roll_back(path):
    _timer, active, before = take(path)
    for profile in list(the(SETTINGS).Get(networkmanager.SETTINGS_IFACE, "Connections")):
        if str(profile) not in before:
            delete_profile(the(profile))
    if active is None:
        disconnect(reason=0)
    elif active_profile() != active:
        activate(active)
    return dbus.Dictionary({DEVICE: dbus.UInt32(0)}, signature="su")


def checkpoint_rollback(_manager, path):
    timer = checkpoints.get(path, (None,))[0]
    answer = roll_back(path)
    GLib.source_remove(timer)
    return answer


def request_scan(device):
    if world["refusing"]:
        raise dbus.exceptions.DBusException(
            "Scanning not allowed immediately following previous scan", name=f"{NM_IFACE}.Device.NotAllowed")
    world["scans"] += 1

    def done():
        device.Set(WIRELESS_IFACE, "LastScan", dbus.Int64(device.Get(WIRELESS_IFACE, "LastScan") + 1_000))
        return False
    GLib.timeout_add(100, done)


def say_world(_manager):
    profiles = {}
    for path in the(SETTINGS).Get(networkmanager.SETTINGS_IFACE, "Connections"):
        saved = world["saved"].get(str(path))
        connection = the(path).settings["connection"]
        profiles[str(connection["id"])] = {
            "saved": bool(saved), "autoconnect": bool(connection.get("autoconnect", True)),
            "priority": int(connection.get("autoconnect-priority", 0)),
            "psk": str((saved or {}).get("802-11-wireless-security", {}).get("psk", ""))}
    active = active_profile()
    return json.dumps({
        "active": active and str(the(active).settings["connection"]["id"]), "profiles": profiles,
        "state": int(the(DEVICE).Get(DEVICE_IFACE, "State")), "checkpoints": len(checkpoints),
        "played": world["played"], "scans": world["scans"]})


def do(_manager, what):
    if what == "refuse scans":
        world["refusing"] = True
    elif what == "block":
        the(NM).Set(NM_IFACE, "WirelessEnabled", False)
        change(20, 0)
    elif what == "silence":
        for path in list(the(DEVICE).access_points):
            the(NM).RemoveAccessPoint(DEVICE, path)
    elif what == "unplug":
        the(NM).Set(NM_IFACE, "Devices", dbus.Array([], signature="o"))
        the(NM).RemoveObject(DEVICE)


def load(mock, parameters):
    networkmanager.load(mock, parameters)
    manager = the(NM)
    manager.AddProperty(NM_IFACE, "Checkpoints", dbus.Array([], signature="o"))
    for name, function, given, returned, call in [
            ("AddAndActivateConnection2", add_and_activate, "a{sa{sv}}ooa{sv}", "ooa{sv}", "args[0], args[1], args[2], args[3]"),
            ("CheckpointCreate", checkpoint_create, "aouu", "o", "args[0], args[1], args[2]"),
            ("CheckpointDestroy", checkpoint_destroy, "o", "", "args[0]"),
            ("CheckpointRollback", checkpoint_rollback, "o", "a{su}", "args[0]"),
            ("ActivateConnection", lambda _, profile: dbus.ObjectPath(activate(str(profile))), "ooo", "o", "args[0]"),
            ("World", say_world, "", "s", ""), ("Do", do, "s", "", "args[0]")]:
        setattr(manager, f"played_{name}", function)
        manager.AddMethod(NM_IFACE, name, given, returned, f"ret = self.played_{name}(self, {call})")
    mock.AddWiFiDevice("wlan0", "wlan0", 30)
    device = the(DEVICE)
    device.AddProperty(WIRELESS_IFACE, "LastScan", dbus.Int64(-1))
    device.AddProperty(WIRELESS_IFACE, "ActiveAccessPoint", dbus.ObjectPath("/"))
    device.AddProperty(DEVICE_IFACE, "Ip4Config", dbus.ObjectPath("/org/freedesktop/NetworkManager/IP4Config/1"))
    device.played_scan = request_scan
    device.AddMethod(WIRELESS_IFACE, "RequestScan", "a{sv}", "", "self.played_scan(self)")
    mock.AddObject("/org/freedesktop/NetworkManager/IP4Config/1", "org.freedesktop.NetworkManager.IP4Config",
                   {"AddressData": dbus.Array([], signature="a{sv}")}, [])
    for number, (name, strength, security) in enumerate([
            ("Attic", 40, PSK), ("Attic", 70, PSK), ("Barn", 60, SAE), ("Cellar", 30, SAE), ("Ghost", 10, PSK), ("Desert", 50, 0),
            ("Still", 20, 0)]):
        mock.AddAccessPoint(DEVICE, f"ap{number}", name, f"00:00:5E:00:53:{number:02X}", 2, 2412, 54000, strength, security)
        if security == SAE:
            the(f"/org/freedesktop/NetworkManager/AccessPoint/ap{number}").Set(
                networkmanager.ACCESS_POINT_IFACE, "WpaFlags", dbus.UInt32(0))
    the("/org/freedesktop/NetworkManager/AccessPoint/ap0").Set(
        networkmanager.ACCESS_POINT_IFACE, "Strength", dbus.Byte(40))
    # A name that is no text.
    mock.AddAccessPoint(DEVICE, "ap99", "x", "00:00:5E:00:53:99", 2, 2412, 54000, 99, 0)
    the("/org/freedesktop/NetworkManager/AccessPoint/ap99").Set(
        networkmanager.ACCESS_POINT_IFACE, "Ssid", dbus.ByteArray(b"\xff\xfe"))
    # What import-seed of the image writes.
    seed = add_profile({
        "connection": {"id": "seed", "uuid": "11111111-0000-4000-8000-000000000000", "type": "802-11-wireless"},
        "802-11-wireless": {"ssid": dbus.ByteArray(b"home")},
        "802-11-wireless-security": {"key-mgmt": "wpa-psk", "psk": "the seed's own"}}, saved=True)
    world["saved"][seed] = {section: dict(values) for section, values in the(seed).settings.items()}
    activate(seed)
