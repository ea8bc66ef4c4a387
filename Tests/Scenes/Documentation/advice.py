#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""advice.py BINARY [package|image|container]... - run each command that the program's advice can name, in each installation.
Root.

The program lists the commands (`martlet advice`), so a new command needs no line here. The program runs the verbs of martlet, on
the virtual radio. The stand-ins of `make test-docs` and of advice_stand_ins run the commands of the system. SITUATIONS has the
state of the gateway before an advice.
"""
import dataclasses
import json
import os
import pathlib
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from place import Place, Shell, run

INSTALLATIONS = ("package", "image", "container")
ROOT = pathlib.Path(__file__).resolve().parents[3]
RADIO = "--controller tcp:127.0.0.1:7400"
CONFIGURATION = """[mqtt]
host = "broker.local"

[provisioning]
enabled = true

[[sensor]]
id = "kitchen"
address = "C4:7C:8D:00:11:04"
subscribe = ["environmental_sensing/temperature", "environmental_sensing/humidity"]

[[sensor]]
id = "attic"
name = "Living room 2"
subscribe = ["environmental_sensing/temperature"]
"""
# Neither board/packages.list nor Debian's essential packages bring these programs.
NOT_ON_IMAGE = ("sudo", "rfkill", "hciconfig", "bluetoothctl", "docker", "apt", "setcap", "fuser", "setfacl")
IMAGE_ALONE = ("rauc",)


@dataclasses.dataclass(frozen=True)
class Situation:
    """The state before an advice."""
    before: tuple = ()
    """Commands of a person."""
    suffix: str = ""
    """Behind the command: a stand-in for hardware."""
    typed: str = ""
    """The input of the command, at a terminal."""
    endless: str = ""
    """The end of a command without an end."""
    refusal: str = ""
    """A good answer of a command that fails here."""


# By name; all other commands run beside a working gateway.
SITUATIONS = {
    "martlet accept": Situation(("@heard C4:7C:8D:00:11:02",)),
    "martlet scan": Situation(("@systemctl stop martlet",), f" {RADIO} --seconds 3"),
    # The clock of this machine is right, and a simulated sensor pairs with nobody.
    "martlet clock set --now": Situation(refusal="counts as right already"),
    "martlet pair": Situation(refusal="pairing not supported", typed="\n"),
    "martlet unpair": Situation(refusal="no keys|not paired|no bond", typed="y\n"),
    # There is no adapter in the kernel, and doctor says so.
    "martlet doctor": Situation(refusal="✗ *adapter"),
    "martlet provision open": Situation(endless="Passkey"),
    "martlet identity --same-gateway": Situation(("@copied",)),
    "martlet key": Situation(("@heard @ENCRYPTED", "martlet accept @ENCRYPTED --id cellar"), typed="@KEY\n"),
    "martlet maintenance": Situation(("martlet maintenance kitchen --for 2h",)),
    "machine start": Situation(("@systemctl stop martlet",)),
    "machine enable": Situation(("@systemctl stop martlet",)),
}


class Installed(Place):
    """A machine with the gateway, installed in one of the ways."""

    def __init__(self, binary, kind, work):
        super().__init__(binary, None, work, ("stand_ins", "advice_stand_ins"))
        self.kind = kind
        self._install()
        self._marks()
        self._begin("/usr/lib/built/martlet", "virtual-radio", "--listen", "tcp:7400", "--sensors", "8", "--advertiser", "bthome")
        self._listens(7400)
        log = pathlib.Path("/run/page/log")
        for _ in range(50):
            lines = [line.split() for line in log.read_text().splitlines() if line.startswith("advertiser ") and " key " in line]
            if lines:
                break
            time.sleep(0.1)
        self.values = {"@ENCRYPTED": lines[0][1], "@KEY": lines[0][-1]}
        run("/usr/local/bin/systemctl", "start", "martlet")

    def _install(self):
        shutil.copy("/usr/lib/built/martlet", "/usr/bin/martlet")
        try:
            pwd.getpwnam("martlet")
        except KeyError:
            run("useradd", "--system", "--user-group", "--home-dir", "/var/lib/martlet", "martlet")
        run("usermod", "-aG", "martlet", "somebody")
        os.makedirs("/etc/martlet/conf.d", exist_ok=True)
        pathlib.Path("/etc/martlet/martlet.toml").write_text(CONFIGURATION)

    def _marks(self):
        """The marks of the installation, for the program."""
        for mark in ("/.dockerenv", "/etc/rauc/system.conf", "/usr/lib/systemd/system/martlet.service"):
            pathlib.Path(mark).unlink(missing_ok=True)
        if self.kind == "container":
            pathlib.Path("/.dockerenv").touch()
            return
        os.makedirs("/usr/lib/systemd/system", exist_ok=True)
        pathlib.Path("/usr/lib/systemd/system/martlet.service").touch()
        for name in IMAGE_ALONE:
            if self.kind == "image":
                shutil.copy(f"/usr/local/bin/{name}", f"/usr/bin/{name}")
            os.unlink(f"/usr/local/bin/{name}")
        if self.kind == "image":
            os.makedirs("/etc/rauc", exist_ok=True)
            pathlib.Path("/etc/rauc/system.conf").write_text("[system]\ncompatible=martlet-test\n")
            with open("/etc/os-release", "a", encoding="utf-8") as file:
                file.write('IMAGE_VERSION="1.0.0"\n')
            os.makedirs("/sys/class/rfkill/rfkill0")
            pathlib.Path("/sys/class/rfkill/rfkill0/soft").write_text("1\n")
            for folder in ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin"):
                for name in NOT_ON_IMAGE:
                    pathlib.Path(folder, name).unlink(missing_ok=True)

    def asked(self):
        """The commands of this installation, by the program."""
        return json.loads(run("/usr/bin/martlet", "advice"))

    @staticmethod
    def is_running():
        """An ended process stays as a zombie, because its parent waits for none."""
        try:
            number = int(pathlib.Path("/run/stand-in/martlet").read_text())
            return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except (OSError, ValueError):
            return False

    @staticmethod
    def heard(address):
        """Waits until the gateway has heard the sensor."""
        for _ in range(600):
            answer = subprocess.run(["/usr/bin/martlet", "devices", "--json"], capture_output=True, text=True)
            if address in answer.stdout:
                return
            time.sleep(0.1)
        sys.exit(f"the gateway does not hear {address}: {answer.stdout}{answer.stderr}")

    def copied(self):
        """The state of a copied gateway."""
        with open("/var/lib/martlet/gateway-id", "a", encoding="utf-8") as file:
            file.write("copied-from gw-0c0ffe\n")

    def filled(self, text):
        for name, value in self.values.items():
            text = text.replace(name, value)
        return text


class Login(Shell):
    """On the image a person is root."""

    def __init__(self, user):
        self.user = user
        super().__init__()

    def login(self):
        self.process = subprocess.Popen(["runuser", "-l", self.user, "-c", "exec bash --noprofile"], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.say("export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin USER=$(id -un)")


def inside(binary, kind, work):
    """In namespaces of this installation alone."""
    place = Installed(binary, kind, work)
    shell = Login("root" if kind == "image" else "somebody")
    failures = count = 0
    for row in place.asked():
        if not row["is_command"]:
            continue
        situation = SITUATIONS.get(row["name"], Situation())
        if kind == "container" and row["name"] == "martlet scan":
            # The gateway's own list: no second program gets the adapter.
            situation = Situation()
        verb = "docker exec martlet martlet" if kind == "container" else "martlet"
        for step in situation.before:
            if step == "@copied":
                place.copied()
            elif step.startswith("@heard"):
                place.heard(place.filled(step.removeprefix("@heard ")))
            elif step.startswith("@systemctl"):
                run("/usr/local/bin/systemctl", *step.split()[1:])
            else:
                shell.run(place.filled(step.replace("martlet", verb, 1)))
        line = row["line"] + situation.suffix
        if situation.typed:
            line = f"script -qec {shlex.quote(line)} /dev/null"
        began = time.monotonic()
        status, said = shell.run(line, place.filled(situation.typed), 20,
                                 re.compile(situation.endless) if situation.endless else None)
        seconds = time.monotonic() - began
        if seconds > 2:
            print(f"{kind}: {line}: {seconds:.1f} s", flush=True)
        count += 1
        if status and not (situation.refusal and re.search(situation.refusal, said)):
            failures += 1
            print(f"FAIL {kind}: {line}\nended with {status}:\n{said[-1500:]}", flush=True)
        # The next command needs a running gateway.
        if not place.is_running():
            run("/usr/local/bin/systemctl", "start", "martlet")
    print(f"{kind}: {count} commands, {failures} failures", flush=True)
    return 1 if failures or not count else 0


def main():
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    if arguments[0] == "--inside":
        sys.exit(inside(*arguments[1:]))
    if os.getuid():
        sys.exit("advice.py: this needs root, for namespaces: sudo make test-advice")
    binary = str(pathlib.Path(arguments[0]).resolve())
    with tempfile.TemporaryDirectory() as work:
        running = {}
        for kind in arguments[1:] or INSTALLATIONS:
            os.mkdir(f"{work}/{kind}")
            running[kind] = subprocess.Popen(["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--propagation", "private",
                                              sys.executable, __file__, "--inside", binary, kind, f"{work}/{kind}"])
        failed = [kind for kind, process in running.items() if process.wait()]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


main()
