# SPDX-License-Identifier: Apache-2.0
"""Each fault of `martlet virtual-radio` as a situation: the problems that the surfaces must tell of, and those that they may tell of."""
import dataclasses
import re
import time

from faulty_radio import catalogue
from harness import Failed, check

# All sensors send: whatever is told is a problem of the radio, and no sensor is silent. Sensors of entries with ten seconds of patience are
# unknown while the radio hears nobody. On a busy machine links need some seconds to come back, while others are heard already.
BRIEF = ("radio-trouble", "radio-down", "radio-silent", ("sensor-silent", "link-0"), ("sensor-silent", "link-1"),
         ("sensor-silent", "link-2"), ("sensor-silent", "link-3"))


@dataclasses.dataclass(frozen=True)
class Fault:
    """What is shown of a fault: by default nothing. A problem is a code, for whichever sensor, or a code and a sensor."""
    must: tuple = ()          # Each of these is shown,
    may: tuple = ()           # and nothing besides but these.
    preset: str = "standard"  # The controller on which the fault means something.
    at: int = 4               # Seconds after the first connection at which a fault strikes that is not there from the beginning.
    sensors: int = 2          # Sensors with links.
    seconds: int = 30         # Looks go on for so long, and longer until each problem of `must` was seen.
    limit: int = 120          # Seconds until each problem of `must` was seen, and again until the fault is over; of a quiet machine.


TABLE = {
    # Answers to commands
    "scan-stop-refused": Fault(preset="bcm43455"),
    "unanswered-features": Fault(may=BRIEF),
    "unanswered-scan-enable": Fault(may=BRIEF),
    # With all its commands the start takes half a minute.
    "late-answers": Fault(must=("radio-down",), may=BRIEF, seconds=60),
    "doubled-answers": Fault(),
    "listed-and-refused": Fault(preset="csr8510"),
    # A refused scan is tried again after ten seconds, and until then sensors are not seen.
    "scan-refused-while-linked": Fault(may=(*BRIEF, "radio-refuses"), preset="rtl8761b"),
    "extended-unknown": Fault(may=BRIEF, preset="rtl8761b"),
    "extended-scan-refused": Fault(may=BRIEF, preset="rtl8761b"),
    "extended-connection-refused": Fault(may=BRIEF, preset="rtl8761b"),
    # The refusal hides what it keeps from being heard.
    "scan-refused": Fault(must=("radio-refuses",), may=BRIEF, seconds=60),
    "optional-unanswered": Fault(may=BRIEF),
    "cancel-loses": Fault(),
    "shared-buffers": Fault(preset="dual-mode"),
    # Links
    "connect-fails-after-advertising": Fault(preset="bcm43455"),
    "reset-at-fourth-link": Fault(may=BRIEF, sensors=4, seconds=60),
    # Events and data
    "event-zero": Fault(),
    "batched-reports": Fault(),
    "shared-completions": Fault(preset="dual-mode"),
    "data-overtakes-events": Fault(),
    "credits-stall": Fault(may=BRIEF, seconds=60),
    # The whole controller
    "hardware-error": Fault(may=BRIEF),
    # The scan hears nobody, and links work.
    "scanner-stops": Fault(must=("radio-silent",), may=BRIEF),
    "tells-once": Fault(must=("radio-silent",), may=BRIEF, seconds=60),
    "deaf": Fault(must=("radio-silent", "radio-trouble"), may=BRIEF),
    "deaf-until-reopened": Fault(must=("radio-silent", "radio-trouble"), may=BRIEF, limit=240),
    "frozen": Fault(must=("radio-silent", "radio-down"), may=BRIEF),
    # The line to the host
    "lost-octets": Fault(may=BRIEF),
    "lost-command-octets": Fault(may=BRIEF),
    "inserted-octets": Fault(may=BRIEF),
}


def is_of(problem, wanted):
    return any(each in (problem, problem[0]) for each in wanted)


class Watch:
    """Looks at all surfaces while the controller has a fault, and keeps when each problem was seen first."""

    def __init__(self, scene, row):
        self.scene, self.row, self.seen, self.began = scene, row, {}, time.monotonic()

    def look(self):
        """A status that all surfaces agree with; a problem that the row does not have is a failure."""
        status = self.scene.agreed()
        if not any(sensor["id"] == "sealed" and sensor["health"] == "fresh" for sensor in status["collector"]["sensors"]):
            # A new radio's sensor with a key counts from the beginning, like a recording.
            self.scene.surfaces.run("trust", "sealed")
        for problem in self.scene.shown(status):
            self.seen.setdefault(problem, round(time.monotonic() - self.began))
        strange = [problem for problem in self.seen if not is_of(problem, self.row.must + self.row.may)]
        check(not strange, f"the surfaces tell of {strange}, which this fault does not explain; shown: {self}")
        return status

    def until(self, what, holds, seconds):
        deadline = time.monotonic() + 3 * seconds
        while not holds(self.look()):
            if time.monotonic() > deadline:
                raise Failed(f"{what}: not within {3 * seconds} s; shown: {self}")

    def lacking(self):
        return [each for each in self.row.must if not any(is_of(problem, [each]) for problem in self.seen)]

    def is_told(self, _):
        return time.monotonic() - self.began > self.row.seconds and not self.lacking()

    def is_over(self, status):
        return not self.scene.shown(status) and all(sensor["health"] == "fresh" for sensor in status["collector"]["sensors"])

    def __str__(self):
        return ", ".join(f"{code}{f' of {sensor}' if sensor else ''} after {second} s"
                         for (code, sensor), second in self.seen.items()) or "nothing"


def situation(fault, row):
    name, strikes = fault["name"], fault["timed"]

    def run(scene):
        # A gateway that has just lost a controller waits before it takes the next one.
        scene.stop()
        scene.start_radio("--fault", f"{name}@{row.at}" if strikes else name, "--controller", row.preset, sensors=row.sensors)
        scene.configure()
        scene.start()
        watch = Watch(scene, row)
        watch.until("each problem is told", watch.is_told, row.limit)
        if strikes:
            check(re.search(f"^fault {name}$", scene.radio.text(), re.MULTILINE), "the fault did not strike")
            watch.until("the fault is over", watch.is_over, row.limit)
        scene.stop()
        scene.start_radio()
        scene.configure()
        scene.start()
        return f"shown: {watch}"
    run.__name__ = "fault_" + name.replace("-", "_")
    run.__doc__ = fault["summary"]
    return run


def situations(martlet):
    """A situation for each fault that the program knows. Each has a row."""
    found = catalogue(martlet)["faults"]
    names = {fault["name"] for fault in found}
    check(names == set(TABLE), f"faults of martlet virtual-radio without a row, or rows without a fault: {sorted(names ^ set(TABLE))}")
    return [situation(fault, TABLE[fault["name"]]) for fault in found]
