# SPDX-License-Identifier: Apache-2.0
"""Whether all surfaces of a gateway say the same: state, since, problem and exit code. `martlet status --json` is what the others
are held against."""
from gateway_log import LEVELS
from led import FAILURE
from surfaces import PRESENT, boot_ms, counts_of, key_of, problems_of, states_of

# Of a beginning, in milliseconds: surfaces are read one after the other.
SLACK = 3_000
# How a line of `martlet status` begins.
MARKS = {"failure": "!", "warning": "!", "notice": "·"}
# Checks of doctor that look at the machine and the files by themselves.
OWN = {"machine", "configuration", "adapter", "rights", "rfkill", "wi-fi", "certificates"}


class Differences(list):
    """What two surfaces say otherwise, in words."""

    def same(self, what, expected, found):
        if expected != found:
            self.append(f"{what}: {found}, and the status says {expected}")

    def since(self, what, expected, found):
        if expected is not None and found is not None and abs(expected - found) > SLACK:
            self.append(f"{what} began at {found} ms, and the status says {expected}")


def summary(status):
    """What may not change while the other surfaces are read."""
    return (sorted((problem["code"], problem.get("sensor") or "", problem["severity"]) for problem in status["problems"]),
            sorted((sensor["id"], sensor["health"]) for sensor in status["collector"]["sensors"]), limits_of(status),
            # Two equal states may have a whole connection between them.
            status["mqtt"]["connected"], status["mqtt"]["reconnects"])


def open_of(status):
    """The problems that nobody has acknowledged."""
    return [problem for problem in status["problems"] if problem["severity"] != "notice"]


def began(problem, seen_at):
    return seen_at - problem["age_ms"]


def compare_list(name, status, problems, beginning, found):
    """A list of problems by its keys, severities, titles and beginnings."""
    expected = status["problems"]
    found.same(f"{name}: problems", [key_of(problem) for problem in expected], [key_of(problem) for problem in problems])
    for problem, other in zip(expected, problems):
        if key_of(problem) == key_of(other):
            for key in ("severity", "title", "part"):
                found.same(f"{name}: {key} of {key_of(problem)}", problem[key], other[key])
            found.since(f"{name}: {key_of(problem)}", began(problem, status["seen_at"]), beginning(other))


def compare_page(surfaces, status, found):
    page = surfaces.page()
    compare_list("page", status, page["problems"], lambda problem: began(problem, page["seen_at"]), found)
    sensors = {sensor["id"]: sensor for sensor in page["collector"]["sensors"]}
    for sensor in status["collector"]["sensors"]:
        other = sensors.get(sensor["id"])
        found.same(f"page: state of {sensor['id']}", sensor["health"], other and other["health"])


def compare_text(surfaces, status, found):
    found.same("status: lines with ! and ·", [
        (MARKS[problem["severity"]], problem.get("sensor") or problem["part"]) for problem in status["problems"]], surfaces.text())


def is_down(status):
    """No value can come. States of sensors wait half a minute for a controller that is set up again."""
    return any(problem["code"] == "radio-down" for problem in status["problems"])


def compare_doctor(surfaces, status, found):
    code, diagnosis = surfaces.doctor()
    findings = [finding for finding in diagnosis["findings"] if finding["check"] not in OWN]
    shown = {"failure": "failure", "warning": "warning", "notice": "note"}
    failures = [problem for problem in status["problems"] if problem["severity"] == "failure"]
    own = [finding for finding in diagnosis["findings"] if finding["check"] in OWN and finding["verdict"] == "failure"]
    found.same("doctor: exit code", 1 if failures or own else 0, code)
    found.same("doctor: is_healthy", not failures and not own, diagnosis["is_healthy"])
    # The check of the adapter is about the same as that of the radio.
    found.same("doctor: the adapter fails", any(problem["part"] == "radio" for problem in failures),
               any(finding["check"] == "adapter" for finding in own))
    parts = {finding["check"] for finding in findings if finding["verdict"] == "failure"}
    found.same("doctor: parts that fail", sorted({problem["part"] for problem in failures}), sorted(parts))
    fine = [finding["found"] for finding in findings if finding["check"] == "sensors" and finding["verdict"] == "fine"]
    if is_down(status) and fine:
        found.append(f"doctor: the controller does not work, and {fine}")
    listed = [finding for finding in diagnosis["findings"] if finding["verdict"] in shown.values()]
    for problem in status["problems"]:
        verdict = shown[problem["severity"]]
        # Of many sensors some are listed, and the others are counted.
        if problem["part"] == "sensors" and sum(other["part"] == "sensors" for other in status["problems"]) > 8:
            continue
        said = [finding for finding in listed if finding["check"] == problem["part"] and finding["verdict"] == verdict
                and (problem.get("sensor") or "") in finding["found"]]
        if not said:
            found.append(f"doctor has no {verdict} for {key_of(problem)}: {[item['found'] for item in listed]}")


def compare_why(surfaces, status, found):
    problems = status["problems"]
    for sensor in status["collector"]["sensors"]:
        why = surfaces.why(sensor["id"])
        found.same(f"why {sensor['id']}", sensor["health"], why.get("health"))
        if "health_age_ms" in sensor and "health_age_ms" in why and sensor["health"] != "fresh":
            found.since(f"why {sensor['id']}", status["seen_at"] - sensor["health_age_ms"],
                        why["seen_at"] - why["health_age_ms"])
        found.same(f"why {sensor['id']}: problems",
                   [problem["code"] for problem in problems if problem.get("sensor") == sensor["id"]],
                   [problem["code"] for problem in why.get("problems", [])])


def compare_metrics(surfaces, status, found):
    metrics = surfaces.metrics()
    counts = {}
    for problem in status["problems"]:
        name = "martlet_problems_known" if problem["severity"] == "notice" else "martlet_problems"
        counts[name, problem["code"]] = counts.get((name, problem["code"]), 0) + 1
    found.same("metrics: problems", counts, counts_of(metrics))
    found.same("metrics: problems of sensors", {key_of(problem) for problem in open_of(status) if "sensor" in problem},
               problems_of(metrics))
    found.same("metrics: states", {sensor["id"]: sensor["health"] for sensor in status["collector"]["sensors"]},
               states_of(metrics))
    crossed = {tuple(dict(labels)[key] for key in ("device", "quantity", "side"))
               for labels, value in metrics.series("martlet_limit_crossed").items() if value == 1}
    found.same("metrics: crossed limits", limits_of(status), crossed)
    found.same("metrics: connected", status["mqtt"]["connected"], metrics.value("martlet_mqtt_connected") == 1)


def compare_broker(surfaces, status, found, has_discovery=True):
    """MQTT and Home Assistant, which hear a change some seconds later."""
    broker = surfaces.broker
    if not broker.is_connected or surfaces.is_muted:
        return
    word = broker.word(f"martlet/gw/{surfaces.name}/status")
    if not status["mqtt"]["connected"]:
        if word == "online" and not surfaces.has_twin:
            found.append("MQTT: the gateway is online, and not connected")
        return
    found.same("MQTT: status", "online", word)
    told = broker.document(f"martlet/gw/{surfaces.name}/problems")
    if told is None:
        found.append("MQTT: no list of problems")
        return
    compare_list("MQTT", status, told["problems"], lambda problem: problem["since_up_ms"], found)
    found.same("MQTT: count", len(open_of(status)), told["count"])
    found.same("MQTT: failures", sum(problem["severity"] == "failure" for problem in status["problems"]), told["failures"])
    compare_limits(surfaces, status, found, has_discovery)
    # Sensors have one topic, whichever gateway speaks of them.
    for sensor in status["collector"]["sensors"] if not surfaces.has_twin else ():
        if sensor["health"] in ("elsewhere", "off"):
            continue
        is_present = sensor["health"] in PRESENT
        said = broker.word(f"martlet/dev/{sensor['id']}/availability")
        # A sensor that was never heard need not have been announced.
        if said is not None or is_present:
            found.same(f"MQTT: availability of {sensor['id']}", "online" if is_present else "offline", said)
        if has_discovery:
            available = surfaces.home_assistant.sensor(sensor["id"])
            if available is not None:
                found.same(f"Home Assistant: availability of {sensor['id']}", is_present, available)
    # A sensor that is awaited is none of those above, and may be at the broker from an earlier run.
    known = {sensor["id"] for sensor in status["collector"]["sensors"]}
    for device, said in broker.availabilities().items():
        if device not in known and not surfaces.has_twin:
            found.same(f"MQTT: availability of {device}, which is awaited", "offline", said)
    if has_discovery:
        entity = surfaces.home_assistant.problem()
        if entity is not None:
            state, problems = entity
            found.same("Home Assistant: problem", "on" if open_of(status) else "off", state)
            found.same("Home Assistant: problems", [key_of(problem) for problem in status["problems"]],
                       [key_of(problem) for problem in problems])


def limits_of(status):
    """The limits that are crossed: sensor, quantity and side."""
    return {(limit["sensor"], limit.get("quantity", ""), limit["side"]) for limit in status.get("limits", []) if limit["is_crossed"]}


def compare_limits(surfaces, status, found, has_discovery):
    """The retained list of crossed limits, and Home Assistant's entities."""
    crossed = limits_of(status)
    told = surfaces.broker.document(f"martlet/gw/{surfaces.name}/limits")
    said = {(sensor, limit.get("quantity", ""), limit["side"]) for sensor, limits in (told or {"sensors": {}})["sensors"].items()
            for limit in limits}
    found.same("MQTT: crossed limits", crossed, said)
    for sensor in {limit["sensor"] for limit in status.get("limits", [])} if has_discovery else ():
        entity = surfaces.home_assistant.limits(sensor)
        if entity is not None:
            mine = {limit[1:] for limit in crossed if limit[0] == sensor}
            found.same(f"Home Assistant: limits of {sensor}", "on" if mine else "off", entity[0])
            found.same(f"Home Assistant: crossed limits of {sensor}", mine,
                       {(limit.get("quantity", ""), limit["side"]) for limit in entity[1]})


def compare_led(surfaces, status, found):
    if surfaces.led is None:
        return
    failures = any(problem["severity"] == "failure" for problem in status["problems"])
    found.same("LED: the pace", FAILURE if failures else None, surfaces.led.pace())


# The collector has lines of its own on these.
TOLD_BY_COLLECTOR = {"sensor-trouble", "sensor-fails", "sensor-lacks", "sensor-silent", "sensor-not-understood", "sensor-awaited"}


def compare_log(surfaces, status, found):
    """A problem is logged once when it begins and once when it ends, a sensor's silence as well."""
    log = surfaces.log()
    present = {}
    for problem in status["problems"]:
        if problem["code"] not in TOLD_BY_COLLECTOR:
            present.setdefault(problem["code"], []).append(problem["severity"])
    for code in {*log.begun, *log.over, *present}:
        begun, severities = log.begun.get(code, []), present.get(code, [])
        found.same(f"log: {code} has begun and is not over", len(severities), len(begun) - log.over.get(code, 0))
        # The level is of the beginning: an acknowledgement comes later.
        if len(severities) == 1 and severities != ["notice"] and begun:
            found.same(f"log: level of {code}", LEVELS[severities[0]], begun[-1])
    for sensor in status["collector"]["sensors"]:
        is_silent, level = log.silence.get(sensor["id"], (False, None))
        if sensor["health"] in ("silent", "not-understood"):
            found.same(f"log: {sensor['id']} is silent", (True, LEVELS["warning"]), (is_silent, level))
        elif sensor["health"] in PRESENT:
            found.same(f"log: {sensor['id']} is silent", False, is_silent)


def compare_phone(surfaces, status, found):
    """The status that an owner's phone reads: it has room for one problem besides the broker's."""
    told = surfaces.phone and surfaces.phone.status()
    if told is None:
        return
    found.same("phone: connected to the broker", status["mqtt"]["connected"], told["broker_connected"])
    sensors = status["collector"]["sensors"]
    found.same("phone: sensors", len(sensors), told["sensors"])
    found.same("phone: sensors that bring values", sum(sensor["health"] in PRESENT for sensor in sensors), told["collecting"])
    # The numbers in the text may be newer.
    first = next((problem for problem in open_of(status) if problem["code"] != "broker-unreachable"), None)
    said = told.get("problem", "")
    if first is None or not said:
        found.same("phone: the first problem", first and key_of(first), said or None)
    else:
        found.same("phone: the first problem", f"{first['title']}: "[:len(said)], said[:len(first["title"]) + 2])
    # One that is over is watched for a while, and the phone has no word on it then.
    if not status["mqtt"]["connected"] and not told.get("broker_error") and any(
            problem["code"] == "broker-unreachable" for problem in status["problems"]):
        found.append("phone: no word on the broker, which is not reached")


def compare_line(surfaces, status, found):
    """The line of `systemctl status`, which is made each two seconds."""
    failing = [problem for problem in status["problems"]
               if problem["severity"] == "failure" and problem["code"] != "broker-unreachable"]
    line = surfaces.line.line
    found.extend(f"systemctl status does not tell of {key_of(problem)}: {line}" for problem in failing
                 if f"{problem['part']}: " not in line)
    if is_down(status) and "collecting from" in line:
        found.append(f"systemctl status: the controller does not work, and {line}")
    words = "connected to" if status["mqtt"]["connected"] else "not connected to"
    if words not in line or (words == "connected to") != ("not connected" not in line):
        found.append(f"systemctl status does not say {words!r}: {line}")


AT_ONCE = (compare_page, compare_text, compare_doctor, compare_why, compare_metrics, compare_led, compare_log, compare_phone)
LATER = (compare_broker, compare_line)


def look(surfaces, has_discovery=True):
    """One look at all surfaces: the status, and what the others say otherwise, at once and some seconds later. None where the
    status has changed meanwhile."""
    before = surfaces.status()
    at_once, later = Differences(), Differences()
    for compare in AT_ONCE:
        compare(surfaces, before, at_once)
    compare_broker(surfaces, before, later, has_discovery)
    compare_line(surfaces, before, later)
    after = surfaces.status()
    if summary(before) != summary(after):
        return None
    return after, at_once, later


__all__ = ["boot_ms", "look", "summary"]
