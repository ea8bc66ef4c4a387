#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py [--board rpi] [--cuts 10] [--seed N] [PHASE...] - the flashable image, booted in QEMU and used as it is used:

    first-start   a seeded card, to the first reading at the broker; what the image lets in, keeps, and says of itself
    power-cuts    the power goes at random moments; after each the books balance and nothing that was delivered is missing
    update        a signed update over the network, a trial, both slots good; the power goes while it is written;
                  one with a foreign signature is refused
    rollback      an update that does not start, one that ends in emergency mode, one that starts and does not collect, and
                  one without a gateway: all go back by themselves; of these, those that BROKEN= names
    unprovisioned a card without settings: a phone sets it up through the board's controller; the power goes while it applies
                  others, as often as CUTS says; on a card of its own, only when asked for
    hour          twenty sensors for MINUTES, and what the gateway takes then: docs/footprint.json; only when asked for

Without phases all of the others, one after the other on the same card. The air is RootCanal's, the sensor Bumble's, the broker a
mosquitto on this machine; the controller hangs on the emulated board's second UART (controller.dtso, broadcom.py).
"""
import argparse
import json
import os
import pathlib
import random
import sys
import threading
import time

import hour
import ranges
import unprovisioned
from machine import BUILT, HOST, ROOT, Machine, tools
from harness import PYTHON, Bench, Failed, Sensor, check, free_ports, wait_for

PHASES = ("first-start", "power-cuts", "update", "rollback")
ON_DEMAND = ("hour", "unprovisioned")
RATE = 2  # values a second


def say(text):
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


class Run:
    def __init__(self, options):
        self.options = options
        self.bench = Bench("image", pathlib.Path("/nonexistent/martlet"))
        self.random = random.Random(options.seed)
        chip = free_ports()
        version = BUILT / options.board / "version"
        check(version.exists(), "no image: run make image")
        self.version = version.read_text().strip()
        # Before anything runs that would have to be ended.
        self.machine = Machine(self.bench, BUILT / "images" / f"martlet-{options.board}-{self.version}.img", chip)
        self.broker = self.bench.broker()
        self.consumer = self.bench.consumer(self.broker)
        radio = self.radio = self.bench.radio()
        self.chip = self.bench.start("chip", [PYTHON, ROOT / "Tests/System/Image/broadcom.py", chip, radio])
        self.chip.expect("chip: ready", 20)
        self.sensor = Sensor(self.bench, radio, 1, "counter", RATE)
        self.starts = 0
        self.first_reading = 0.0  # seconds after power-on
        self.web = None
        self.benches = []

    # What a person puts on the card.

    def settings(self):
        key = self.machine.key.with_suffix(".pub").read_text().strip()
        return (
            f'[device]\nhostname = "attic"\nwifi_name = "nowhere"\nwifi_password = "not a secret"\n'
            f'wifi_country = "DE"\nssh_key = "{key}"\n\n'
            f'[gateway]\nid = "gw-image"\n\n[mqtt]\nhost = "{HOST}"\nport = {self.broker.port}\n'
            f'username = "u"\npassword = "brokersecret"\n\n'
            # No time service is reachable in the test; QEMU's clock is this machine's.
            f"[clock]\nrequire_sync = false\n\n"
            f'[[sensor]]\nid = "meter"\nname = "{self.sensor.name}"\n'
            f'subscribe = ["5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10/5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"]\n')

    # What everything below asks.

    def start(self):
        self.starts = len(self.machine.slots()) + 1
        self.machine.switch_on()

    def status(self):
        return json.loads(self.machine.ssh("martlet status --json"))

    def readings(self):
        return self.consumer.readings()

    def wait_readings(self, since, timeout=900):
        """Waits until the consumer has readings that were not there when `since` of them were."""
        wait_for("a reading at the broker", lambda: len(self.readings()) > since, timeout)

    def wait_collecting(self, timeout=900):
        self.wait_readings(len(self.readings()), timeout)
        self.machine.wait_reachable(timeout)

    def check_books(self):
        """The journal adds up and is whole, and every row number up to now has arrived or waits."""
        status = self.status()
        books = status["journal"]
        dropped = sum(books["dropped"].values())
        waiting = books.get("waiting", 0)
        check(books["received"] == books["delivered"] + books["buffered"] + waiting + dropped,
              f"the books do not balance: {books}")
        check(dropped == 0, f"readings were dropped: {books['dropped']}")
        self.machine.ssh("runuser -u martlet -- martlet audit")
        delivered = {item["n"] for item in self.readings()}
        check(len(delivered) == max(delivered), f"holes among the rows delivered: {len(delivered)} of {max(delivered)}")
        return books

    def check_healthy(self):
        failed = self.machine.ssh("systemctl --failed --no-legend --plain").strip()
        check(failed == "", f"failed units: {failed}")
        # What the units' programs say, whatever they are called, and what systemd says of the units.
        errors = self.machine.ssh("journalctl -b -p err --no-pager -q -o cat -u 'martlet*'").strip()
        check(errors == "", f"errors of ours in the log: {errors}")

    # Phases.

    def first_start(self):
        self.machine.put_on_card("martlet.toml", self.settings())
        self.start()
        self.wait_readings(0, 900)
        self.first_reading = self.machine.since_power_on()
        say(f"first reading at the broker {self.first_reading:.1f} s after power-on")
        self.machine.wait_reachable()
        ready = self.machine.ssh("systemctl show -P ActiveEnterTimestampMonotonic martlet.service").strip()
        firmware = [json.loads(line) for line in self.chip.text().splitlines() if line.startswith("{")]
        check(firmware and firmware[-1]["octets"] > 10000, f"the chip got no firmware: {firmware}")
        kernel = self.kernel_start()
        say(f"service READY {kernel + int(ready) / 1e6:.1f} s after power-on, {int(ready) / 1e6:.1f} s after the kernel "
            f"began; {firmware[-1]['octets']} octets of firmware uploaded")
        wait_for("the slot is found good", lambda: "is good" in self.machine.ssh(
            "journalctl -b -u martlet-slot-good -o cat --no-pager -q"), 120)
        self.check_healthy()
        self.check_seed()
        self.check_closed()
        self.check_storage()
        self.check_books()
        # What a monitor would show; picture.py makes docs/images/screen.svg of it.
        (self.bench.folder / "screen.txt").write_text(self.machine.ssh("timeout 20 /usr/lib/martlet/screen", status=124))
        say(f"memory: {self.machine.ssh('systemctl show -P MemoryCurrent martlet.service').strip()} octets of the "
            f"service's cgroup; {self.resident()} kB resident")

    def kernel_start(self):
        """Seconds from power-on to the kernel's first instruction, by the guest's uptime now."""
        uptime = float(self.machine.ssh("cut -d ' ' -f 1 /proc/uptime"))
        return self.machine.since_power_on() - uptime

    def resident(self):
        return self.machine.ssh("awk '/^VmRSS/ { print $2 }' /proc/$(systemctl show -P MainPID martlet.service)/status").strip()

    def check_seed(self):
        files = self.machine.card_files()
        check("martlet-imported.toml" in files and "martlet.toml" not in files, f"on the card: {files}")
        text = self.machine.read_card("martlet-imported.toml")
        for secret in ("brokersecret", "not a secret"):
            check(secret not in text, f"a secret is still on the card: {text}")
        raw = self.machine.card.open("rb")
        with raw:
            raw.seek(12 * 1024 * 1024)
            boot = raw.read(64 * 1024 * 1024)
        check(b"brokersecret" not in boot and b"not a secret" not in boot, "a secret is left in the card's free space")
        check(self.machine.ssh("hostname").strip() == "attic", "the name was not taken")
        mode = self.machine.ssh("stat -c '%a %U' /data/network/seed.nmconnection").strip()
        check(mode == "600 root", f"the WLAN's password can be read: {mode}")

    def check_closed(self):
        accounts = self.machine.ssh("cut -d : -f 2 /etc/shadow | sort -u").split()
        check(all(entry in ("*", "!", "!*", "!!") for entry in accounts), f"an account has a password: {accounts}")
        listening = self.machine.ssh("ss -Hltun | awk '{ print $1, $5 }'").split("\n")
        open_ports = {line for line in listening if line and "127.0.0." not in line and "%lo:" not in line}
        ports = {line.rsplit(":", 1)[-1] for line in open_ports}
        check(ports <= {"22", "5353", "68", "546"}, f"ports that are not known: {sorted(open_ports)}")
        check("policy drop" in self.machine.ssh("nft list chain inet filter input"), "the packet filter is off")
        check(self.machine.ssh("swapon --show --noheadings").strip() == "", "there is swap")

    def check_storage(self):
        options = self.machine.ssh("findmnt -n -o OPTIONS /").strip().split(",")
        check("ro" in options, f"the root is writable: {options}")
        size = int(self.machine.ssh("df --output=size -B 1M /data | tail -n 1"))
        check(size > 800, f"the data partition has not grown: {size} MiB of a card of 2 GiB")
        check(self.machine.ssh("findmnt -n -o FSTYPE /var").strip() == "tmpfs", "/var is on the card")
        logs = self.machine.ssh("find /data -name '*.journal' -o -name '*.log'").strip()
        check(logs == "", f"a log is kept on the card: {logs}")
        self.identity = self.machine.ssh("cat /etc/machine-id /data/ssh/ssh_host_ed25519_key.pub")
        check(len(self.identity.split()[0]) == 32, f"no machine-id: {self.identity}")

    def power_cuts(self):
        for cut in range(1, self.options.cuts + 1):
            # By turns while it starts, from the boot loader on, and while it collects.
            if cut % 2:
                self.machine.cut_power()
                self.start()
                moment = self.random.uniform(2, self.first_reading)
            else:
                moment = self.machine.since_power_on() + self.random.uniform(0, 20)
            while self.machine.since_power_on() < moment:
                check(self.machine.alive(), "QEMU ended")
                time.sleep(0.2)
            running = self.machine.since_power_on()
            self.machine.cut_power()
            self.start()
            self.wait_collecting()
            books = self.check_books()
            self.check_healthy()
            say(f"power cut {cut}, {running:.0f} s after power-on: the books balance, {books['received']} received, "
                f"{books['delivered']} delivered, {books['buffered']} buffered")
        check(self.machine.ssh("cat /etc/machine-id /data/ssh/ssh_host_ed25519_key.pub") == self.identity,
              "the unit is another one after the power cuts")

    def serve(self, folder):
        """The bundles, over HTTP: at http://10.0.2.2:PORT/ for the guest."""
        port = free_ports()
        self.web = ranges.server(folder, port)
        threading.Thread(target=self.web.serve_forever, daemon=True).start()
        return f"http://{HOST}:{port}"

    def bundle(self, name, version, change=None, keys=None):
        """A bundle of the image's own root file system, after the debugfs commands of `change`."""
        folder = BUILT / "bundles"
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.raucb"
        path.unlink(missing_ok=True)
        rootfs = "rootfs.ext4"
        if change:
            rootfs = f"{name}.ext4"
            commands = "\n".join(change)
            (BUILT / "changes").write_text(commands + "\n")
            tools(f"cd /build/{self.options.board}; cp --sparse=always rootfs.ext4 {rootfs}; "
                  f"debugfs -w -f /build/changes {rootfs} >/dev/null 2>&1")
        environment = {"BUNDLE_VERSION": version, "BUNDLE": str(path),
                       "ROOTFS": str(BUILT / self.options.board / rootfs), **({"MARTLET_KEYS": keys} if keys else {})}
        maker = self.bench.start(f"bundle-{name}", [ROOT / "board/bundle.sh", self.options.board], environment)
        check(maker.process.wait() == 0, f"no bundle {name}: {maker.text()[-500:]}")
        if change:
            (BUILT / self.options.board / rootfs).unlink()
        return path

    def install_file(self, bundle):
        """From a file on the gateway."""
        with open(bundle, "rb") as file:
            self.machine.ssh("mkdir -p /data/update && cat >/data/update/new.raucb", timeout=900, stdin=file)
        said = self.machine.ssh("martlet update /data/update/new.raucb 2>&1", timeout=900)
        self.machine.ssh("rm /data/update/new.raucb")
        return said

    def install(self, bundle, status=0):
        return self.machine.ssh(f"martlet update {self.url}/{bundle.name} 2>&1", timeout=900, status=status)

    def on(self):
        """Switched on and collecting, whatever was before."""
        if not self.machine.alive():
            self.start()
        self.wait_collecting()

    def update(self):
        self.on()
        self.url = self.serve(BUILT / "bundles")
        old = self.machine.ssh("/usr/lib/martlet/boot-state get-current").strip()
        say(f"slot {old} runs; making bundles")
        new = self.bundle("new", self.version + "+1")
        foreign = BUILT / "foreign-keys"
        foreign.mkdir(exist_ok=True)
        tools("cd /build/foreign-keys; openssl req -x509 -newkey rsa:2048 -nodes -keyout update.key -out update.crt "
              "-days 30 -subj /CN=somebody 2>/dev/null")
        refused = self.install(self.bundle("foreign", self.version + "+1", keys=str(foreign)), status=None)
        check("signature" in refused.lower(), f"a foreign signature was not refused: {refused}")
        say("a bundle with a foreign signature is refused")
        older = self.bundle("older", "0.0.1")
        refused = self.install(older, status=None)
        check("0.0.1 is older than" in refused, f"an older version was not refused: {refused}")
        refused = self.machine.ssh(f"rauc install {self.url}/{older.name} 2>&1; echo status $?", timeout=900)
        check("status 0" not in refused and "ersion" in refused, f"RAUC takes an older version: {refused}")
        say("an older version is refused, by RAUC itself, too")
        self.cut_during_update(new, old)

        began = time.monotonic()
        said = self.install_file(new)
        say(f"installed in {time.monotonic() - began:.0f} s: {said.strip().splitlines()[-1]}")
        check(self.machine.ssh("/usr/lib/martlet/boot-state get-primary").strip() != old, "the new slot is not the first")
        self.restart()
        slot = self.machine.wait_slot(self.starts)
        check(slot != old, f"slot {slot} was started after the update")
        self.wait_collecting()
        wait_for("the new slot is found good",
                 lambda: self.machine.ssh("/usr/lib/martlet/boot-state on-trial; echo $?").strip() == "1", 300)
        say(self.machine.ssh("journalctl -b -u martlet-slot-good -o cat --no-pager -q | grep 'is good'").strip())
        check(self.machine.ssh("cat /etc/machine-id /data/ssh/ssh_host_ed25519_key.pub") == self.identity,
              "the unit is another one after the update")
        self.check_books()
        self.check_healthy()

    def cut_during_update(self, bundle, old):
        """The power goes while the other slot is written: the old one starts, and the update can be begun anew."""
        installing = threading.Thread(target=lambda: self.quietly(self.install, bundle), daemon=True)
        installing.start()
        wait_for("the slot is being written", lambda: "%" in self.machine.ssh("rauc status >/dev/null; "
                 "busctl get-property de.pengutronix.rauc / de.pengutronix.rauc.Installer Progress | "
                 "grep -E 'Copying|Updating' | sed 's/$/%/'", status=None), 300)
        time.sleep(self.random.uniform(1, 6))
        self.machine.cut_power()
        installing.join(60)
        self.start()
        check(self.machine.wait_slot(self.starts) == old, "a half-written slot was started")
        self.wait_collecting()
        self.check_books()
        say("the power was cut while a slot was written: the old slot runs")

    @staticmethod
    def quietly(function, *arguments):
        try:
            function(*arguments)
        except Exception:  # the machine goes away under it: that is what it is for
            pass

    def restart(self):
        self.starts = len(self.machine.slots()) + 1
        self.machine.ssh("systemctl reboot", status=None)

    def rollback(self):
        self.on()
        if not self.web:
            self.url = self.serve(BUILT / "bundles")
        good = self.machine.ssh("/usr/lib/martlet/boot-state get-current").strip()
        # A gateway that answers, with its radio on, and knows of no sensor.
        (BUILT / "drop-in").write_text("[Service]\nExecStart=\nExecStart=/usr/bin/martlet run --config /etc/empty.toml\n")
        (BUILT / "empty.toml").write_text(f'[mqtt]\nhost = "{HOST}"\nport = {self.broker.port}\n')
        # The root is read-only: there is no such folder, and none can be made.
        (BUILT / "fstab").write_text("tmpfs /nowhere tmpfs defaults 0 0\n")
        broken = {
            "does-not-start": ["rm /usr/lib/systemd/systemd"],
            "does-not-mount": ["rm /etc/fstab", "write /build/fstab /etc/fstab"],
            "does-not-collect": [
                "mkdir /usr/lib/systemd/system/martlet.service.d",
                "write /build/drop-in /usr/lib/systemd/system/martlet.service.d/empty.conf",
                "write /build/empty.toml /etc/empty.toml"],
            "has-no-gateway": ["rm /usr/bin/martlet"],
        }
        chosen = os.environ.get("BROKEN", " ".join(broken)).split()
        check(set(chosen) <= set(broken), f"BROKEN= takes of these: {' '.join(broken)}")
        for name, change in ((name, broken[name]) for name in chosen):
            self.install(self.bundle(name, self.version + "+2", change))
            self.restart()
            first = self.machine.wait_slot(self.starts)
            check(first != good, f"slot {first} was started after the update")
            began = time.monotonic()
            wait_for("the good slot is started again", lambda: self.machine.slots()[-1] == good, 900)
            tries = len(self.machine.slots()) - self.starts
            self.wait_collecting()
            check(self.machine.ssh("/usr/lib/martlet/boot-state get-primary").strip() == good, "the broken slot is first")
            self.check_books()
            say(self.machine.ssh("cat /data/update/rolled-back", status=None).strip())
            say(f"an update that {name.replace('-', ' ')}: back in slot {good} after {tries} tries and "
                f"{time.monotonic() - began:.0f} s, and collecting")

    def hour(self):
        self.on()
        say(json.dumps(hour.measure(self, self.options.minutes)))

    def another_broker(self):
        # A folder is a broker's own.
        bench = Bench("image-broker", pathlib.Path("/nonexistent/martlet"))
        self.benches.append(bench)
        return bench.broker()

    def unprovisioned(self):
        phone = unprovisioned.set_up(self, say)
        unprovisioned.cut_while_applying(self, phone, self.options.cuts, say)

    def close(self):
        self.machine.cut_power()
        for bench in self.benches:
            bench.close()
        if self.web:
            self.web.shutdown()
        self.bench.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", default="rpi")
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--minutes", type=float, default=60, help="how long the phase hour takes; less than 60 writes nothing")
    parser.add_argument("phases", nargs="*", metavar="PHASE", help=", ".join(PHASES + ON_DEMAND))
    options = parser.parse_args()
    unknown = set(options.phases) - set(PHASES + ON_DEMAND)
    if unknown:
        parser.error(f"no phase {', '.join(unknown)}")
    # Every other phase goes on with the card of the first; a card is unprovisioned only once.
    if options.phases == ["unprovisioned"]:
        phases = options.phases
    elif "unprovisioned" in options.phases:
        parser.error("unprovisioned goes alone")
    else:
        phases = [phase for phase in PHASES if not options.phases or phase in options.phases or phase == "first-start"]
        phases += [phase for phase in ON_DEMAND if phase in options.phases]
    say(f"seed {options.seed}")
    try:
        run = Run(options)
    except Failed as failure:
        sys.exit(f"FAILED  {failure}")
    try:
        for phase in phases:
            say(phase)
            getattr(run, phase.replace("-", "_"))()
    except Failed as failure:
        if run.machine.alive() and run.machine.reachable():
            (run.bench.folder / "journal.txt").write_text(run.machine.ssh("journalctl --no-pager -b -o short-iso-precise"))
        print(f"FAILED  {failure}\nlogs in {run.bench.folder}, console in {run.machine.folder}", file=sys.stderr)
        return 1
    finally:
        run.close()
    say("all of it holds")
    return 0


sys.exit(main())
