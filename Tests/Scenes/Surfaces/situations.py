# SPDX-License-Identifier: Apache-2.0
"""What can happen to a gateway, and what its surfaces have to show then. Each situation leaves the scene as it found it, but for
problems that are over and still shown."""
import json
import re
import threading
import time

import paho.mqtt.client as mqtt
from beacon import FLAGS, bthome, structure
from harness import check, free_ports, wait_for
from around import MIB
from scene import COUNTER, OVER, STEADY, climate
from surfaces import boot_ms

SHORT, LONG = [], []


def short(function):
    SHORT.append(function)
    LONG.append(function)
    return function


def long(function):
    LONG.append(function)
    return function


def began_after(status, moment, *codes):
    """These problems began after the situation did, and not in the future."""
    for problem in status["problems"]:
        if problem["code"] in codes:
            since = status["seen_at"] - problem["age_ms"]
            check(moment - 2_000 <= since <= boot_ms(), f"{problem['code']} began at {since} ms, its cause at {moment} ms")


@short
def well(scene):
    """Everything works: no surface has anything to say."""
    scene.shows(fickle="fresh", steady="fresh", sealed="fresh", link_0="fresh", link_1="fresh")


@short
def sensor_silent(scene):
    """A sensor that advertises sends nothing any more."""
    moment = boot_ms()
    scene.beacons.say("fickle", None)
    status = scene.shows(("sensor-silent", "fickle"), fickle="silent", steady="fresh")
    began_after(status, moment, "sensor-silent")
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")


@short
def battery_low(scene):
    """A sensor tells that its battery is nearly empty."""
    scene.beacons.say("fickle", lambda number: climate(number, battery=4))
    scene.shows(("sensor-battery-low", "fickle"), fickle="fresh")
    scene.beacons.say("fickle", lambda number: climate(number, battery=95))
    scene.shows(fickle="fresh")


@short
def broker_down(scene):
    """The broker does not answer."""
    moment = boot_ms()
    scene.broker.stop()
    status = scene.shows("broker-unreachable", steady="fresh")
    began_after(status, moment, "broker-unreachable")
    scene.broker.start()
    scene.shows(steady="fresh")
    told = scene.events("broker-unreachable")
    check(("broker-unreachable", None, "shown") in told, f"the broker never heard that it was away: {told}")


@short
def disk_full(scene):
    """Others fill the disk."""
    scene.fill_disk()
    scene.shows("disk-full", steady="fresh")
    scene.free_disk()
    scene.shows(steady="fresh")


@short
def radio_dead(scene):
    """The controller goes: of its sensors nobody knows anything, and they are no problems of their own."""
    moment = boot_ms()
    scene.stop_radio()
    status = scene.shows("radio-down", fickle="unknown", steady="unknown", link_0="unknown")
    began_after(status, moment, "radio-down")
    scene.start_radio()
    # The new radio's sensor with a key may need an operator's trust.
    scene.is_ready()
    scene.shows(fickle="fresh", steady="fresh", link_0="fresh", link_1="fresh", sealed="fresh")


@long
def acknowledged(scene):
    """An operator knows of a failure: it stays on each surface, and doctor ends with 0."""
    scene.fill_disk()
    status = scene.shows("disk-full")
    check([problem["severity"] for problem in status["problems"] if problem["code"] == "disk-full"] == ["failure"], "no failure")
    scene.say("acknowledge", "disk-full")
    status = scene.shows("disk-full")
    check([problem["severity"] for problem in status["problems"] if problem["code"] == "disk-full"] == ["notice"],
          f"acknowledged, and no notice: {status['problems']}")
    scene.say("acknowledge", "disk", "--end")
    status = scene.shows("disk-full")
    check([problem["severity"] for problem in status["problems"] if problem["code"] == "disk-full"] == ["failure"], "no failure")
    scene.free_disk()
    scene.shows(steady="fresh")


@long
def in_maintenance(scene):
    """A sensor in maintenance is silent, and nobody is alarmed; a restart of the gateway forgets nothing."""
    scene.say("maintenance", "fickle", "--for", "1h")
    scene.beacons.say("fickle", None)
    scene.shows(("sensor-maintenance", "fickle"), fickle="silent")
    scene.restart()
    scene.shows(("sensor-maintenance", "fickle"), steady="fresh")
    scene.say("maintenance", "fickle", "--end")
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")


@long
def sensor_late(scene):
    """No value for three intervals: late, and available."""
    scene.reload(fickle="silent_after_s = 600")
    scene.shows(fickle="fresh")
    # Its usual interval is learned anew.
    scene.watches(10)
    scene.beacons.say("fickle", None)
    scene.shows(fickle="late")
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")
    scene.reload()


@long
def silent_by_interval(scene):
    """The same without a word of its entry: ten intervals, and a minute at least."""
    scene.reload(fickle="")
    scene.shows(fickle="fresh")
    scene.watches(10)
    scene.beacons.say("fickle", None)
    scene.shows(("sensor-silent", "fickle"), fickle="silent", seconds=120)
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")
    scene.reload()


@long
def half_silent(scene):
    """One of its quantities comes no more, and the others do: the sensor is no problem, and the old value is shown with its age."""
    scene.shows(fickle="fresh")
    scene.beacons.say("fickle", lambda number: climate(number, humidity=False))
    moment = boot_ms()
    scene.watches(15)
    status = scene.shows(fickle="fresh")
    for name, seen in (("status", status), ("page", scene.surfaces.page())):
        came = {quantity: came_at(seen, "fickle", quantity) for quantity in ("temperature", "humidity")}
        # A packet may have been on its way.
        check(came["humidity"] < moment + 3_000, f"{name}: humidity came {came['humidity'] - moment} ms after its end")
        check(came["temperature"] > seen["seen_at"] - 8_000, f"{name}: temperature is {seen['seen_at'] - came['temperature']} ms old")
    text = scene.surfaces.run("status", "fickle")[1]
    ages = [int(age) for age in re.findall(r" %\W.*?\((\d+) s ago", text)]
    check(ages and min(ages) >= 10, f"the text shows an old humidity as new: {text}")
    scene.beacons.say("fickle", climate)
    back = boot_ms()
    wait_for("humidity comes again", lambda: came_at(scene.agreed(), "fickle", "humidity") > back, 60)


def came_at(status, sensor, quantity):
    """When the newest value of a quantity came, in milliseconds since boot; 0 for never."""
    return max((value["uptime_ms"] for each in status["collector"]["sensors"] if each["id"] == sensor for value in each["values"]
                if any(field["quantity"] == quantity for field in value["fields"])), default=0)


@long
def not_understood(scene):
    """A sensor that was read sends what nobody can read."""
    scene.beacons.say("fickle", lambda number: FLAGS + structure(0xFF, b"\xff\xff" + bytes([number % 256])))
    # The words on the sensor itself say more than its state, and hide it.
    scene.shows(("sensor-trouble", "fickle"), fickle="not-understood")
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")


@long
def not_a_packet(scene):
    """The head of its family, and nothing behind it."""
    scene.beacons.say("fickle", lambda number: bthome(number, "ff"))
    scene.watches(20)
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")


@long
def wrong_key(scene):
    """A key that does not open the sensor's packets."""
    scene.reload(sealed="0" * 32)
    scene.shows(("sensor-trouble", "sealed"), steady="fresh")
    scene.reload()
    scene.shows(sealed="fresh")


@long
def awaited(scene):
    """An entry that no sensor answers to."""
    scene.reload(extra='\n[[sensor]]\nid = "ghost"\naddress = "F0:00:07:00:00:99"\n')
    scene.shows(("sensor-awaited", "ghost"), steady="fresh")
    scene.reload()
    scene.shows(steady="fresh")


@long
def lacking(scene):
    """Entries that ask for what their sensors do not have."""
    scene.reload(feed="180d/2a37")
    scene.shows(("sensor-fails", "link-0"), ("sensor-fails", "link-1"), steady="fresh")
    scene.reload()
    scene.shows(link_0="fresh", link_1="fresh")


@long
def half_lacking(scene):
    """The same for one of two values: the other comes."""
    scene.reload(feed=f'{COUNTER}", "180d/2a37')
    scene.shows(("sensor-lacks", "link-0"), ("sensor-lacks", "link-1"), link_0="fresh", link_1="fresh")
    scene.reload()
    scene.shows(link_0="fresh", link_1="fresh")


@long
def elsewhere(scene):
    """Another gateway takes care of the sensor."""
    scene.reload(mqtt="shares_sensors = true")
    scene.shows(fickle="fresh")
    over = threading.Event()

    def claim():
        while not over.wait(2):
            scene.watcher.client.publish("martlet/dev/fickle/owner", json.dumps(
                {"gw": "gw-other", "rssi": -20, "age_ms": 0, "held_ms": 3_600_000}), qos=1, retain=True)
    claims = threading.Thread(target=claim, daemon=True)
    claims.start()
    scene.shows(fickle="elsewhere", steady="fresh")
    over.set()
    claims.join()
    scene.watcher.client.publish("martlet/dev/fickle/owner", "", qos=1, retain=True)
    scene.shows(fickle="fresh", seconds=90)
    scene.reload()
    scene.shows(fickle="fresh")


@long
def broker_refuses(scene):
    """The broker does not take the gateway's password."""
    kept = scene.broker.passwords.read_text()
    scene.broker.passwords.write_text("".join(line for line in kept.splitlines(True) if not line.startswith("gateway:")))
    scene.broker.stop()
    scene.broker.start()
    scene.shows("broker-unreachable", steady="fresh")

    def is_told():
        text = " ".join(problem["text"] for problem in scene.agreed()["problems"])
        return "password" in text or "user" in text
    # A problem that was over a moment ago is shown again at once, with its former reason.
    wait_for("somebody says that the password is wrong", is_told, 30)
    scene.broker.passwords.write_text(kept)
    scene.broker.stop()
    scene.broker.start()
    scene.shows(steady="fresh", seconds=90)


@long
def readings_refused(scene):
    """An access list takes everything but readings."""
    scene.broker.allow("user watcher\ntopic readwrite #\nuser gateway\ntopic readwrite martlet/gw/#\ntopic readwrite homeassistant/#\n"
                       "topic readwrite martlet/dev/+/availability\n")
    scene.shows("broker-refuses-readings", steady="fresh", seconds=90)
    scene.broker.allow(scene.broker.OPEN)
    scene.shows(steady="fresh", seconds=120)


@long
def home_assistant_refused(scene):
    """An access list takes readings, and no announcements."""
    scene.broker.allow("user watcher\ntopic readwrite #\nuser gateway\ntopic readwrite martlet/#\n")
    scene.shows("broker-complains", steady="fresh", seconds=90)
    scene.broker.allow(scene.broker.OPEN)
    scene.shows(steady="fresh", seconds=120)


@long
def broker_slow(scene):
    """The broker's answers come some seconds late."""
    for _ in range(4):
        scene.way.hold = True
        time.sleep(5)
        scene.way.hold = False
        scene.agreed()
    scene.shows(steady="fresh")


@long
def broker_hangs(scene):
    """The broker takes everything, and answers nothing."""
    # Until the gateway notices, the broker has a list that cannot change: it must not have problems that are about to go.
    wait_for("no problem is over and watched for a while",
             lambda: not any(OVER in problem["text"] for problem in scene.surfaces.status()["problems"]), 150)
    scene.way.hold = True
    scene.shows("broker-unreachable", steady="fresh", seconds=180)
    scene.way.hold = False
    scene.shows(steady="fresh", seconds=120)


@long
def cloned(scene):
    """Another client takes the gateway's session, again and again."""
    def thief():
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="martlet-gw-interop", protocol=mqtt.MQTTv5)
        client.username_pw_set("thief", "thief")
        client.reconnect_delay_set(1, 1)
        client.connect("127.0.0.1", scene.broker.port)
        client.loop_start()
        return client
    # The broker keeps the word of whoever has the session.
    scene.surfaces.has_twin = True
    client = thief()

    def is_told():
        status = scene.agreed()
        return any("client id" in problem["text"] for problem in status["problems"] if problem["code"] == "broker-unreachable")
    try:
        wait_for("somebody says that another client has the session", is_told, 90)
    finally:
        client.disconnect()
        client.loop_stop()
        scene.surfaces.has_twin = False
    scene.restart()
    scene.shows(steady="fresh", seconds=90)


@long
def name_taken(scene):
    """Another gateway lives under this gateway's name, and says so."""
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="copy", protocol=mqtt.MQTTv5)
    client.username_pw_set("thief", "thief")
    client.connect("127.0.0.1", scene.broker.port)
    client.loop_start()
    claim = json.dumps({"gw": "gw-interop", "nonce": "0123456789abcdef", "v": 1})
    end = threading.Event()

    def speak():
        while not end.is_set():
            client.publish("martlet/gw/gw-interop/claim", claim, qos=1)
            end.wait(10)
    speaker = threading.Thread(target=speak)
    moment = boot_ms()
    speaker.start()
    try:
        status = scene.shows("name-taken", steady="fresh")
        began_after(status, moment, "name-taken")
    finally:
        end.set()
        speaker.join()
        client.publish("martlet/gw/gw-interop/claim", b"", qos=1, retain=True).wait_for_publish(10)
        client.disconnect()
        client.loop_stop()
    scene.shows(steady="fresh", seconds=120)


@long
def name_not_claimed(scene):
    """An access list forbids the claim of the name: nobody has a problem; and a gateway is told to claim nothing."""
    scene.broker.allow("user watcher\ntopic readwrite #\nuser gateway\ntopic write #\n"
                       "topic read homeassistant/#\ntopic read martlet/gw/gw-interop/command/#\n")
    scene.shows(steady="fresh", seconds=90)
    scene.broker.allow(scene.broker.OPEN)
    scene.restart(mqtt="claim = false")
    scene.shows(steady="fresh", seconds=90)
    scene.restart()
    scene.shows(steady="fresh", seconds=90)


@long
def restored(scene):
    """A backup of this gateway takes its place: its name, its sensors and its words of operators are there, and no problem."""
    scene.say("maintenance", "fickle", "--for", "1h")
    scene.shows(("sensor-maintenance", "fickle"), steady="fresh")
    file, key = scene.bench.folder / "gateway.martlet", scene.bench.folder / "passphrase"
    key.write_text("correct horse battery\n")
    scene.stop()
    for words in (("backup", str(file)), ("restore", str(file), "--yes")):
        scene.say(*words, "--passphrase-file", str(key))
    scene.start()
    scene.shows(("sensor-maintenance", "fickle"), steady="fresh", sealed="fresh", seconds=120)
    scene.say("maintenance", "fickle", "--end")
    scene.restart()
    scene.shows(fickle="fresh", steady="fresh", seconds=120)


@long
def disk_low(scene):
    """The disk is nearly full."""
    scene.disk.leave(100 * MIB)
    scene.shows("disk-low", steady="fresh")
    scene.disk.free()
    scene.shows(steady="fresh")


@long
def disk_fails(scene):
    """The kernel makes the disk read-only."""
    scene.disk.fail()
    scene.shows("disk-fails", steady="fresh")
    scene.stop()
    scene.disk.repair()
    scene.start()
    scene.shows(steady="fresh", link_0="fresh")


@long
def clock_unknown(scene):
    """The gateway waits for the time, where nobody vouches for the clock of this machine."""
    scene.restart(clock="require_sync = true")
    status = scene.shows_either({"clock-unknown"}, set(), seconds=120)
    check(bool(scene.shown(status)) == (status["clock"] == "unsynced"), f"the clock is {status['clock']}")
    scene.restart()
    scene.shows(steady="fresh")


@long
def unprovisioned(scene):
    """A gateway without sensors and without a broker."""
    scene.restart(sensors="", mqtt="", port=free_ports())
    scene.shows("broker-unreachable")
    scene.restart()
    scene.shows(steady="fresh", fickle="fresh")


def after_faults(scene):
    """When all faults are over, nothing of them is left."""
    scene.shows(fickle="fresh", steady="fresh", sealed="fresh", link_0="fresh", link_1="fresh", seconds=180)


def comes_and_goes(scene, minutes):
    """A sensor and the broker come and go each 20 s. The sensor's problem is shown once, and that of the broker not each time."""
    before = len(scene.events())
    deadline, is_there, rounds = time.monotonic() + 60 * minutes, True, 0
    while time.monotonic() < deadline:
        is_there = not is_there
        rounds += 1
        scene.beacons.say("fickle", climate if is_there else None)
        (scene.broker.start if is_there else scene.broker.stop)()
        scene.watches(20)
    if not is_there:
        scene.beacons.say("fickle", climate)
        scene.broker.start()
    scene.shows(fickle="fresh", steady="fresh", seconds=120)
    told = scene.events()[before:]
    sensor = [event for event in told if event[:2] == ("sensor-silent", "fickle")]
    broker = [event for event in told if event[0] == "broker-unreachable"]
    # A problem that is never shown would please no one either.
    check(1 <= len(sensor) <= 2, f"in {rounds} rounds the sensor's problem changed {len(sensor)} times")
    check(1 <= len(broker) <= 4, f"in {rounds} rounds the broker's problem changed {len(broker)} times")
    return f"{rounds} rounds: {len(sensor)} changes told of the sensor, {len(broker)} of the broker"


__all__ = ["LONG", "SHORT", "STEADY", "after_faults", "comes_and_goes", "wait_for"]
