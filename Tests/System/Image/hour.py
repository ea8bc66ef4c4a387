# SPDX-License-Identifier: Apache-2.0
"""What the gateway in the image takes after an hour of twenty sensors: Tests/System/Benchmarks/footprint.py on the board's processor.

The sensors are those of `martlet virtual-radio`, in the image itself: the board's one radio would not have so many here.
"""
import json
import sys
import time

from machine import ROOT, check, wait_for

sys.path.insert(0, str(ROOT / "Tests" / "System" / "Benchmarks"))
from footprint import FEEDS, SENSORS, write  # noqa: E402

PORT = 7000


def configuration(settings):
    """The seed's own, with the virtual radio as its controller and all of its sensors."""
    gateway = settings[settings.index("[gateway]"):settings.index("[[sensor]]")]
    return (f'{gateway}[bluetooth]\ncontroller = "tcp:127.0.0.1:{PORT}"\n\n'
            f'[[sensor]]\nname = "*"\nsubscribe = {json.dumps(FEEDS)}\n')


def measure(run, minutes):
    def ssh(command, **options):
        """An hour is not lost to a machine that is slow for a moment."""
        return run.machine.ssh(command, timeout=300, **options)

    def field(name):
        return int(ssh(f"awk '/^{name}:/ {{ print $2 }}' /proc/$(systemctl show -P MainPID martlet.service)/status"))

    def status():
        return json.loads(ssh("martlet status --json"))
    ssh(f"systemd-run -q --unit virtual-air martlet virtual-radio --listen tcp:{PORT} --sensors {SENSORS}")
    ssh("systemctl stop martlet.service && cat >/etc/martlet/martlet.toml", text=configuration(run.settings()))
    ssh("systemctl start martlet.service")

    def sensors():
        return status()["collector"]["sensors"]
    wait_for(f"readings of {SENSORS} sensors come in",
             lambda: sum(sensor["readings"] > 0 for sensor in sensors()) == SENSORS, 900)
    before, end = status()["journal"], time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        check(run.machine.alive(), "QEMU ended")
        time.sleep(min(600, max(end - time.monotonic(), 0)))
        print(f"{(end - time.monotonic()) / 60:.0f} minutes left: {field('VmRSS')} kB resident", flush=True)
    journal = status()["journal"]
    check(journal["received"] > before["received"] and journal["buffered"] < journal["received"],
          f"nothing is delivered: {journal}")

    def moment(name):
        return int(ssh(f"systemctl show -P {name} martlet.service"))
    figures = {
        "emulated": True, "minutes": minutes, "sensors": SENSORS, "readings": journal["received"] - before["received"],
        "size_bytes": int(ssh("stat -c %s /usr/bin/martlet")),
        "ready_ms": round((moment("ActiveEnterTimestampMonotonic") - moment("ExecMainStartTimestampMonotonic")) / 1000),
        "rss_kib": field("VmRSS"), "anonymous_kib": field("RssAnon"), "peak_rss_kib": field("VmHWM"),
        "cgroup_bytes": int(ssh("systemctl show -P MemoryCurrent martlet.service")),
    }
    if minutes >= 60:
        write(figures, "aarch64")
    return figures
