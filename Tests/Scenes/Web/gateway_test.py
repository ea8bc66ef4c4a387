#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gateway_test.py MARTLET [SCENE...] - the page of a real gateway in headless Chromium: each scene of scenes.py is brought about with
simulated sensors, and looked at as page_test.py looks at its stand-in.

Logs lie in .rig/logs/page-scene-*. Run it with .rig/venv/bin/python.
"""
import pathlib
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Rig"), str(HERE.parents[1] / "Rig" / "browser"), str(HERE)]
import browser as tool  # noqa: E402
import page_test  # noqa: E402
from harness import Bench, Failed, Gateway, check, free_ports, wait_for  # noqa: E402

PASSWORD = "correct horse battery"
ENVIRONMENT = '[[sensor]]\nservice = "environmental_sensing"\n'
HEART = '[[sensor]]\nservice = "heart_rate"\n'
LISTENED = "".join(f'[[sensor]]\nfamily = "{family}"\n' for family in ("ruuvi", "govee"))


class Scene:
    """A gateway in a state, and where its page is."""

    def __init__(self, bench, sensors, radio=("--sensors", "4", "--kind", "environment"), broker=True, page="", controller=None):
        port, air = free_ports(), free_ports()
        self.address = f"http://127.0.0.1:{port}"
        if not controller:
            listen = bench.start("radio", [bench.martlet, "virtual-radio", "--listen", f"tcp:{air}", *radio])
            listen.expect("tcp", 20)
            controller = f"tcp:127.0.0.1:{air}"
        path = bench.configuration(
            bench.broker().port if broker else free_ports(), [], extra=f"\n{sensors}\n[page]\nlisten = \"127.0.0.1:{port}\"\n{page}\n")
        self.gateway = Gateway(bench, path, controller)
        self.gateway.process.expect("the page is served", 30)

    def wait(self, what, condition, timeout=60):
        def holds():
            status = self.gateway.status()
            return status is not None and condition(status)
        wait_for(what, holds, timeout)
        return self


def collecting(count):
    return lambda status: sum(1 for sensor in status["collector"]["sensors"] if sensor["values"]) >= count


def empty(bench):
    return Scene(bench, "")


def well(bench):
    scene = Scene(bench, ENVIRONMENT + LISTENED,
                  ("--sensors", "4", "--kind", "environment", "--advertiser", "ruuvi", "--advertiser", "govee"))
    return scene.wait("six sensors", lambda status: collecting(6)(status) and status["mqtt"]["connected"])


def busy(bench):
    scene = Scene(bench, ENVIRONMENT + '[[sensor]]\nfamily = "bthome"\n[[sensor]]\nname = "Not There"\n',
                  ("--sensors", "4", "--kind", "environment", "--advertiser", "bthome"))
    return scene.wait("a sensor without its key", lambda status: collecting(4)(status) and any(
        sensor.get("trouble") for sensor in status["collector"]["sensors"]))


def broker_down(bench):
    scene = Scene(bench, ENVIRONMENT, broker=False)
    return scene.wait("readings that wait", lambda status: status["journal"]["buffered"] > 5 and status["mqtt"].get("last_error"))


def radio_off(bench):
    return Scene(bench, ENVIRONMENT, controller=f"tcp:127.0.0.1:{free_ports()}").wait(
        "a controller that is away", lambda status: status["controller"]["state"] != "powered on")


def many(bench):
    # The simulated controller holds 64 links.
    families = ["ruuvi", "govee", "atc", "qingping"]
    scene = Scene(bench, ENVIRONMENT + "".join(f'[[sensor]]\nfamily = "{family}"\n' for family in families),
                  ("--sensors", "60", "--kind", "environment",
                   *(word for number in range(140) for word in ("--advertiser", families[number % 4]))))
    return scene.wait("200 sensors", collecting(200), 150)


def locked(bench):
    return Scene(bench, ENVIRONMENT, page=f'password = "{PASSWORD}"')


SCENES = {"empty": empty, "well": well, "busy": busy, "broker-down": broker_down, "radio-off": radio_off, "many": many,
          "locked": locked}


def main():
    martlet, *names = sys.argv[1:]
    good = True
    for name in names or SCENES:
        started = time.monotonic()
        bench = Bench(f"page-scene-{name}", pathlib.Path(martlet).resolve())
        browser = tool.Browser(bench.folder / "chromium.log")
        try:
            scene = SCENES[name](bench)
            outcome, words = "PASS", page_test.show(browser, scene.address, name, PASSWORD)
            check(scene.gateway.process.alive(), "the gateway ended")
            scene.gateway.stop()
        except Failed as failure:
            outcome, words = "FAIL", str(failure)
        except Exception:
            outcome, words = "FAIL", traceback.format_exc()
        finally:
            browser.close()
            bench.close()
        good = good and outcome == "PASS"
        print(f"{outcome} gateway.{name} ({time.monotonic() - started:.0f} s): {words}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
