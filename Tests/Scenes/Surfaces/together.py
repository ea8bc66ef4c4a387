# SPDX-License-Identifier: Apache-2.0
"""Problems that meet: two at once, one behind the other, and words of operators at the wrong moment."""
import time

from harness import check
from scene import climate
from situations import began_after, long
from surfaces import boot_ms

QUIET = ("user watcher\ntopic readwrite #\nuser gateway\ntopic readwrite martlet/dev/#\ntopic readwrite homeassistant/#\n"
         "topic readwrite martlet/gw/gw-interop/{}\n")


@long
def disk_full_and_broker_down(scene):
    """Neither disk nor broker takes readings: both are told, and nobody says that readings are kept."""
    scene.fill_disk()
    scene.shows("disk-full", steady="fresh")
    scene.broker.stop()
    status = scene.shows("disk-full", "broker-unreachable", steady="fresh")
    kept = [problem for problem in status["problems"] if "wait in the journal" in (problem.get("remedy") or "")]
    check(not kept, f"readings are lost, and somebody says that they are kept: {kept}")
    scene.free_disk()
    status = scene.shows("broker-unreachable", steady="fresh", seconds=120)
    remedies = [problem.get("remedy") or "" for problem in status["problems"] if problem["code"] == "broker-unreachable"]
    check("wait in the journal" in remedies[0], f"readings are kept again: {remedies}")
    scene.broker.start()
    scene.shows(steady="fresh", seconds=90)


@long
def radio_goes_while_late(scene):
    """The controller is pulled out while a sensor is late: of no sensor anybody knows anything, the late one among them."""
    scene.reload(fickle="silent_after_s = 45")
    scene.shows(fickle="fresh")
    scene.watches(10)
    scene.beacons.say("fickle", None)
    scene.shows(fickle="late")
    scene.stop_radio()
    scene.shows("radio-down", fickle="unknown", steady="unknown", link_0="unknown")
    scene.start_radio()
    scene.hears_sealed()
    # It sends nothing still: when the radio has listened for long enough, that is its own problem.
    scene.shows(("sensor-silent", "fickle"), steady="fresh", fickle="silent", seconds=120)
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")
    scene.reload()
    scene.is_ready()


@long
def maintenance_ends_too_soon(scene):
    """A maintenance ends while the sensor is silent: the silence is told at once, since it began."""
    scene.say("maintenance", "fickle", "--for", "1m")
    moment = boot_ms()
    scene.beacons.say("fickle", None)
    scene.shows(("sensor-maintenance", "fickle"), fickle="silent")
    status = scene.shows(("sensor-silent", "fickle"), fickle="silent", seconds=90)
    began_after(status, moment, "sensor-silent")
    ages = [problem["age_ms"] for problem in status["problems"] if problem["code"] == "sensor-silent"]
    check(ages[0] > 40_000, f"the silence is older than the end of the maintenance: {ages}")
    scene.beacons.say("fickle", climate)
    scene.shows(fickle="fresh")


@long
def acknowledged_gets_worse(scene):
    """An operator knows of a disk that is nearly full. A full one is another problem, and a failure."""
    scene.disk.leave(100 << 20)
    scene.shows("disk-low", steady="fresh")
    scene.say("acknowledge", "disk-low")
    scene.shows("disk-low", steady="fresh")
    scene.disk.free()
    scene.fill_disk()
    status = scene.shows("disk-full", steady="fresh")
    check([problem["severity"] for problem in status["problems"] if problem["code"] == "disk-full"] == ["failure"],
          f"the full disk is no failure: {status['problems']}")
    scene.free_disk()
    scene.shows(steady="fresh", seconds=180)


@long
def cause_ends_first(scene):
    """A sensor dies while the radio is away; the radio comes back, and the sensor does not."""
    scene.stop_radio()
    scene.shows("radio-down", fickle="unknown")
    scene.beacons.all["fickle"].packet = None
    scene.start_radio()
    scene.hears_sealed()
    scene.shows(("sensor-silent", "fickle"), fickle="silent", steady="fresh", seconds=120)
    scene.beacons.say("fickle", climate)
    scene.is_ready()
    scene.shows(fickle="fresh", steady="fresh", sealed="fresh")


@long
def status_refused(scene):
    """An access list takes readings, and not the gateway's own topics: what the broker does not take is told of elsewhere."""
    scene.surfaces.is_muted = True
    scene.broker.allow(QUIET.format("claim"))
    try:
        scene.shows_either({"broker-complains"}, {"broker-unreachable"}, seconds=120)
        scene.watches(20)
    finally:
        scene.broker.allow(scene.broker.OPEN)
        scene.surfaces.is_muted = False
    scene.shows(steady="fresh", seconds=120)


__all__ = ["climate", "time"]
