#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET - a gateway's /metrics beside a real Prometheus, and what is made of it.

Sensors are those of the virtual radio, and three of Bumble's on it. prometheus.sh has to have unpacked Prometheus into
.build/prometheus. Logs lie in .rig/logs/metrics.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Rig"))
from harness import FEEDS, PYTHON, RIG_SOURCES, Bench, Failed, Gateway, Sensor, check, free_ports, wait_for  # noqa: E402

import dashboard  # noqa: E402
import fleet  # noqa: E402
from prometheus import Prometheus, promtool, rules_at_every_second, scrape  # noqa: E402
from telegraf_json import Parser  # noqa: E402

VENV = ROOT / ".build" / "metrics-venv"
STATES = {"connecting", "setting-up", "collecting", "resting", "queued", "waiting", "disconnecting", "unavailable",
          "listening", "elsewhere"}
DOOR = "F0:00:05:00:00:02"
# The ids of the sensors that the configuration accepts.
DEVICES = {"greenhouse", "strap", "counter", "quiet", "door", "tag"}
# Panels, with the letter of their query, that have no data while all is well, and why. None: counters begin at 0.
# No sensor here sends packets that are refused; not each has a battery.
NOT_HERE = {"martlet_device_refused_total", "martlet_device_battery_percent", "martlet_device_battery_low", "martlet_device_problem",
            "martlet_device_maintenance", "martlet_device_commands_total"}
EMPTY = {"Packets refused, by reason A": "nothing is refused here", "Problems B": "nobody has acknowledged anything",
         "Crossed limits A": "no limit is crossed here", "Batteries B": "no battery is low here",
         "Commands to sensors A": "no sensor here wants commands"}
# Panels that may have data or none: a problem may be shown for a while.
EITHER = {"Problems A", "Problems of sensors A", "Batteries A"}
# Alerts of any problem: the machine of this test may be short of room, and a link that was lost may be a problem for a minute.
ANY_PROBLEM = {"MartletGatewayProblem", "MartletSensorProblem"}


def interpreter():
    """The Python of the virtual environment, which has what requirements.txt says."""
    wanted = (HERE / "requirements.txt").read_text()
    mark = VENV / "installed.txt"
    if not mark.exists() or mark.read_text() != wanted:
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check",
                        "-r", HERE / "requirements.txt"], check=True)
        mark.write_text(wanted)
    return VENV / "bin" / "python"


def page():
    return (ROOT / "docs" / "metrics.md").read_text()


def table():
    """The table of docs/metrics.md: type and labels by metric."""
    rows = re.findall(r"^\| `((?:martlet|process)_\w+)` \| (\w+) \| ([^|]+) \|", page(), re.MULTILINE)
    check(len(rows) >= 20, f"only {len(rows)} metrics in the table")
    return {name: (kind, frozenset(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def block_after(mark, text):
    return re.search(rf"<!-- {mark} -->\n+```\w+\n(.*?)```", text, re.DOTALL)[1]


def files():
    """What can be said of dashboard and rules without a gateway."""
    board = dashboard.load()
    dashboard.check_shape(board)
    types = subprocess.run([interpreter(), HERE / "grafana_types.py", dashboard.FOLDER / "martlet.json"],
                           capture_output=True, text=True)
    check(types.returncode == 0, f"the dashboard is not of Grafana's types:\n{types.stdout}{types.stderr}")
    promtool("check", "rules", dashboard.FOLDER / "alerts.yml")
    promtool("test", "rules", "alerts_test.yml", cwd=dashboard.FOLDER)
    parser = subprocess.run([sys.executable, HERE / "test_telegraf_json.py"], capture_output=True, text=True)
    check(parser.returncode == 0, parser.stderr)
    # A metric that neither shows nor alerts is one that nobody looks at; one that is not in the table does not exist.
    queries = " ".join(target["expr"] for panel in dashboard.panels(board) for target in panel["targets"])
    used = dashboard.metric_names(queries + (dashboard.FOLDER / "alerts.yml").read_text())
    used = {name.removesuffix("_bucket") for name in used} - {"up"}
    check(used == set(table()), f"used or documented, and not both: {sorted(used ^ set(table()))}")
    return f"{len(dashboard.panels(board))} panels"


def check_against_the_page(seen, martlet):
    """The answer of /metrics, held against docs/metrics.md, docs/delivery.md and the configuration."""
    wanted = table()
    check(set(seen.types) == set(wanted), f"told or documented, and not both: {sorted(set(seen.types) ^ set(wanted))}")
    for name, (kind, labels) in wanted.items():
        check(seen.types[name] == kind, f"{name} is a {seen.types[name]}, and should be a {kind}")
        check(len(seen.help.get(name, "")) > 3, f"{name} has no words of help")
        if name in NOT_HERE:
            continue
        check(seen.labels(name) == {labels}, f"{name} has the labels {seen.labels(name)}, and should have {set(labels)}")
    version = subprocess.run([martlet, "--version"], capture_output=True, text=True).stdout.strip()
    check([dict(labels)["version"] in version for labels in seen.series("martlet_build_info")] == [True],
          f"build_info is {seen.series('martlet_build_info')}, and --version says {version}")
    for name in ("martlet_link_state", "martlet_readings_total", "martlet_device_last_value_age_seconds"):
        devices = {dict(labels)["device"] for labels in seen.series(name)}
        check(devices == DEVICES, f"{name} is of {sorted(devices)}")
    for device in DEVICES:
        states = {dict(labels)["state"]: value for labels, value in seen.series("martlet_link_state", device=device).items()}
        check(set(states) == STATES and sorted(states.values()) == [0.0] * (len(STATES) - 1) + [1.0], f"{device}: {states}")
    delivery = (ROOT / "docs" / "delivery.md").read_text().split("The reasons for which readings are dropped:")[1]
    reasons = set(re.findall(r"`([\w-]+)`", "".join(re.findall(r"^\| (`.*?) \|", delivery.split("\n\n")[1], re.MULTILINE))))
    told = {dict(labels)["reason"] for labels in seen.series("martlet_readings_dropped_total")}
    check(told == reasons and len(reasons) > 10, f"reasons told or documented, and not both: {sorted(told ^ reasons)}")
    lanes = {(dict(labels)["lane"], dict(labels)["result"]) for labels in seen.series("martlet_mqtt_publishes_total")}
    check(lanes == {(lane, result) for lane in ("live", "history") for result in ("sent", "acknowledged")}, f"lanes {lanes}")
    slots = {dict(labels)["state"]: value for labels, value in seen.series("martlet_connection_slots").items()}
    check(slots == {"used": 4}, f"connections {slots}, and four links")
    sources = {dict(labels)["source"] for labels in seen.series("martlet_readings_total")}
    check({"advert", "notify"} <= sources <= {"advert", "notify", "indicate", "read"}, f"sources {sources}")
    check(seen.value("martlet_buffer_bytes") > 10_000, "the journal takes no room")
    resident, own = seen.value("process_resident_memory_bytes"), seen.value("martlet_own_memory_bytes")
    check(10e6 < resident < 500e6 and 2e6 < own < resident, f"{resident} octets resident, {own} allocated: that cannot be")


def check_against_status(gateway, port):
    """Counters lie between what `martlet status` said before and what it said after."""
    before, seen, after = gateway.status(), scrape(port), gateway.status()

    def sensors(status):
        return {sensor["id"]: sensor for sensor in status["collector"]["sensors"]}
    for device, first in sensors(before).items():
        last = sensors(after)[device]
        for what, name, count in (("readings", "martlet_readings_total", lambda value: value or 0),
                                  ("reconnects", "martlet_link_reconnects_total", lambda value: sum((value or {}).values())),
                                  ("gap", "martlet_device_gap_total", lambda value: value or 0)):
            value = seen.total(name, device=device)
            check(count(first.get(what)) <= value <= count(last.get(what)),
                  f"{name} of {device} is {value}; status said {first.get(what)} before and {last.get(what)} after")
    for name, words in (("martlet_uptime_seconds", ["uptime_s"]),
                        ("martlet_storage_written_bytes_total", ["journal", "bytes_written"])):
        low, high = before, after
        for word in words:
            low, high = low[word], high[word]
        check(low <= seen.value(name) <= high + 1, f"{name} is {seen.value(name)}; status said {low} before and {high} after")
    check(seen.value("martlet_clock_synchronized") == (after["clock"] == "synced"), f"the clock is {after['clock']}")


def ask_everything(prometheus, window):
    """Each query of the dashboard has data, and each alert is quiet."""
    board, values = dashboard.load(), {"job": "martlet", "instance": ".+", "device": ".+", "datasource": "test"}
    asked = 0
    for panel in dashboard.panels(board):
        for target in panel["targets"]:
            query = dashboard.expand(target["expr"], values, f"{window}s")
            found = prometheus.query(query) if target["instant"] else prometheus.query_range(query, window)
            name = f"{panel['title']} {target['refId']}"
            check(name in EITHER or bool(found) == (name not in EMPTY), f"{name}: {query}: {found or 'no data'}")
            for label in re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")):
                check(all(label in labels for labels, _ in found), f"{name}: its legend has {label}, which a series lacks")
            asked += 1
    for variable in dashboard.variables(board).values():
        if variable["type"] == "query":
            query = dashboard.expand(variable["query"]["query"], values, f"{window}s")
            series, label = re.fullmatch(r"label_values\((.*), (\w+)\)", query).groups()
            found = prometheus.ask(f"label/{label}/values", **{"match[]": series})
            check(found and (label != "device" or set(found) == DEVICES), f"variable {variable['name']}: {found}")
    rules = prometheus.rules()
    for rule in rules:
        check(rule["health"] == "ok", f"{rule['name']}: {rule.get('lastError') or rule['health']}")
        found = prometheus.query(rule["query"])
        check(not found or rule["name"] in ANY_PROBLEM, f"{rule['name']} while all is well: {found}")
    return f"{asked} queries with data, {len(rules)} alerts at rest"


def check_commands(rules, martlet):
    for command in dashboard.check_rules(rules):
        known = subprocess.run([martlet, "help", command], capture_output=True, text=True)
        check(known.returncode == 0 and f"martlet {command}" in known.stdout, f"an alert speaks of martlet {command}")


def broker_goes_and_comes(broker, prometheus, port):
    broker.stop()
    stopped = time.monotonic()
    wait_for("the gateway says that it has no broker", lambda: scrape(port).value("martlet_mqtt_connected") == 0, 30)
    rows = scrape(port).value("martlet_buffer_rows")
    wait_for("readings wait", lambda: scrape(port).value("martlet_buffer_rows") > rows + 20, 60)
    wait_for("the oldest is 12 s old", lambda: scrape(port).value("martlet_buffer_oldest_age_seconds") > 12, 60)
    age = scrape(port).value("martlet_buffer_oldest_age_seconds")
    check(age < time.monotonic() - stopped + 5, f"a reading has waited for {age} s since before the broker went")
    wait_for("the alert waits for its 5 minutes",
             lambda: prometheus.alerts().get("MartletBrokerNotConnected") == "pending", 30)
    before = scrape(port)
    broker.start()
    wait_for("the gateway has its broker again", lambda: scrape(port).value("martlet_mqtt_connected") == 1, 90)
    wait_for("nothing old waits any more", lambda: scrape(port).value("martlet_buffer_oldest_age_seconds") < 5, 60)
    after = scrape(port)
    for lane in ("live", "history"):
        for result in ("sent", "acknowledged"):
            counts = [seen.value("martlet_mqtt_publishes_total", lane=lane, result=result) for seen in (before, after)]
            check(counts[0] < counts[1], f"{lane}, {result}: {counts} across the outage")
        sent, acknowledged = (after.value("martlet_mqtt_publishes_total", lane=lane, result=result)
                              for result in ("sent", "acknowledged"))
        check(acknowledged <= sent, f"{lane}: {acknowledged} acknowledged of {sent} sent")
    count, acknowledged = after.value("martlet_mqtt_puback_seconds_count"), after.total(
        "martlet_mqtt_publishes_total", result="acknowledged")
    check(count == acknowledged, f"the times of {count} acknowledgements, and {acknowledged} came")
    check(after.value("martlet_mqtt_puback_seconds_bucket", le="+Inf") == count, "the last bucket does not hold all")
    check(after.total("martlet_readings_dropped_total") == 0, "readings were dropped")
    # The problem is shown until the connection has lasted for a while.
    wait_for("the alert has ended", lambda: "MartletBrokerNotConnected" not in prometheus.alerts(), 60)


def sensor_goes(sensor, prometheus, port, say):
    def age(seen, device):
        return seen.value("martlet_device_last_value_age_seconds", device=device)
    check(age(scrape(port), "quiet") < 5, "the sensor to be stopped is silent already")
    sensor.process.end(9)
    wait_for("the sensor is silent for 8 s", lambda: age(scrape(port), "quiet") > 8, 60)
    first, then = age(scrape(port), "quiet"), time.monotonic()
    time.sleep(4)
    second, passed = age(scrape(port), "quiet"), time.monotonic() - then
    check(abs(second - first - passed) < 1.5, f"its age went from {first} to {second} in {passed:.1f} s")
    check(age(scrape(port), "greenhouse") < 5, "another sensor is silent, too")
    wait_for("its link is being made again", lambda: scrape(port).value(
        "martlet_link_state", device="quiet", state="connecting") == 1, 60)
    # State and slots come by two scrapes, and the link may change between them.
    wait_for("the link that ended counts as used no more", lambda: scrape(port).value(
        "martlet_connection_slots", state="used") == 3, 60)
    found = prometheus.query('martlet_device_last_value_age_seconds{device="quiet"} > 8')
    check(found, "Prometheus has not seen it")

    def problems():
        return {dict(labels)["code"] for labels in scrape(port).series("martlet_device_problem", device="quiet")}
    wait_for("it is silent, or its link fails, as the gateway says", lambda: problems() & {"sensor-silent", "sensor-fails"}, 150)
    wait_for("an alert waits for its 15 minutes", lambda: {"MartletSensorSilent", "MartletSensorProblem"} & {
        name for name, state in prometheus.alerts().items() if state == "pending"}, 30)
    say("maintenance", "quiet", "--for", "1h")
    wait_for("a sensor in maintenance has no problem", lambda: not problems(), 30)
    check(scrape(port).value("martlet_problems_known", code="sensor-maintenance") == 1, "the maintenance is not counted")
    wait_for("no alert of it is left", lambda: not prometheus.query('ALERTS{device="quiet"}'), 30)


def check_telegraf(consumer):
    """Each message on …/state and …/history, as Telegraf's documentation says that it is read."""
    parser, topics = Parser.configured(block_after("telegraf", page()))
    other = re.search(r"```toml\n(\[\[inputs\.mqtt_consumer\]\]\n.*?)```", (ROOT / "docs" / "mqtt.md").read_text(), re.DOTALL)
    check(Parser.configured(other[1]) == (parser, topics), "docs/mqtt.md has another configuration of Telegraf")
    check(topics == ["martlet/dev/+/state", "martlet/dev/+/history"], f"the page has the topics {topics}")
    with consumer.lock:
        messages = [(topic.split("/"), payload) for topic, payload in consumer.messages]
    counts, devices = {"state": 0, "history": 0}, set()
    for parts, payload in messages:
        if len(parts) != 4 or parts[1] != "dev" or parts[3] not in counts:
            continue
        document = json.loads(payload)
        items = document if isinstance(document, list) else [document]
        metrics = parser.parse(payload)
        check(len(metrics) == len(items), f"{len(items)} readings give {len(metrics)} metrics")
        for item, metric in zip(items, metrics):
            check(metric.tags == {"dev": parts[2], "gw": "gw-interop", "clock": "synced"}, f"tags {metric.tags} of {item}")
            check(metric.time_ms == item["ts"] and abs(metric.time_ms / 1000 - time.time()) < 3600, f"time of {item}")
            check({"ts", "time", "src", "boot", "historical"}.isdisjoint(metric.fields), f"fields {metric.fields}")
            numbers = {key: value for key, value in item.items()
                       if isinstance(value, (int, float)) and not isinstance(value, bool) and key != "ts"}
            check(numbers.items() <= metric.fields.items(), f"fields {metric.fields} of {item}")
            lists = {f"{key}_{index}": value for key, values in item.items() if isinstance(values, list)
                     for index, value in enumerate(values)}
            check(metric.fields == {**numbers, **lists}, f"fields {metric.fields} of {item}")
            measured = metric.fields.keys() - {"v", "n", "up_ms", "rssi"}
            check(measured or {key for key, value in item.items() if isinstance(value, (bool, str))} - {
                "dev", "name", "gw", "time", "clock", "boot", "src", "historical"}, f"nothing measured in {item}")
        counts[parts[3]] += len(metrics)
        devices.add(parts[2])
    check(devices == DEVICES and all(counts.values()), f"metrics {counts} of {sorted(devices)}")
    return f"{counts['state']} and {counts['history']} metrics by Telegraf's rules"


class Door:
    """bthome.py as a process: it opens and closes."""

    def __init__(self, bench, radio):
        self.process = bench.start("door", [
            PYTHON, RIG_SOURCES / "bthome.py", "--transport", f"tcp-client:127.0.0.1:{radio}", "--address", DOOR],
            stdin=subprocess.PIPE)
        self.process.expect("ready", 60)
        self.number = 0

    def say(self, is_open):
        self.number += 1
        octets = f"4400{self.number:02x}01642d{is_open:02x}"
        self.process.process.stdin.write(octets.encode() + b"\n")
        self.process.process.stdin.flush()
        self.process.expect(f"advertising {octets}", 30)


def see(bench):
    radio, port, broker = free_ports(), free_ports(), bench.broker()
    consumer = bench.consumer(broker)
    air = bench.start("virtual-radio", [bench.martlet, "virtual-radio", "--listen", f"tcp:{radio}", "--sensors", 5,
                                        "--advertiser", "ruuvi", "--extended-advertising"])
    air.expect("advertiser", 15)
    tag = re.search(r"advertiser (\S+) ruuvi", air.text())[1]
    counter = Sensor(bench, radio, 1, "counter", 3, drop_every=31)
    quiet = Sensor(bench, radio, 2, "environment", 2)
    door = Door(bench, radio)
    door.say(1)
    configuration = bench.configuration(broker.port, [
        ('address = "C4:7C:8D:00:11:04"\nid = "greenhouse"', FEEDS["environment"][:2]),
        ('address = "C4:7C:8D:00:11:03"\nid = "strap"', FEEDS["heart-rate"]),
        (f'address = "{counter.address}"\nid = "counter"\n'
         f'sequence = {{ characteristic = "{FEEDS["counter"][0]}", offset = 0, length = 4 }}', FEEDS["counter"]),
        (f'address = "{quiet.address}"\nid = "quiet"', FEEDS["environment"])],
        extra=f'\n[[sensor]]\naddress = "{DOOR}"\nid = "door"\n\n[[sensor]]\naddress = "{tag}"\nid = "tag"\n'
        'limits = { silent_s = 86400 }\n\n[webhook]\npost_url = "https://127.0.0.1:9/hook"\n'
        f'\n[page]\nlisten = "127.0.0.1:{port}"\n')
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")

    def all_there():
        check(gateway.process.alive(), "martlet ended: " + gateway.process.text()[-1000:])
        try:
            seen = scrape(port)
        except OSError:
            return None
        found = {dict(labels)["device"] for labels in seen.series("martlet_device_last_value_age_seconds")}
        return found == DEVICES and seen.total("martlet_link_reconnects_total", device="counter") > 0 \
            and seen.value("martlet_connection_slots", state="used") == 4 and seen
    seen = wait_for("all sensors are in /metrics, and one was connected to again", all_there, 120)
    door.say(0)
    promtool("check", "metrics", input=seen.text)
    check_against_the_page(seen, bench.martlet)
    check_against_status(gateway, port)

    prometheus = Prometheus(bench, port, rules_at_every_second())
    window = 20
    wait_for(f"{window} s are scraped", lambda: prometheus.query(f'count_over_time(up{{job="martlet"}}[2m]) > {window}'), 90)
    said = [f"{len(seen.samples)} series", ask_everything(prometheus, window)]
    check_commands(prometheus.rules(), bench.martlet)
    broker_goes_and_comes(broker, prometheus, port)
    sensor_goes(quiet, prometheus, port, lambda *words: subprocess.run(
        [bench.martlet, *words, "--config", configuration], check=True, capture_output=True))
    promtool("check", "metrics", input=scrape(port).text)
    gateway.stop()
    said.append(check_telegraf(consumer))
    return said


def main():
    if sys.argv[1:] == ["--prepare"]:
        interpreter()
        return 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    started = time.monotonic()
    bench = Bench("metrics", pathlib.Path(sys.argv[1]).absolute())
    try:
        said = [files(), fleet.check(bench.folder), *see(bench)]
    except Failed as failure:
        print(f"FAIL metrics: {failure}\n     logs: {bench.folder}", flush=True)
        return 1
    finally:
        bench.close()
    print(f"PASS metrics ({time.monotonic() - started:.0f} s): {', '.join(said)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
