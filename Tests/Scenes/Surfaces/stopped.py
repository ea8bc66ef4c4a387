# SPDX-License-Identifier: Apache-2.0
"""Situations of a gateway that is off: all that outlives it says so, and none of it tells of a present."""
import re
import signal

from harness import check, wait_for
from agreement import OWN
from situations import long


def messages_are_off(scene, is_in_order):
    """The broker and Home Assistant say that the gateway and its sensors are away; the list of problems is the last known one."""
    watcher, home = scene.watcher, scene.surfaces.home_assistant
    wait_for("the broker says that the gateway is away", lambda: watcher.word("martlet/gw/gw-interop/status") == "offline", 20)
    words = watcher.availabilities()
    sensors = {"fickle", "steady", "sealed", "link-0", "link-1"}
    check(set(words) == sensors, f"the broker has an availability of {sorted(words)}")
    # A gateway without the time for a last word leaves its will alone.
    check(not is_in_order or set(words.values()) == {"offline"}, f"of a gateway that is off, sensors are {words}")
    # Values without a decoder are no entities.
    shown = {sensor: home.sensor(sensor) for sensor in sensors if not sensor.startswith("link-")}
    check(set(shown.values()) == {False}, f"in Home Assistant sensors are available, of a gateway that is off: {shown}")
    check(home.problem() == ("unavailable", []), f"Home Assistant's problem is {home.problem()}")
    told = watcher.document("martlet/gw/gw-interop/problems")
    check([problem["code"] for problem in told["problems"]] == ["disk-full"], f"the last known problems are {told}")


def commands_are_off(scene):
    """Commands that ask the gateway fail and say why; doctor looks at the machine alone."""
    for words in (("status",), ("status", "--json"), ("why", "fickle"), ("why", "fickle", "--json"), ("watch", "fickle")):
        code, text, errors = scene.surfaces.run_whole(*words)
        check(code == 1 and not text.strip(), f"martlet {' '.join(words)} ends with {code} and says {text!r}")
        check("is the gateway running?" in errors, f"martlet {' '.join(words)} does not say why: {errors!r}")
    code, diagnosis = scene.surfaces.doctor()
    findings = diagnosis["findings"]
    said = [finding["found"] for finding in findings if finding["check"] == "service"]
    check(any(re.search("no gateway answers", found) for found in said), f"doctor does not say that no gateway answers: {said}")
    gateway = [finding for finding in findings if finding["check"] in ("sensors", "radio", "bonds")]
    check(not gateway, f"doctor tells what a gateway alone can know: {gateway}")
    failures = [finding["check"] for finding in findings if finding["verdict"] == "failure"]
    # It looks at the disk by itself; what this machine lacks is its own affair.
    check("disk" in failures and set(failures) <= {"disk", *OWN}, f"doctor finds {failures}")
    check(code == 1 and not diagnosis["is_healthy"], f"doctor ends with {code}")


def nobody_answers(scene):
    for path in ("/", "/metrics"):
        try:
            status, _ = scene.surfaces.ask_page(path)
        except OSError:
            continue
        check(False, f"{path} is answered with {status}")


@long
def off(scene):
    """The gateway is stopped while it has a failure."""
    scene.fill_disk()
    scene.shows("disk-full", steady="fresh", fickle="fresh", sealed="fresh", link_0="fresh", link_1="fresh")
    scene.stop()
    messages_are_off(scene, is_in_order=True)
    commands_are_off(scene)
    nobody_answers(scene)
    check(scene.led.pace() is None, f"the LED blinks {scene.led.pace()} for a gateway that is off")
    check(scene.line.line == "stopping", f"the last line of systemctl status is {scene.line.line!r}")
    scene.free_disk()
    scene.start()
    scene.shows(steady="fresh", fickle="fresh", link_0="fresh", seconds=120)


@long
def killed(scene):
    """The gateway is killed while it has a failure: the broker has its will."""
    scene.fill_disk()
    scene.shows("disk-full", steady="fresh", fickle="fresh", sealed="fresh", link_0="fresh", link_1="fresh")
    scene.phone.leave()
    scene.gateway.process.send_signal(signal.SIGKILL)
    scene.gateway.process.wait()
    messages_are_off(scene, is_in_order=False)
    commands_are_off(scene)
    nobody_answers(scene)
    scene.free_disk()
    scene.start()
    scene.shows(steady="fresh", fickle="fresh", link_0="fresh", seconds=120)
