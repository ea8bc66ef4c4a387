# SPDX-License-Identifier: Apache-2.0
"""Foreign hosts as devices of Martlet's own virtual radio."""
import json

from harness import FEEDS, PYTHON, RIG_SOURCES, Gateway, Sensor, check, free_ports, wait_for
from ledger import check_exact, check_no_repeats
from rootcanal import wait_until_delivered, wait_until_sending


def start_radio(bench, *options):
    """The port of `martlet virtual-radio`."""
    port = free_ports()
    radio = bench.start("virtual-radio", [bench.martlet, "virtual-radio", "--listen", f"tcp:{port}", *options])
    radio.expect(str(port), 15)
    return port


def sensors(bench):
    """Bumble sensors attached to `martlet virtual-radio`, collected by `martlet run` on the same radio."""
    radio, broker = start_radio(bench, "--sensors", 0), bench.broker()
    consumer = bench.consumer(broker)
    attached = [Sensor(bench, radio, 1, "counter", 20, drop_every=43), Sensor(bench, radio, 2, "thermometer", 4)]
    configuration = bench.configuration(
        broker.port, [(f'name = "{sensor.name}"', FEEDS[sensor.kind]) for sensor in attached])
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")
    wait_until_sending(attached, 40)
    wait_for("the counter has dropped two links", lambda: len(attached[0].events("disconnected")) >= 2, 60)
    wait_until_sending(attached[:1], 40, since={attached[0].name: 2})
    for sensor in attached:
        sensor.stop()
    wait_until_delivered(attached, consumer, 30)
    gateway.stop()
    readings = consumer.readings()
    check_no_repeats(readings)
    for sensor in attached:
        check_exact(sensor, readings)
    return f"{len(readings)} readings of two Bumble sensors on our radio, each exactly once"


def phone(bench):
    """A Bumble phone finds one of the virtual sensors, connects and reads its whole database."""
    radio = start_radio(bench, "--sensors", 4)
    phone = [PYTHON, RIG_SOURCES / "phone.py", "--transport", f"tcp-client:127.0.0.1:{radio}"]
    scan = bench.start("scan", [*phone, "scan"])
    wait_for("the phone's scan ends", lambda: not scan.alive(), 60)
    names = [event["name"] for event in lines(scan) if event["event"] == "seen" and event["name"]]
    check(len(names) >= 4, f"the phone sees {names} of four virtual sensors")
    dump = bench.start("dump", [*phone, "--name", names[0], "dump"])
    wait_for("the phone's dump ends", lambda: not dump.alive(), 60)
    check(dump.process.returncode == 0, f"the phone could not dump {names[0]}: {dump.text()[-300:]}")
    services = [event for event in lines(dump) if "service" in event]
    notifying = [item for service in services for item in service["characteristics"] if item["properties"] & 0x30]
    check(len(services) >= 2 and notifying, f"{names[0]} shows {services}")
    check(all(any("2902" in kind for kind in item["descriptors"]) for item in notifying),
          f"a characteristic that notifies has no CCCD: {notifying}")
    return f"{names[0]}: {len(services)} services, {len(notifying)} characteristics that notify or indicate"


def lines(process):
    return [{"event": "", **json.loads(line)} for line in process.output.read_text().splitlines()]
