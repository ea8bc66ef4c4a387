# SPDX-License-Identifier: Apache-2.0
"""Two gateways at one broker that hear the same sensors, played by Bumble over RootCanal.

One collects from all of them; it is killed, and the other takes over; it comes back, and leaves them to the other; that one is
stopped, and hands them over. The sensor's own record says that it never had two links, and what it sent is what arrived.
"""
import json
import time

from harness import FEEDS, PYTHON, RIG_SOURCES, Failed, Gateway, Sensor, check, wait_for
from listening import by_device, device

TAKEN_OVER = 60  # seconds


class Box:
    """A gateway with a name, a state and a configuration of its own."""

    def __init__(self, bench, name, port, rules, radio):
        path = bench.configuration(port, rules, name=f"{name}.toml", state=bench.short / name,
                                   mqtt="shares_sensors = true\n")
        path.write_text(path.read_text().replace("gw-interop", name))
        self.bench, self.name, self.path, self.radio = bench, name, path, radio
        self.starts = 0
        self.start()

    def start(self):
        self.starts += 1
        self.gateway = Gateway(self.bench, self.path, f"tcp:127.0.0.1:{self.radio}", name=f"{self.name}-{self.starts}")

    def links(self):
        """The state and the owner of each sensor, by its id."""
        status = self.gateway.status() or {"collector": {"sensors": []}}
        return {sensor["id"]: (sensor["link"], sensor.get("owner")) for sensor in status["collector"]["sensors"]}

    def left_to(self, other):
        return {dev for dev, (_, owner) in self.links().items() if owner == other.name}


def taken_over(bench):
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    linked = Sensor(bench, radio, 1, "counter", 5)
    beacons = bench.start("broadcasters", [
        PYTHON, RIG_SOURCES / "broadcasters.py", "--transport", f"tcp-client:127.0.0.1:{radio}", "--controllers", 11,
        "--sets", 1])
    ours = [f"F0:00:01:00:00:{number:02X}" for number in range(5)]
    rules = [(f'address = "{address}"', []) for address in ours] + [('name = "rig-counter-1"', FEEDS["counter"])]
    beacons_ids = {device(address) for address in ours}
    everything = beacons_ids | {linked.dev}
    wait_for("the sensors advertise", lambda: '"ready"' in beacons.text(), 60)

    def of(box, since):
        """The sensors that a gateway has published a value of since."""
        readings = [reading for reading in consumer.readings() if reading["gw"] == box.name]
        return {reading["dev"] for reading in readings if reading["ts"] >= since and not reading.get("historical")}

    def now():
        return int(time.time() * 1000)

    first = Box(bench, "gw-a", broker.port, rules, radio)
    wait_for("the first collects from all", lambda: of(first, 0) == everything, 60)
    second = Box(bench, "gw-b", broker.port, rules, radio)
    # A sensor with a link does not advertise: the second does not know yet that it is there.
    wait_for("the second leaves to the first what it hears", lambda: second.left_to(first) == beacons_ids, 60)
    quiet = now()
    time.sleep(25)
    check(not of(second, 0), f"the second published values of {of(second, 0)}")
    check(of(first, quiet) == everything, "the first fell silent")

    killed = now()
    first.gateway.kill()
    wait_for("the second takes over", lambda: of(second, killed) == everything, TAKEN_OVER)
    after = (now() - killed) / 1000
    # What was kept while it was not known that the first was dead comes, too.
    try:
        wait_for("what the second has kept is delivered", lambda: not gaps(consumer.readings(), beacons_ids), 40)
    except Failed as failure:
        raise Failed(f"{failure}: {gaps(consumer.readings(), beacons_ids)}, killed at {killed}") from None

    first.start()
    # It knows the linked one from before.
    wait_for("the first leaves all to the second", lambda: first.left_to(second) == everything, 60)
    check(first.links()[linked.dev][0] == "elsewhere", f"{first.links()}")
    time.sleep(10)
    handed = now()
    books = second.gateway.status()["journal"]
    second.gateway.stop()
    wait_for("the first takes over in turn", lambda: of(first, handed) == everything, TAKEN_OVER)
    in_order = (now() - handed) / 1000
    words = [json.loads(payload) for topic, payload in consumer.messages
             if topic == f"martlet/dev/{linked.dev}/owner" and payload]
    check([word["gw"] for word in words][-1] == "gw-a" and {word["gw"] for word in words} == {"gw-a", "gw-b"}, f"{words}")
    check(consumer.last(f"martlet/dev/{linked.dev}/availability") == "online", "the sensor is not told of as online")
    one_link_at_a_time(linked)
    linked.stop()
    numbers = [reading for reading in consumer.readings() if reading["dev"] == linked.dev]
    # What the killed one had not seen acknowledged comes again, the same.
    times = {}
    for reading in consumer.readings():
        known = times.setdefault((reading["gw"], reading["n"]), reading["ts"])
        check(known == reading["ts"], f"one number, two readings: {reading}")
    first.gateway.stop()
    dropped = (books.get("dropped") or {}).get("covered", 0)
    check(dropped > 0, f"the second kept nothing of what the first delivered: {books}")
    return (f"{len(everything)} sensors: taken over {after:.0f} s after a kill, {in_order:.0f} s after a stop; "
            f"{dropped} readings that both had received went out once, {len(numbers)} values over the link")


def gaps(readings, devices, longest=3_000):
    """Where no value of a sensor came for so many milliseconds: the sensor, since when, and for how long."""
    found = []
    for dev in devices:
        times = sorted(reading["ts"] for reading in readings if reading["dev"] == dev)
        found += [(dev, earlier, later - earlier) for earlier, later in zip(times, times[1:]) if later - earlier > longest]
    return found


def one_link_at_a_time(sensor):
    links = 0
    for event in sensor.events("connected", "disconnected"):
        links += 1 if event["event"] == "connected" else -1
        check(0 <= links <= 1, f"{sensor.name} had {links} links")
    check(len(sensor.events("connected")) >= 3, f"{sensor.events('connected')}")
