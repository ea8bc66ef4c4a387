#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fleet_update.py [--updater PROGRAM] - gateways are updated by a server of hawkBit's DDI API, one after the other.

Each gateway is a real RAUC (Debian's) on a D-Bus of its own, with the image's system.conf and boot-state, two files in place of
the slots and one in place of the card; and an updater: rauc-hawkbit of PyPI, or with `--updater` a rauc-hawkbit-updater.
Bundles are signed here. Shown: the slot that does not run gets the bundle's octets, boot-state has it next, on trial, and the
server knows; a bundle of another key changes nothing, is told as a failure, and nobody else begins; a wrong token is refused.

Not shown: dm-verity (bundles are `plain`, where the image takes verity alone), a start of the new slot (`make image-test` does
that), hawkBit itself. Needs root, as RAUC mounts the bundle. Logs lie in .rig/logs/fleet-update.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parents[1] / "Rig"))
from harness import Bench, Failed, check, free_ports, program, wait_for  # noqa: E402

VENV = ROOT / ".build" / "fleet-update-venv"
OVERLAY = ROOT / "overlays" / "common"
COMPATIBLE = "martlet-rpi-arm64"
OLD, NEW = "1.0-1", "1.1-1"
SLOT = 4 << 20
# RAUC 1.8 of Debian 12 does not know min-bundle-version (the image has 1.13); the kernel here may lack dm-verity, which
# the image insists on; and pre-install asks the gateway, which is not there.
LEFT_OUT = ("min-bundle-version=", "bundle-formats=", "pre-install=")

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="*"/><allow receive_type="*"/></policy>
</busconfig>
"""


def client():
    """The updater of PyPI, in an environment that sees Debian's GLib and aiohttp."""
    wanted = (HERE / "requirements.txt").read_text()
    mark = VENV / "installed.txt"
    if not mark.exists() or mark.read_text() != wanted:
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", "--system-site-packages", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check",
                        "-r", HERE / "requirements.txt"], check=True)
        mark.write_text(wanted)
    return VENV / "bin" / "rauc-hawkbit-client"


def keys(folder):
    """A key pair that signs updates, as board/keys.sh makes it."""
    folder.mkdir()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:3072", "-nodes", "-keyout", folder / "update.key",
                    "-out", folder / "update.crt", "-days", "2", "-subj", "/CN=Martlet updates",
                    "-addext", "keyUsage=digitalSignature"], check=True, capture_output=True)
    return folder


def bundle(folder, signed_by, version, octets):
    content = folder / f"content-{version}-{signed_by.name}"
    content.mkdir()
    (content / "rootfs.img").write_bytes(octets)
    (content / "manifest.raucm").write_text(
        f"[update]\ncompatible={COMPATIBLE}\nversion={version}\ndescription=journal schema 1\n\n"
        "[bundle]\nformat=plain\n\n[image.rootfs]\nfilename=rootfs.img\n")
    path = folder / f"martlet-rpi-{version}-{signed_by.name}.raucb"
    answer = subprocess.run([program("rauc"), "bundle", f"--cert={signed_by}/update.crt", f"--key={signed_by}/update.key",
                             content, path], capture_output=True, text=True)
    check(answer.returncode == 0, f"rauc bundle: {answer.stderr[-500:]}")
    return path


class Gateway:
    """RAUC, its bus, slots and boot state, and the updater."""

    def __init__(self, bench, name, keyring):
        self.bench, self.name = bench, name
        self.folder = bench.short / name
        self.folder.mkdir()
        self.slots = {letter: self.folder / f"slot-{letter}" for letter in "AB"}
        for letter, path in self.slots.items():
            path.write_bytes(f"{OLD} {letter}".encode().ljust(SLOT, b"\0"))
        self.card = self.folder / "card"
        with open(self.card, "wb") as file:
            file.truncate(16 << 20)
        text = (OVERLAY / "etc/rauc/system.conf").read_text()
        text = "".join(f"{line}\n" for line in text.splitlines() if not line.startswith(LEFT_OUT))
        for old, new in (("@COMPATIBLE@", COMPATIBLE), ("/data/rauc", f"{self.folder}/rauc"),
                         ("/etc/rauc/keyring.pem", str(keyring)),
                         ("/usr/lib/martlet/boot-state", f"{OVERLAY}/usr/lib/martlet/boot-state"),
                         ("/dev/disk/by-partuuid/67770001-02", str(self.slots["A"])),
                         ("/dev/disk/by-partuuid/67770001-03", str(self.slots["B"]))):
            check(old in text, f"{old} is not in system.conf any more")
            text = text.replace(old, new)
        (self.folder / "rauc").mkdir()
        (self.folder / "system.conf").write_text(text)
        bus = self.folder / "bus.conf"
        bus.write_text(BUS.format(path=self.folder / "bus"))
        self.environment = {
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/bus", "BOOT_STATE_DISK": str(self.card),
            "BOOT_STATE_RUNNING": "A"}
        bench.start(f"{name}-bus", [program("dbus-daemon"), "--nofork", f"--config-file={bus}"])
        wait_for(f"the bus of {name}", (self.folder / "bus").exists, 10)
        self.rauc = bench.start(f"{name}-rauc", [
            program("rauc"), "service", f"--conf={self.folder}/system.conf", f"--mount={self.folder}/mount",
            "--override-boot-slot=A"], self.environment)
        wait_for(f"RAUC of {name} is ready", lambda: "rootfs" in self._status(), 20)

    def _status(self):
        return subprocess.run([program("rauc"), "status", "--output-format=json"],
                              env={**os.environ, **self.environment}, capture_output=True, text=True).stdout

    def boot_state(self):
        answer = subprocess.run([OVERLAY / "usr/lib/martlet/boot-state", "show"],
                                env={**os.environ, **self.environment}, capture_output=True, text=True)
        check(answer.returncode == 0, f"boot-state: {answer.stderr}")
        return dict(line.split("=", 1) for line in answer.stdout.splitlines())

    def digest(self, letter):
        return hashlib.sha256(self.slots[letter].read_bytes()).hexdigest()

    def update_by(self, updater, port, token):
        configuration = self.folder / "updater.conf"
        configuration.write_text(
            f"[client]\nhawkbit_server = 127.0.0.1:{port}\nssl = false\ntenant_id = DEFAULT\ntarget_name = {self.name}\n"
            f"auth_token = {token}\nmac_address = 02:00:00:00:00:01\n"
            f"bundle_download_location = {self.folder}/update.raucb\nretry_wait = 2\nlog_level = info\n"
            f"\n[device]\nproduct = {COMPATIBLE}\n")
        return self.bench.start(f"{self.name}-updater", [updater, "-c", configuration], self.environment)


class Server:
    def __init__(self, bench, name, tokens, path, version):
        targets = bench.short / f"{name}.targets"
        targets.write_text("".join(f"{target} {token}\n" for target, token in tokens.items()))
        self.port = free_ports()
        self.process = bench.start(name, [
            sys.executable, HERE / "ddi_server.py", "--bundle", path, "--release", version, "--targets", targets,
            "--listen", f"127.0.0.1:{self.port}", "--sleep", "00:00:01"])
        self.process.expect('"listening"', 10)

    def events(self, target=None, kind=None):
        lines = self.process.output.read_text().splitlines()
        events = [json.loads(line) for line in lines if line.endswith("}")]
        return [event for event in events if target in (None, event.get("target")) and kind in (None, event["event"])]

    def closed(self, target):
        return next((event["result"] for event in self.events(target, "feedback") if event["execution"] == "closed"), None)


def see(bench, updater):
    ours, others = keys(bench.short / "ours"), keys(bench.short / "others")
    octets = os.urandom(SLOT)
    good, bad = bundle(bench.short, ours, NEW, octets), bundle(bench.short, others, NEW, octets)
    names = ["gw-1", "gw-2", "gw-3"]
    tokens = {name: hashlib.sha256(name.encode()).hexdigest()[:32] for name in names}
    gateways = {name: Gateway(bench, name, ours / "update.crt") for name in names}
    before = {name: gateway.digest("A") for name, gateway in gateways.items()}
    untouched = gateways["gw-1"].digest("B")

    # A bundle that somebody else has signed: it fails at the first gateway, and nobody else begins.
    server = Server(bench, "server-bad", tokens, bad, NEW)
    running = [gateways[name].update_by(updater, server.port, tokens[name]) for name in names]
    wait_for("the server knows of a failure", lambda: any(server.closed(name) for name in names), 60)
    wait_for("everybody polls after that", lambda: all(len(server.events(name, "poll")) > 5 for name in names), 60)
    assigned = server.events(kind="assigned")
    check(len(assigned) == 1, f"after a failure others began: {assigned}")
    first = assigned[0]["target"]
    check(server.closed(first) == "failure", f"a foreign bundle is told as {server.closed(first)}")
    for name, gateway in gateways.items():
        check(gateway.digest("A") == before[name] and gateway.digest("B") == untouched, f"a slot of {name} has changed")
        check(gateway.boot_state().get("BOOT_TRIAL", "") == "" and gateway.boot_state()["BOOT_ORDER"].startswith("A"),
              f"{name} would start another slot: {gateway.boot_state()}")
    for process in running:
        process.discard()
    server.process.end()

    # Ours: one after the other. A gateway with a wrong token gets nothing.
    server = Server(bench, "server", tokens, good, NEW)
    for name in names[:2]:
        gateways[name].update_by(updater, server.port, tokens[name])
    gateways["gw-3"].update_by(updater, server.port, "0" * 32)
    for name in names[:2]:
        wait_for(f"{name} is updated", lambda: server.closed(name), 120)
        check(server.closed(name) == "success", f"{name}: {server.events(name, 'feedback')[-3:]}")
        gateway = gateways[name]
        check(gateway.digest("B") == hashlib.sha256(octets).hexdigest(), f"slot B of {name} is not what the bundle has")
        check(gateway.digest("A") == before[name], f"the slot that runs has changed in {name}")
        state = gateway.boot_state()
        check(state["BOOT_TRIAL"] == "B" and state["BOOT_ORDER"].startswith("B") and state["BOOT_B_LEFT"] == "3",
              f"{name} does not try slot B next: {state}")
        check(server.events(name, "attributes"), f"{name} did not say what it is")
    order = [(event["event"], event["target"]) for event in server.events()
             if event["event"] == "assigned" or (event["event"] == "feedback" and event["execution"] == "closed")]
    check([kind for kind, _ in order] == ["assigned", "feedback"] * 2, f"not one after the other: {order}")
    wait_for("gw-3 is refused", lambda: server.events("gw-3", "refused"), 30)
    check(not server.events("gw-3", "assigned") and gateways["gw-3"].digest("B") == untouched, "gw-3 got something")
    check(server.process.end() == 0, "the server failed")
    return [f"a foreign bundle failed at {first} alone and changed no slot", "two gateways updated one after the other, "
            "slot B as in the bundle, on trial next", "a wrong token got nothing"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updater", type=pathlib.Path, help="a rauc-hawkbit-updater, in place of PyPI's client")
    arguments = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("fleet_update.py: needs root, as RAUC mounts the bundle")
    started = time.monotonic()
    updater = arguments.updater.absolute() if arguments.updater else client()
    # Only the harness's processes: nothing of the product is started.
    bench = Bench("fleet-update", pathlib.Path("martlet").absolute())
    try:
        said = see(bench, updater)
    except Failed as failure:
        print(f"FAIL fleet-update: {failure}\n     logs: {bench.folder}", flush=True)
        return 1
    finally:
        bench.close()
    print(f"PASS fleet-update by {updater.name} ({time.monotonic() - started:.0f} s): {'; '.join(said)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
