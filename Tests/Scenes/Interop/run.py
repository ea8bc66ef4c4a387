#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [TEST...] - the interoperability tests against the given release binary, all of them by default.

`martlet-peer`, an application of Core Bluetooth for the tests of single procedures, is taken from the same folder.

Each prints one line, PASS or FAIL. Logs lie in .rig/logs/<test>. A missing peer or tool is a failure, never a skip.
"""
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Rig"))
import bluez  # noqa: E402
import bumble  # noqa: E402
import captures  # noqa: E402
import disk  # noqa: E402
import kernel  # noqa: E402
import kill_nine  # noqa: E402
import listening  # noqa: E402
import network  # noqa: E402
import owners  # noqa: E402
import page  # noqa: E402
import page_gateway  # noqa: E402
import phones  # noqa: E402
import rootcanal  # noqa: E402
import virtual_radio  # noqa: E402
from harness import Bench, Failed  # noqa: E402

# In this order: the captures are those of the tests before.
TESTS = [rootcanal.plain, rootcanal.outages, virtual_radio.sensors, virtual_radio.phone, kernel.user_channel, kernel.faults,
         captures.opened_by_tshark, captures.opened_by_btmon, bumble.central, bumble.peripheral, bumble.pairing,
         bluez.central, bluez.peripheral, bluez.pairing, rootcanal.passkey_sensor, listening.crowd,
         listening.by_the_page, owners.taken_over, phones.setup, phones.interrupted, phones.strangers, phones.label, phones.improv, bluez.phone,
         network.played, page.steps, page.refusals, page.links, page.queue, page.browsers, page_gateway.wired,
         kill_nine.under_load, disk.full, disk.filled, disk.tiny, disk.damaged, disk.read_only, disk.broken]
# Only when asked for: its emulated radios miss frames when the machine has other things to do.
ON_DEMAND = [network.real]


def name_of(test):
    return f"{test.__module__}.{test.__name__}"


def run(test, martlet):
    """Whether the test passed."""
    name, started = name_of(test), time.monotonic()
    bench = Bench(name, martlet)
    try:
        outcome, text = "PASS", test(bench)
    except Failed as failure:
        outcome, text = "FAIL", str(failure)
    except Exception:
        outcome, text = "FAIL", traceback.format_exc()
    finally:
        bench.close()
    print(f"{outcome} {name} ({time.monotonic() - started:.0f} s): {text}", flush=True)
    if outcome == "FAIL":
        print(f"     logs: {bench.folder}", flush=True)
        for process in {process.name: process for process in bench.processes}.values():
            tail = process.text()[-1500:].strip()
            if tail and process.name in ("martlet", "martlet-peer", "client", "virtual-radio", "radio", "guest"):
                print(f"     {process.name}: " + tail.replace("\n", "\n       "), flush=True)
        # What programs in the guest said, whose processes are not the bench's.
        own = {f"{process.name}.err" for process in bench.processes}
        for path in sorted(set(bench.folder.glob("*.err")) - {bench.folder / name for name in own}):
            if tail := path.read_text(errors="replace")[-1500:].strip():
                print(f"     {path.name}: " + tail.replace("\n", "\n       "), flush=True)
    return outcome == "PASS"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    martlet = pathlib.Path(sys.argv[1]).absolute()
    for binary in (martlet, martlet.with_name("martlet-peer")):
        if not binary.exists():
            sys.exit(f"{binary} is missing: build it first (make test does)")
    known = {name_of(test): test for test in TESTS + ON_DEMAND}
    wanted = sys.argv[2:] or [name_of(test) for test in TESTS]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"unknown test {unknown[0]}; there are: {' '.join(known)}")
    passed = [run(known[name], martlet) for name in wanted]
    print(f"interoperability: {sum(passed)} of {len(passed)} passed")
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
