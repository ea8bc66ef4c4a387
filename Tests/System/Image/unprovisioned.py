# SPDX-License-Identifier: Apache-2.0
"""A card on which nobody has put anything but an SSH key for this test: a phone (Bumble) sets it up through the board's own
controller, and the power goes while it applies settings."""
import datetime
import re
import sys

from machine import HOST, ROOT
from harness import FEEDS, check, wait_for

sys.path.insert(0, str(ROOT / "Tests" / "Scenes" / "Interop"))
from phone_desk import ACCEPT, APPLY, BROKER, COUNTRY, NAME, NEXT_STEP, SENSORS, STATE, STATUS, Phone  # noqa: E402

TIME = "0026"
PATIENCE = 300  # seconds; a gateway in an emulator


def set_up(run, say):
    """From the first start to the first reading, with nothing but a phone."""
    machine = run.machine
    key = machine.key.with_suffix(".pub").read_text().strip()
    machine.put_on_card("martlet.toml", f'[device]\nssh_key = "{key}"\n')
    run.start()
    machine.wait_reachable(900)
    # A person looks at the monitor before anything else: what a phone is asked for is settled when it begins.
    digits = passkey(machine)
    phone = Phone(run.bench, f"tcp-client:127.0.0.1:{run.radio}")
    phone.connect()
    check(phone.text(STATE) == "unprovisioned" and phone.text(NEXT_STEP), f"the state is {phone.text(STATE)}")
    ended = phone.pair(digits)
    check(ended["event"] == "paired" and ended["authenticated"], f"the phone did not pair: {ended}")
    for item in (APPLY, STATUS, SENSORS):
        phone.ask("subscribe", item=item)
    phone.must_write(TIME, datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z")
    phone.must_write(COUNTRY, "DE")
    phone.must_write(NAME, "one")
    phone.must_write(BROKER, {"host": HOST, "port": run.broker.port, "tls": False})
    lines = phone.apply()
    check(lines[-1] == {"step": "done", "state": "done"}, f"applying ended so: {lines}")
    wait_for("the sensor is heard", lambda: any(
        line["address"] == run.sensor.address for line in phone.received(SENSORS)), PATIENCE)
    phone.must_write(ACCEPT, {"address": run.sensor.address, "id": "meter", "subscribe": FEEDS["counter"]})
    run.wait_readings(0)
    say(f"set up by phone: first reading at the broker {machine.since_power_on():.0f} s after power-on")
    check("unprovisioned" not in phone.text(STATE), "it does not know that it was set up")
    run.check_healthy()
    return phone


def passkey(machine):
    """The digits that the screen shows to the next phone."""
    def shown():
        return re.search(r"Passkey for the next phone: ([0-9]{6})", machine.ssh("cat /dev/vcs1"))
    return int(wait_for("a passkey is shown on the monitor", shown, PATIENCE)[1])


def cut_while_applying(run, phone, cuts, say):
    """The name and the broker change together. After each cut both are the former, or both are the new ones."""
    other = run.another_broker()
    settings = {"one": run.broker.port, "two": other.port}
    name = "one"
    for cut in range(1, cuts + 1):
        new = "two" if name == "one" else "one"
        phone.must_write(NAME, new)
        phone.must_write(BROKER, {"host": HOST, "port": settings[new], "tls": False})
        start = run.machine.since_power_on()
        phone.begin("write", item=APPLY, value=b"apply".hex())
        # The whole of it takes about two seconds here.
        moment = run.random.uniform(0, 3)
        wait_for("the moment of the cut", lambda: run.machine.since_power_on() - start >= moment, 60)
        run.machine.cut_power()
        phone.hears("disconnected", count=cut, timeout=PATIENCE)
        run.start()
        run.machine.wait_reachable(900)
        phone.connect()
        check("code" not in phone.ask("encrypt"), "the bond is gone after a power cut")
        found, port = phone.text(NAME), phone.json(BROKER)["port"]
        check(settings.get(found) == port, f"a mixture: the name is {found}, the broker's port {port}")
        check(phone.text(STATE) == "provisioned", f"the state is {phone.text(STATE)}")
        wait_for("the broker of these settings is connected", lambda: run.status()["mqtt"]["connected"], PATIENCE)
        run.check_healthy()
        say(f"power cut {cut}, {moment:.1f} s after apply: {'the new' if found == new else 'the former'} settings, whole")
        name = found
