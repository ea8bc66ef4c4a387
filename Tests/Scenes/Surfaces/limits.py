# SPDX-License-Identifier: Apache-2.0
"""Situations of a sensor whose entry has limits: too warm, too cold, too dry, with a delay and a hysteresis."""
from harness import check, wait_for
from agreement import limits_of
from beacon import bthome
from scene import climate
from situations import began_after, long
from surfaces import boot_ms

DELAY = 5  # seconds
ENTRY = ("silent_after_s = 10\nlimits = { temperature = { above = 30, below = 10, for_s = %d, hysteresis = 1 }, "
         "humidity = { below = 20 } }" % DELAY)
ABOVE, BELOW = ("limit-above", "fickle"), ("limit-below", "fickle")


def at(celsius, percent=50):
    """A packet with this temperature and humidity."""
    objects = ("02" + round(100 * celsius).to_bytes(2, "little", signed=True).hex(), "03" + (100 * percent).to_bytes(2, "little").hex())
    return lambda number: bthome(number, *objects)


def told(scene, since=0):
    """The events of limits over MQTT: side and outcome."""
    with scene.watcher.lock:
        return [(event["side"], event["outcome"]) for event in scene.watcher.events[since:] if event["event"] == "limit"]


def count(scene):
    with scene.watcher.lock:
        return len(scene.watcher.events)


def begins(scene):
    """All limits are kept, and nothing is crossed."""
    scene.beacons.say("fickle", at(20))
    scene.reload(fickle=ENTRY)
    status = scene.shows(fickle="fresh")
    check(len(status["limits"]) == 3 and not limits_of(status), f"limits: {status.get('limits')}")
    return count(scene)


def ends(scene):
    """A limit that is removed leaves nothing."""
    scene.beacons.say("fickle", climate)
    scene.reload()
    status = scene.shows(fickle="fresh")
    check(not status.get("limits"), f"removed limits are in the status: {status.get('limits')}")


@long
def limit_crossed(scene):
    """Too warm: after the delay; held by the hysteresis; over. Each is told once."""
    before = begins(scene)
    moment = boot_ms()
    scene.beacons.say("fickle", at(35))
    status = scene.shows(ABOVE, fickle="fresh")
    crossed = next(limit for limit in status["limits"] if limit["is_crossed"])
    since = status["seen_at"] - crossed["age_ms"]
    check(moment - 2_000 <= since, f"the crossing began {moment - since} ms before its cause")
    check(crossed["value"] == 35, f"crossed by {crossed}")
    check(all(problem["severity"] == "warning" for problem in status["problems"] if problem["code"] == "limit-above"), "no warning")
    # Below the limit, and not by as much as the hysteresis.
    scene.beacons.say("fickle", at(29.5))
    held = scene.watches(2 * DELAY)
    check(ABOVE in held and ABOVE in scene.shown(scene.agreed()), f"the hysteresis does not hold: {held}")
    scene.beacons.say("fickle", at(28.5))
    scene.shows(fickle="fresh")
    wait_for("the end is told", lambda: ("above", "over") in told(scene, before), 10)
    check(told(scene, before) == [("above", "crossed"), ("above", "over")], f"told: {told(scene, before)}")
    ends(scene)


@long
def limit_below(scene):
    """Too cold and too dry at once: one problem that names both."""
    before = begins(scene)
    scene.beacons.say("fickle", at(-4, 10))
    wait_for("both are crossed", lambda: len(limits_of(scene.agreed())) == 2, 60)
    status = scene.shows(BELOW, fickle="fresh")
    text = next(problem["text"] for problem in status["problems"] if problem["code"] == "limit-below")
    check("-4" in text.replace("−", "-") and "10" in text, f"the text does not name both values: {text}")
    scene.beacons.say("fickle", at(20))
    scene.shows(fickle="fresh")
    check(sorted(told(scene, before)) == [("below", "crossed")] * 2 + [("below", "over")] * 2, f"told: {told(scene, before)}")
    ends(scene)


@long
def limit_not_for_long(scene):
    """Beyond the limit for less than the delay: nobody hears of it."""
    scene.beacons.say("fickle", at(20))
    scene.reload(fickle=ENTRY.replace(f"for_s = {DELAY}", "for_s = 3600"))
    before = count(scene)
    scene.beacons.say("fickle", at(35))
    shown = scene.watches(10)
    scene.beacons.say("fickle", at(20))
    shown |= scene.watches(10)
    check(ABOVE not in shown and not told(scene, before), f"shown: {shown}, told: {told(scene, before)}")
    ends(scene)


@long
def limit_without_broker(scene):
    """Crossed while the broker is away: the surfaces here show it at once, and the broker hears of it once, later."""
    before = begins(scene)
    moment = boot_ms()
    scene.broker.stop()
    scene.beacons.say("fickle", at(35))
    status = scene.shows(ABOVE, "broker-unreachable", fickle="fresh")
    began_after(status, moment, "limit-above", "broker-unreachable")
    check(status["limit_deliveries"]["waiting"]["mqtt"] == 1, f"waiting: {status['limit_deliveries']}")
    scene.broker.start()
    scene.shows(ABOVE, fickle="fresh")
    wait_for("the event arrives", lambda: told(scene, before), 30)
    # A restart tells nothing anew.
    scene.restart(fickle=ENTRY)
    scene.shows(ABOVE, steady="fresh", fickle="fresh")
    scene.beacons.say("fickle", at(20))
    scene.shows(fickle="fresh")
    wait_for("the end is told", lambda: ("above", "over") in told(scene, before), 30)
    check(told(scene, before) == [("above", "crossed"), ("above", "over")], f"told: {told(scene, before)}")
    ends(scene)


@long
def limit_acknowledged(scene):
    """An operator knows of the crossing: a notice on each surface, and no alarm."""
    begins(scene)
    scene.beacons.say("fickle", at(35))
    scene.shows(ABOVE, fickle="fresh")
    scene.say("acknowledge", "limit-above:fickle")
    status = scene.shows(ABOVE, fickle="fresh")
    check([problem["severity"] for problem in status["problems"] if problem["code"] == "limit-above"] == ["notice"],
          f"acknowledged, and no notice: {status['problems']}")
    # The list of crossed limits does not depend on who knows of them.
    check(limits_of(status) == {("fickle", "temperature", "above")}, f"crossed: {limits_of(status)}")
    scene.say("acknowledge", "limit-above:fickle", "--end")
    status = scene.shows(ABOVE, fickle="fresh")
    check([problem["severity"] for problem in status["problems"] if problem["code"] == "limit-above"] == ["warning"], "no warning")
    scene.beacons.say("fickle", at(20))
    scene.shows(fickle="fresh")
    ends(scene)


@long
def limit_in_maintenance(scene):
    """A sensor in maintenance crosses no limit; one that was crossed before stays so, and is no alarm."""
    before = begins(scene)
    scene.beacons.say("fickle", at(35))
    scene.shows(ABOVE, fickle="fresh")
    scene.say("maintenance", "fickle", "--for", "1h")
    status = scene.shows(("sensor-maintenance", "fickle"), fickle="fresh")
    check(limits_of(status) == {("fickle", "temperature", "above")}, f"crossed: {limits_of(status)}")
    scene.beacons.say("fickle", at(0))
    scene.watches(2 * DELAY)
    status = scene.shows(("sensor-maintenance", "fickle"), fickle="fresh")
    check(("fickle", "temperature", "below") not in limits_of(status), "a sensor in maintenance crosses a limit")
    scene.say("maintenance", "fickle", "--end")
    scene.shows(BELOW, fickle="fresh")
    scene.beacons.say("fickle", at(20))
    scene.shows(fickle="fresh")
    check(told(scene, before) == [("above", "crossed"), ("above", "over"), ("below", "crossed"), ("below", "over")],
          f"told: {told(scene, before)}")
    ends(scene)
