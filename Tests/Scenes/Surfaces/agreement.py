# SPDX-License-Identifier: Apache-2.0
"""Whether all surfaces of a gateway say the same: state, since, problem and exit code. `martlet status --json` is what the others
are held against."""
from surfaces import GATEWAY, PRESENT, boot_ms, counts_of, key_of, problems_of, states_of

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
            sorted((sensor["id"], sensor["health"]) for sensor in status["collector"]["sensors"]),
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
    listed = [finding for finding in findings if finding["verdict"] in shown.values()]
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
    found.same("metrics: connected", status["mqtt"]["connected"], metrics.value("martlet_mqtt_connected") == 1)


def compare_broker(surfaces, status, found, has_discovery=True):
    """MQTT and Home Assistant, which hear a change some seconds later."""
    broker = surfaces.broker
    if not broker.is_connected:
        return
    word = broker.word(f"martlet/gw/{GATEWAY}/status")
    if not status["mqtt"]["connected"]:
        if word == "online" and not surfaces.has_twin:
            found.append("MQTT: the gateway is online, and not connected")
        return
    found.same("MQTT: status", "online", word)
    told = broker.document(f"martlet/gw/{GATEWAY}/problems")
    if told is None:
        found.append("MQTT: no list of problems")
        return
    compare_list("MQTT", status, told["problems"], lambda problem: problem["since_up_ms"], found)
    found.same("MQTT: count", len(open_of(status)), told["count"])
    found.same("MQTT: failures", sum(problem["severity"] == "failure" for problem in status["problems"]), told["failures"])
    for sensor in status["collector"]["sensors"]:
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
        if device not in known:
            found.same(f"MQTT: availability of {device}, which is awaited", "offline", said)
    if has_discovery:
        entity = surfaces.home_assistant.problem()
        if entity is not None:
            state, problems = entity
            found.same("Home Assistant: problem", "on" if open_of(status) else "off", state)
            found.same("Home Assistant: problems", [key_of(problem) for problem in status["problems"]],
                       [key_of(problem) for problem in problems])


def compare_line(surfaces, status, found):
    """The line of `systemctl status`, which is made each two seconds."""
    failing = [problem for problem in status["problems"]
               if problem["severity"] == "failure" and problem["code"] != "broker-unreachable"]
    line = surfaces.line.line
    found.extend(f"systemctl status does not tell of {key_of(problem)}: {line}" for problem in failing
                 if f"{problem['part']}: " not in line)
    words = "connected to" if status["mqtt"]["connected"] else "not connected to"
    if words not in line or (words == "connected to") != ("not connected" not in line):
        found.append(f"systemctl status does not say {words!r}: {line}")


AT_ONCE = (compare_page, compare_text, compare_doctor, compare_why, compare_metrics)
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
