# SPDX-License-Identifier: Apache-2.0
"""Networks on trial: the real helper, over its socket, with a NetworkManager that python-dbusmock plays on a private bus."""
import json
import os
import signal
import socket
import subprocess
import threading

from harness import RIG_SOURCES, ROOT, check, program, wait_for

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="false"/><allow own="*"/>
<allow receive_sender="*"/></policy></busconfig>
"""
PASSWORD = "correct horse"


class Helper:
    """One connection to a helper of its own, as systemd would start it."""

    def __init__(self, world, environment=None):
        ours, theirs = socket.socketpair()
        with open(world.bench.folder / "helper.err", "ab") as errors:
            self.process = subprocess.Popen(
                [world.bench.martlet, "network-helper"], stdin=theirs, stdout=errors, stderr=errors,
                env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": world.address, "RUNTIME_DIRECTORY": str(world.runtime),
                     "MARTLET_WIFI_COUNTRY": str(world.country), **(environment or {})})
        theirs.close()
        ours.settimeout(60)
        self.socket, self.lines = ours, ours.makefile("rb")

    def ask(self, verb, **keys):
        """The steps that were told, and the answer."""
        self.socket.sendall(json.dumps({"verb": verb, **keys}).encode() + b"\n")
        return self.answer()

    def answer(self):
        steps = []
        while True:
            line = self.lines.readline()
            check(line.endswith(b"\n"), "the helper ended without an answer")
            answer = json.loads(line)
            if "step" not in answer:
                return steps, answer
            steps.append(answer["step"])

    def close(self):
        self.lines.close()
        self.socket.close()
        check(self.process.wait(30) == 0, f"the helper ended with status {self.process.returncode}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.lines.close()
        self.socket.close()


class World:
    """A bus and a NetworkManager on it."""

    def __init__(self, bench, name):
        self.bench, self.folder = bench, bench.short / name
        self.folder.mkdir()
        self.runtime = self.folder / "run"
        self.runtime.mkdir()
        self.country = self.folder / "wifi-country"
        self.address = f"unix:path={self.folder}/bus"
        configuration = self.folder / "bus.conf"
        configuration.write_text(BUS.format(path=self.folder / "bus"))
        self.bus = bench.start(f"bus-{name}", [
            program("dbus-daemon"), f"--config-file={configuration}", "--nofork", "--nopidfile"])
        wait_for("the bus is there", (self.folder / "bus").exists, 20)
        # Debian's: the one of the rig's environment has no D-Bus.
        self.manager = bench.start(f"manager-{name}", [
            "/usr/bin/python3", "-m", "dbusmock", "--system", "--template", RIG_SOURCES / "networkmanager_mock.py"],
            {"DBUS_SYSTEM_BUS_ADDRESS": self.address})
        wait_for("NetworkManager is on its seeded network", lambda: self.manager.alive() and self.now_or_none(
            "seed", 100), 60)

    def call(self, method, *arguments):
        return subprocess.run(
            [program("dbus-send"), f"--bus={self.address}", "--print-reply=literal", "--dest=org.freedesktop.NetworkManager",
             "/org/freedesktop/NetworkManager", f"org.freedesktop.NetworkManager.{method}", *arguments],
            capture_output=True, text=True)

    def do(self, what):
        result = self.call("Do", f"string:{what}")
        check(result.returncode == 0, f"{what}: {result.stderr}")

    def now(self):
        result = self.call("World")
        check(result.returncode == 0, f"no word from the manager: {result.stderr}")
        return json.loads(result.stdout)

    def now_or_none(self, active, state):
        result = self.call("World")
        if result.returncode != 0:
            return None
        now = json.loads(result.stdout)
        return now if (now["active"], now["state"]) == (active, state) else None

    def back(self, timeout=20):
        """The seeded network is in use again, and nothing of the trial is left."""
        wait_for("the seeded network is back", lambda: self.now_or_none("seed", 100), timeout)
        now = self.now()
        check(list(now["profiles"]) == ["seed"] and now["profiles"]["seed"]["saved"] and now["checkpoints"] == 0,
              f"something of the trial is left: {now}")


def expect(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")


def seen(world):
    helper = Helper(world)
    expect("scan", [(each["ssid"], each["strength"], each["security"]) for each in helper.ask("scan")[1]["networks"]], [
        ("Attic", 70, "wpa2"), ("Barn", 60, "wpa3"), ("Desert", 50, "open"), ("Cellar", 30, "wpa3"), ("Still", 20, "open"),
        ("Ghost", 10, "wpa2")])
    world.do("refuse scans")
    expect("a scan that is refused", len(helper.ask("scan")[1]["networks"]), 6)
    expect("scans", world.now()["scans"], 1)
    status = helper.ask("status")[1]["status"]
    expect("status", (status["isConnected"], status["addresses"], status["hasWiFi"]), (True, ["192.0.2.1"], True))
    helper.close()


def failures(world):
    helper = Helper(world)
    for ssid, password, steps, failure in [
            ("Attic", "wrong horse", ["associate"], "wrong-password"), ("Cellar", PASSWORD, ["associate"], "password-or-signal"),
            ("Ghost", PASSWORD, ["associate"], "network-not-found"), ("Desert", None, ["associate", "address"], "no-address"),
            ("Nowhere", PASSWORD, [], "network-not-found"), ("Attic", None, [], "not-valid"), ("Attic", "short", [], "not-valid"),
            ("Still", None, ["associate"], "timed-out")]:
        keys = {"ssid": ssid, "limit": 3 if ssid in ("Still", "Nowhere") else 60, **({"password": password} if password else {})}
        told, answer = helper.ask("join", **keys)
        expect(f"{ssid}: steps", told, steps)
        expect(f"{ssid}: failure", answer.get("failure"), failure)
        world.back()
    expect("nothing to keep", helper.ask("keep")[1]["failure"], "timed-out")
    helper.close()


def join(world, helper, ssid="Attic", limit=60):
    steps, answer = helper.ask("join", ssid=ssid, password=PASSWORD, limit=limit)
    expect("join: steps", steps, ["associate", "address"])
    check("status" in answer, f"join: {answer}")
    now = world.now()
    check(len(answer["status"]["addresses"]) == 1 and answer["status"]["isConnected"], f"join: {answer}")
    check(now["active"].startswith("martlet-") and not now["profiles"][now["active"]]["saved"], f"on trial: {now}")
    return now["active"]


def kept(world):
    """Keep, settle, and settle another one; what is on disk at each step."""
    helper = Helper(world)
    first = join(world, helper)
    uuid = helper.ask("keep")[1]["kept"]
    expect("kept", first, f"martlet-{uuid}")
    now = world.now()
    expect("on disk", now["profiles"][first], {"saved": True, "autoconnect": False, "priority": 0, "psk": PASSWORD})
    expect("checkpoints", now["checkpoints"], 0)
    helper.close()
    check(world.now()["active"] == first, "the end of the connection took back what was kept")

    # As at each start: every time the same.
    for _ in range(2):
        helper = Helper(world)
        expect("settle", helper.ask("settle", kept=uuid)[1], {})
        helper.close()
        now = world.now()
        expect("settled", now["profiles"][first], {"saved": True, "autoconnect": True, "priority": 100, "psk": PASSWORD})
        check(now["profiles"]["seed"]["saved"] and now["active"] == first, f"settled: {now}")

    helper = Helper(world)
    second = join(world, helper, "Barn")
    other = helper.ask("keep")[1]["kept"]
    expect("both", sorted(world.now()["profiles"]), sorted(["seed", first, second]))
    # A start that finds the former one in its configuration.
    expect("settle the former", Helper(world).ask("settle", kept=uuid)[1], {})
    expect("the former", sorted(world.now()["profiles"]), sorted(["seed", first]))
    check("words" in helper.ask("settle", kept=other)[1], "nothing is said of a network that is not there")
    expect("what may still lead here stays", sorted(world.now()["profiles"]), sorted(["seed", first]))
    expect("settle none", Helper(world).ask("settle")[1], {})
    expect("none", sorted(world.now()["profiles"]), ["seed"])

    join(world, helper)
    uuid = helper.ask("keep")[1]["kept"]
    expect("taken back after keep", helper.ask("take-back", kept=uuid)[1], {})
    expect("profiles", sorted(world.now()["profiles"]), ["seed"])
    helper.close()


def taken_back(world):
    helper = Helper(world)
    join(world, helper)
    expect("another one meanwhile", Helper(world).ask("join", ssid="Barn", password=PASSWORD, limit=60)[1]["failure"], "busy")
    expect("take back", helper.ask("take-back")[1], {})
    world.back()
    # The end of the connection, while it is joined and while it is being joined.
    join(world, helper)
    helper.close()
    world.back()
    helper = Helper(world)
    helper.socket.sendall(b'{"verb":"join","ssid":"Still","limit":60}\n')
    wait_for("the trial is under way", lambda: world.now_or_none(world.now()["active"], 50), 20)
    helper.close()
    world.back()
    # Something else is asked meanwhile.
    helper = Helper(world)
    helper.socket.sendall(b'{"verb":"join","ssid":"Still","limit":60}\n')
    wait_for("the trial is under way", lambda: world.now_or_none(world.now()["active"], 50), 20)
    helper.socket.sendall(b'{"verb":"take-back"}\n')
    expect("interrupted", helper.answer()[1]["failure"], "failed")
    expect("taken back", helper.answer()[1], {})
    world.back()
    # Nothing is said within the time.
    join(world, helper, limit=3)
    world.back()
    expect("too late", helper.ask("keep")[1]["failure"], "timed-out")
    helper.close()


def killed(world):
    """A helper that is killed: NetworkManager rolls back when its time is over; the next helper does so at once."""
    helper = Helper(world)
    join(world, helper, limit=5)
    helper.kill()
    check(world.now()["active"] != "seed", "the trial ended with the helper, which cannot be")
    world.back(timeout=60)
    helper = Helper(world)
    join(world, helper, limit=600)
    helper.kill()
    helper = Helper(world)
    check("status" in helper.ask("status")[1], "no status")
    world.back()
    join(world, helper)
    helper.ask("take-back")
    helper.close()
    world.back()


def country(world):
    helper = Helper(world)
    world.do("block")
    expect("a radio that is blocked", helper.ask("scan")[1]["failure"], "no-country")
    expect("and a join", helper.ask("join", ssid="Attic", password=PASSWORD, limit=60)[1]["failure"], "no-country")

    def apply():
        # martlet-wifi-country.path and its service.
        wait_for("the country is written", world.country.exists, 20)
        (world.runtime / "country").write_text("done\n")
    thread = threading.Thread(target=apply)
    thread.start()
    answer = helper.ask("country", country="DE")[1]
    thread.join()
    expect("country", answer, {})
    expect("file", world.country.read_text(), "DE\n")
    expect("status", helper.ask("status")[1]["status"]["country"], "DE")
    expect("no such country", helper.ask("country", country="XX")[1]["failure"], "not-valid")
    helper.close()


def absent(world):
    helper = Helper(world)
    world.do("unplug")
    expect("no Wi-Fi", helper.ask("scan")[1]["failure"], "no-wifi")
    expect("no Wi-Fi", helper.ask("status")[1]["status"]["hasWiFi"], False)
    world.manager.end(signal.SIGKILL)
    for verb, keys in [("scan", {}), ("settle", {}), ("join", {"ssid": "Attic", "password": PASSWORD, "limit": 60})]:
        expect(f"{verb} without NetworkManager", helper.ask(verb, **keys)[1]["failure"], "no-manager")
    helper.close()
    helper = Helper(world, {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"})
    expect("no bus", helper.ask("status")[1]["failure"], "no-manager")
    helper.close()


def played(bench):
    """Scans, failures, keeping, settling, taking back, and helpers that are killed, with a NetworkManager that is played."""
    parts = [seen, failures, kept, taken_back, killed, country, absent]
    for part in parts:
        part(World(bench, part.__name__))
    log = (bench.folder / "helper.err").read_text()
    check(PASSWORD not in log and "wrong horse" not in log, "a password is in the helper's log")
    return f"{len(parts)} scenes: joined, kept, settled, taken back; each failure told as what it is; no password in the log"


# In the guest: mac80211_hwsim's radios, and who NetworkManager needs beside itself.
GUEST = r"""
tar -C "$(cat /rig/guest)/network" -cf - . | tar -C / --keep-directory-symlink -xf -
modprobe mac80211_hwsim radios=5 || exit 70
for module in ccm gcm cmac ctr cbc; do modprobe $module 2>/dev/null; done
mkdir -p /run/dbus /run/udev /run/netns
dbus-daemon --system --fork --nopidfile
/lib/systemd/systemd-udevd --daemon && udevadm trigger --subsystem-match=net && udevadm settle
"""


def real(bench):
    """The same with the real NetworkManager and wpa_supplicant, and access points of the kernel's simulated radios."""
    script = ROOT / "Tests" / "Scenes" / "Interop" / "network_guest.py"
    guest = bench.start("guest", [
        RIG_SOURCES / "kernel" / "run-guest.sh", "-d", bench.folder, "-k", bench.folder, "-t", "1500",
        f"{GUEST}exec /usr/bin/python3 {script} {bench.martlet}\n"])
    wait_for("the guest ends", lambda: not guest.alive(), 1500)
    check(guest.process.returncode == 0, f"the guest ended with status {guest.process.returncode}: {guest.text()[-1500:]}")
    log = (bench.folder / "helper.log").read_text()
    check(PASSWORD not in log and "wrong horse" not in log, "a password is in the helper's log")
    return "joined, refused, taken back, kept and settled over restarts, with NetworkManager itself"
