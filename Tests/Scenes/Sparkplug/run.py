#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET - the gateway as an edge node of Sparkplug B, by a real broker and another implementation (pysparkplug).

Sensors are played by Bumble over RootCanal. Logs lie in .rig/logs/sparkplug.
"""
import json
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Rig"))
from harness import FEEDS, Bench, Failed, Gateway, Sensor, check, wait_for  # noqa: E402

VENV = ROOT / ".build" / "sparkplug-venv"
GROUP, NODE, HOST = "plant", "gw-interop", "scada"
COUNTER = "raw/" + FEEDS["counter"][0].split("/")[1]


def interpreter():
    """The Python of the virtual environment, which has what requirements.txt says."""
    wanted = (HERE / "requirements.txt").read_text()
    mark = VENV / "installed.txt"
    if not mark.exists() or mark.read_text() != wanted:
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                        HERE / "requirements.txt"], check=True)
        mark.write_text(wanted)
    return VENV / "bin" / "python"


class Host:
    """probe.py as a process."""

    def __init__(self, bench, port):
        self.process = bench.start("host", [interpreter(), HERE / "probe.py", port, HOST], stdin=subprocess.PIPE)
        self.process.expect("ready", 30)

    def say(self, line):
        self.process.process.stdin.write(line.encode() + b"\n")
        self.process.process.stdin.flush()

    def all(self):
        check(self.process.alive(), "the host application ended: " + self.process.errors.read_text()[-1000:])
        text = self.process.output.read_text()
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def messages(self, *kinds, after=0):
        return [message for message in self.all()[after:] if message["kind"] in kinds]

    def count(self):
        return len(self.all())

    def wait(self, what, condition, after, timeout=30):
        return wait_for(what, lambda: condition(self.all()[after:]), timeout)


def value(message, name):
    return next(metric["value"] for metric in message["metrics"] if metric["name"] == name)


def counters(messages):
    """The numbers of the counting sensor's values, with whether they are of the past, in the order of arrival."""
    return [(int.from_bytes(bytes.fromhex(metric["value"])[:4], "little"), metric["historical"])
            for message in messages if message["kind"] == "DDATA"
            for metric in message["metrics"] if metric["name"] == COUNTER]


def sessions(messages):
    """What a consumer may rely on: held against every message."""
    sequence, session, devices, alive = None, None, {}, False
    wraps = 0
    for message in messages:
        kind = message["kind"]
        if kind in ("ready", "other"):
            continue
        check(kind != "broken", message)
        check((message["group"], message["node"]) == (GROUP, NODE), message)
        check(not message["retain"], f"a retained {kind}")
        if kind == "NDEATH":
            check(message["seq"] is None, "a death of a node has no number")
            check(session == value(message, "bdSeq"), f"NDEATH of {value(message, 'bdSeq')} in session {session}")
            alive, devices = False, {}
            continue
        check(message["qos"] == 0, f"{kind} with QoS {message['qos']}")
        if kind == "NBIRTH":
            check(message["seq"] == 0, f"NBIRTH has number {message['seq']}")
            check(value(message, "Node Control/Rebirth") is False, message)
            session, alive, devices = value(message, "bdSeq"), True, {}
        else:
            check(alive, f"{kind} outside a session")
            check(message["seq"] == (sequence + 1) % 256, f"{kind} has number {message['seq']} after {sequence}")
            wraps += message["seq"] == 0
        sequence = message["seq"]
        device = message["device"]
        if kind == "DBIRTH":
            devices[device] = {metric["name"]: metric["type"] for metric in message["metrics"]}
        elif kind == "DDEATH":
            check(devices.pop(device, None) is not None, f"{device} dies and was not born")
        elif kind == "DDATA":
            check(device in devices, f"data of {device}, which was not born")
            for metric in message["metrics"]:
                check(devices[device].get(metric["name"]) == metric["type"], f"{metric} is not in the birth")
                check(metric["timestamp"], f"{metric} has no time")
    return wraps


def see(bench):
    radio, broker = bench.radio(), bench.broker()
    host = Host(bench, broker.port)
    counter = Sensor(bench, radio, 1, "counter", 30)
    climate = Sensor(bench, radio, 2, "environment", 1)
    configuration = bench.configuration(
        broker.port, [(f'address = "{counter.address}"', FEEDS["counter"]),
                      (f'address = "{climate.address}"\nid = "living-room"', ["181a/2a6e", "181a/2a6f"])],
        mqtt='format = "sparkplug"\nlive_window_s = 1\nhistory_rows_per_second = 0\n',
        extra=f'\n[sparkplug]\ngroup = "{GROUP}"\nprimary_host = "{HOST}"\n')
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}")

    # Births, then data of both sensors.
    host.wait("the node's birth", lambda seen: any(m["kind"] == "NBIRTH" for m in seen), 0)
    climate_data = lambda seen: [m for m in seen if m["kind"] == "DDATA" and m["device"] == "living-room"]  # noqa: E731
    data = host.wait("data of the climate sensor", climate_data, 0, 60)[0]
    temperature = next(metric for metric in data["metrics"] if metric["name"] == "temperature")
    check(temperature["type"] == "DOUBLE" and temperature["properties"]["engUnit"] == "°C", temperature)
    host.wait("numbers come round", lambda seen: len(counters(seen)) > 300, 0, 60)
    births = host.messages("NBIRTH")
    check(len(births) == 1, f"{len(births)} births of the node")
    first = value(births[0], "bdSeq")

    # A rebirth is obeyed, and not as often as it is asked for; other commands are passed over.
    before = host.count()
    for word in ("write", "rubbish", "rebirth", "rebirth", "rebirth"):
        host.say(f"{word} {GROUP} {NODE}")
    again = host.wait("a birth that was asked for", lambda seen: [m for m in seen if m["kind"] == "NBIRTH"], before)
    host.wait("births of both devices", lambda seen: len({m["device"] for m in seen if m["kind"] == "DBIRTH"}) == 2, before)
    check(value(again[0], "bdSeq") == first, "a rebirth is of the same session")
    time.sleep(2)
    check(len(host.messages("NBIRTH", after=before)) == 1, "three wishes in a second are one birth")

    # An outdated word of the host changes nothing. When it is offline the node says goodbye, and readings wait.
    before = host.count()
    host.say("outdated")
    host.wait("data goes on", lambda seen: len(counters(seen)) > 30, before)
    check(not host.messages("NDEATH", after=before), "an outdated STATE ends no session")
    host.say("offline")
    host.wait("the node's death", lambda seen: any(m["kind"] == "NDEATH" for m in seen), before)
    silence = host.count()
    time.sleep(4)
    check(not host.messages("NBIRTH", "DBIRTH", "DDATA", after=silence), "nothing is said to a host that is not there")
    reason = gateway.status()["mqtt"]["last_error"]
    check(HOST in (reason or ""), f"martlet status says why nothing is sent: {reason}")
    host.say("online")
    host.wait("the past is sent", lambda seen: sum(past for _, past in counters(seen)) > 60, silence)
    check(value(host.messages("NBIRTH", after=silence)[0], "bdSeq") == first + 1, "another session, the next number")
    host.wait("the present goes on", lambda seen: counters(seen)[-1:] and not counters(seen)[-1][1], silence)
    wait_for("martlet status says nothing more of it", lambda: not gateway.status()["mqtt"].get("last_error"), 20)
    numbers = [number for number, _ in counters(host.all())]
    check(sorted(numbers) == list(range(min(numbers), max(numbers) + 1)),
          "a host that was away loses nothing, and gets nothing twice")
    past = [number for number, historical in counters(host.all()) if historical]
    check(past == sorted(past), "the past comes in its order")

    # The broker is killed, and is back: its host application is online first, then the node is born.
    before = host.count()
    broker.process.end(signal.SIGKILL)
    time.sleep(3)
    killed = max(numbers for numbers, _ in counters(host.all()))
    broker.start()
    host.wait("a birth after the broker is back", lambda seen: any(m["kind"] == "NBIRTH" for m in seen), before)
    host.wait("the present goes on", lambda seen: counters(seen)[-1:] and counters(seen)[-1][0] > killed + 100
              and not counters(seen)[-1][1], before)

    def missing():
        seen = {number for number, _ in counters(host.all())}
        return set(range(min(seen), max(seen) + 1)) - seen

    # The present may come before the past. At most once: what the dead broker had in its hands, and nothing of the time
    # after it.
    wait_for("all readings after the broker's death",
             lambda: all(number <= killed + 30 for number in missing()), 60)
    lost = missing()

    # A sensor dies, and comes back.
    before = host.count()
    climate.process.end(signal.SIGKILL)
    host.wait("the sensor's death", lambda seen: any(
        m["kind"] == "DDEATH" and m["device"] == "living-room" for m in seen), before)
    climate = Sensor(bench, radio, 2, "environment", 1)
    host.wait("the sensor is back", lambda seen: any(
        m["kind"] == "DBIRTH" and m["device"] == "living-room" for m in seen), before)

    # The gateway is killed: the broker says so, by the number of its birth. The next one has the next.
    before = host.count()
    number = value(host.messages("NBIRTH")[-1], "bdSeq")
    gateway.kill()
    death = host.wait("the node's will", lambda seen: [m for m in seen if m["kind"] == "NDEATH"], before)[0]
    check(value(death, "bdSeq") == number, f"{death} after a birth with {number}")
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio}", name="martlet-2")
    birth = host.wait("the node is back", lambda seen: [m for m in seen if m["kind"] == "NBIRTH"], before)[0]
    check(value(birth, "bdSeq") == (number + 1) % 256, f"{birth} after a session with {number}")
    host.wait("data again", lambda seen: len(counters(seen)) > 30, before)

    # An orderly end says so, too.
    before = host.count()
    gateway.stop()
    host.wait("the node's goodbye", lambda seen: any(m["kind"] == "NDEATH" for m in seen), before)
    wraps = sessions(host.all())
    check(wraps > 0, "the numbers never came round")
    check(not host.messages("other"), f"topics beside: {host.messages('other')[:3]}")
    return f"{host.count()} messages, numbers came round {wraps} times, {len(lost)} values lost with the broker"


def main():
    if sys.argv[1:] == ["--prepare"]:
        interpreter()
        return 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    started = time.monotonic()
    bench = Bench("sparkplug", pathlib.Path(sys.argv[1]).absolute())
    try:
        said = see(bench)
    except Failed as failure:
        print(f"FAIL sparkplug: {failure}\n     logs: {bench.folder}", flush=True)
        return 1
    finally:
        bench.close()
    print(f"PASS sparkplug ({time.monotonic() - started:.0f} s): {said}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
