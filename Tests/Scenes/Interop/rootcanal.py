# SPDX-License-Identifier: Apache-2.0
"""The whole gateway against RootCanal with Bumble sensors and a real broker.

`plain`: sensors that drop their links; every value sent arrives exactly once and in order.
`outages`: the broker stopped for 30 s, the gateway killed in that time and again afterwards.
`passkey_sensor`: a sensor that gives nothing away unless it is paired with the passkey on its label.
"""
import collections
import json
import stat
import time

from harness import FEEDS, Gateway, Sensor, check, wait_for
from ledger import (buffered_rows, check_across_kills, check_exact, check_no_repeats, check_order_of_arrival,
                    counter_sequence, journal_rows, of, unique)

GATEWAY_STATUS = "martlet/gw/gw-interop/status"
LINK_LOSS = 60  # seconds: supervision time-out of a killed gateway's links, and the connecting afterwards


def start_sensors(bench, radio, drops):
    """Six sensors. Those that drop links are captured: tshark takes a handle for the same characteristic on all links,
    so each kind has its own handles there. Without drops the handles collide, as they do in the field."""
    kinds = [("counter", 20), ("counter", 20), ("counter", 7), ("thermometer", 4), ("heart-rate", 5),
             ("environment", 5)]
    pads = {"counter": 0, "thermometer": 3, "heart-rate": 7, "environment": 12}
    return [Sensor(bench, radio, number, kind, rate, drop if drops else 0, pads[kind] if drops else 0)
            for number, ((kind, rate), drop) in enumerate(zip(kinds, (61, 47, 29, 13, 31, 37)), start=1)]


def rules(sensors):
    """One rule by name pattern, one by address, the rest by service: all three ways to accept."""
    by_name = [('name = "rig-counter-*"', FEEDS["counter"])]
    by_address = [(f'address = "{sensor.address}"', FEEDS[sensor.kind]) for sensor in sensors
                  if sensor.kind == "thermometer"]
    by_service = [('service = "180d"', FEEDS["heart-rate"]), ('service = "181a"', FEEDS["environment"])]
    return by_name + by_address + by_service


def wait_until_sending(sensors, timeout, since=None):
    """Until each sensor has sent a value, or one over a later link than those of `since`."""
    since = since or {}
    for sensor in sensors:
        wait_for(f"{sensor.name} is subscribed to", lambda: any(
            event["link"] > since.get(sensor.name, 0) for event in sensor.sent()), timeout)


def wait_until_delivered(sensors, consumer, timeout):
    """Until as many readings as were sent have arrived, or nothing has come for 10 s: the books say what is missing."""
    wanted = sum(len(sensor.sent()) for sensor in sensors)
    deadline, count, moved = time.monotonic() + timeout, -1, time.monotonic()
    while time.monotonic() < deadline:
        now = len({(reading["gw"], reading["n"]) for reading in consumer.readings()})
        if now != count:
            count, moved = now, time.monotonic()
        if count >= wanted or time.monotonic() - moved > 10:
            return
        time.sleep(0.2)


def plain(bench):
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    sensors = start_sensors(bench, radio, drops=True)
    configuration = bench.configuration(broker.port, rules(sensors))
    capture = bench.folder / "plain.btsnoop"
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}", capture)

    wait_for("the gateway is online", lambda: consumer.last(GATEWAY_STATUS) == "online", 15)
    wait_until_sending(sensors, 40)
    # Each link has to drop and come back several times.
    for sensor in sensors:
        wait_for(f"{sensor.name} has dropped three links", lambda: len(sensor.events("disconnected")) >= 3, 90)
    wait_until_sending(sensors, 40, since={sensor.name: 3 for sensor in sensors})
    for sensor in sensors:
        sensor.stop()
    wait_until_delivered(sensors, consumer, 30)
    gateway.stop()
    wait_for("the gateway is offline", lambda: consumer.last(GATEWAY_STATUS) == "offline", 10)

    readings = consumer.readings()
    check_no_repeats(readings)
    for sensor in sensors:
        check_exact(sensor, readings)
        for lane in ("state", "history"):
            check_order_of_arrival(sensor, readings, lane)
    strangers = {reading["dev"] for reading in readings} - {sensor.dev for sensor in sensors}
    check(not strangers, f"readings of devices that no rule accepts: {strangers}")
    links = sum(len(sensor.events("connected")) for sensor in sensors)
    return f"{len(readings)} readings of {len(sensors)} sensors over {links} links, each exactly once"


def outages(bench):
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    sensors = start_sensors(bench, radio, drops=False)
    configuration = bench.configuration(broker.port, rules(sensors), mqtt="history_rows_per_second = 0\n")
    journal = bench.folder / "state" / "journal.db"
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")
    wait_until_sending(sensors, 40)

    broker.stop()
    stopped = time.monotonic()
    time.sleep(12)  # readings pile up
    last_links = {sensor.name: sensor.events("connected")[-1]["link"] for sensor in sensors}
    gateway.kill()
    committed = journal_rows(journal, bench.folder / "first-kill.db")
    check(len(committed) > 200, f"only {len(committed)} rows in the journal after 12 s without a broker")
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")
    time.sleep(max(0, 30 - (time.monotonic() - stopped)))
    broker.start()
    wait_until_sending(sensors, LINK_LOSS, since=last_links)
    numbers = {row[0] for row in committed}
    wait_for("every row committed before the kill is delivered", lambda: numbers <= {
        reading["n"] for reading in consumer.readings()}, 100)  # the publisher waits up to 60 s between its tries

    wait_for("the delivered backlog is deleted", lambda: buffered_rows(journal) < 150, 20)

    last_links = {sensor.name: sensor.events("connected")[-1]["link"] for sensor in sensors}
    gateway.kill()
    kept = journal_rows(journal, bench.folder / "second-kill.db")
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")
    wait_until_sending(sensors, LINK_LOSS, since=last_links)
    for sensor in sensors:
        sensor.stop()
    wait_until_delivered(sensors, consumer, 60)
    gateway.stop()

    arrived = consumer.readings()
    readings = unique(arrived)
    repeated = collections.Counter(reading["n"] for reading in consumer.readings(from_gateway=True))
    stray = {n for n, times in repeated.items() if times > 1} - numbers - {row[0] for row in kept}
    check(not stray, f"rows were published again that had been deleted before the kills: {sorted(stray)[:5]}")
    lost = 0
    for sensor in sensors:
        lost += check_across_kills(sensor, readings, kills=2)
        if sensor.kind == "counter":
            check(len(of(sensor, readings)) == len({counter_sequence(reading) for reading in of(sensor, readings)}),
                  f"{sensor.name}: one value under two numbers")
    check(any(reading.get("historical") for reading in arrived), "nothing of the outage came as history")
    return (f"{len(readings)} readings, {len(arrived) - len(readings)} repeats by (gw, n); {len(committed)} committed "
            f"rows survived the kill; {lost} values on the air during two kills")


def passkey_sensor(bench):
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    sensor = Sensor(bench, radio, 1, "counter", 20, drop_every=40, passkey=19655)
    other = Sensor(bench, radio, 2, "counter", 20, passkey=314159)
    configuration = bench.configuration(broker.port, [
        (f'name = "{sensor.name}"\npasskey = "019655"', FEEDS["counter"]),
        (f'name = "{other.name}"\npasskey = "314158"', FEEDS["counter"])])
    capture = bench.folder / "passkey.btsnoop"
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}", capture)
    wait_until_sending([sensor], 40)
    wait_for(f"{sensor.name} has dropped two links", lambda: len(sensor.events("disconnected")) >= 2, 60)
    wait_for(f"the wrong passkey of {other.name} was tried", lambda: other.events("pairing-failed"), 60)
    last_link = sensor.events("connected")[-1]["link"]
    gateway.stop()
    # What was agreed outlives the process.
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")
    wait_until_sending([sensor], LINK_LOSS, since={sensor.name: last_link})
    for each in (sensor, other):
        each.stop()
    wait_until_delivered([sensor], consumer, 30)
    gateway.stop()

    readings = consumer.readings()
    check_no_repeats(readings)
    lost = check_across_kills(sensor, unique(readings), kills=1)
    check(not of(other, readings), f"{other.name} was collected with a wrong passkey")
    paired = sensor.events("paired")
    check([event["authenticated"] for event in paired] == [True], f"{sensor.name} was paired so: {paired}")
    check(not sensor.events("pairing-failed"), f"{sensor.name}: {sensor.events('pairing-failed')}")
    check(not other.events("paired", "sent"), f"{other.name} let somebody in: {other.events('paired', 'sent')[:2]}")
    bonds = list((bench.folder / "state").glob("**/*.bond"))
    check(len(bonds) == 1 and stat.S_IMODE(bonds[0].stat().st_mode) == 0o600, f"the bonds are {bonds}")
    keys = json.loads(bonds[0].read_text())["bond"]
    key, octets = bytes.fromhex(keys["keys"]["secureConnections"]["_0"]), capture.read_bytes()
    check(keys["isAuthenticated"] and key not in octets and key[::-1] not in octets, "the bond or the capture is wrong")
    for digits in ("019655", "314158"):
        said = [process.name for process in bench.processes if process.name == "martlet" and digits in process.text()]
        check(not said, "the gateway has said a passkey")
    links = len(sensor.events("connected"))
    return f"{len(readings)} readings over {links} links, one authenticated pairing; {lost} values lost at the restart"
