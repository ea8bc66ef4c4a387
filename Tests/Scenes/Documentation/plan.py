# SPDX-License-Identifier: Apache-2.0
"""What becomes of each command line of a page: run as it stands, with a stand-in, or not run here and why.

A command that no row is for is run, if its program is among PROGRAMS; else the test fails.
"""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Row:
    page: str
    """A page, or a part of its path; "" for all."""
    command: str
    """A regular expression that the whole first line matches."""
    how: str = "run"
    """run, stand-in, or not"""
    what: str = ""
    """Of a stand-in what stands in, of what is not run why."""
    suffix: str = ""
    """Put behind the command."""
    typed: str = ""
    """What somebody types at it."""
    login: bool = False
    """Whoever runs it logs in anew afterwards."""
    before: str = ""
    """Done first: what the package would have systemd do."""
    endless: str = ""
    """Ended when this expression is found in what it says."""


# What runs as a user has it.
PROGRAMS = {"martlet", "mosquitto", "mosquitto_sub", "openssl", "curl", "cat", "export", "kill", "sleep", "rm", "install", "adduser", "apt", "find", "df",
            "mkdir"}

VIRTUAL_RADIO = "the virtual radio for hci0"
SYSTEMD = "a systemctl that starts what the unit starts, on the virtual radio"
TYPIST = "somebody who types the page's next block"
MACHINE = "needs a second machine; the commands after it are run"

ROWS = [
    Row("", r"make (demo|test)", "not", "compiles the program: `make bare-test` runs it"),
    Row("", r"make demo SECONDS=20", "stand-in", "the program that was built before"),
    Row("", r"sudo martlet scan.*", "stand-in", VIRTUAL_RADIO, suffix=" --controller tcp:127.0.0.1:7400 --seconds 4"),
    Row("", r"(sudo )?systemctl .*", "stand-in", SYSTEMD),
    Row("", r"(sudo )?journalctl .*", "stand-in", "the log of the gateway that the stand-in of systemctl has started"),
    Row("", r"sudo nano .*", "stand-in", TYPIST),
    Row("", r"sudo adduser \$USER martlet", login=True),
    Row("", r"sudo install -m 600 (-o martlet )?/dev/stdin .*", typed="page password\n"),
    Row("", r"sudo apt (remove|purge) martlet", typed="y\n", before="sudo systemctl stop martlet"),
    Row("home-assistant", r"sudo install -m 600 /dev/stdin .*", typed="secret\n"),
    Row("home-assistant", r"mosquitto_sub .*", endless=r"greenhouse", suffix=" -W 60"),
    Row("", r"mosquitto_sub .* 'martlet/#'", endless=r"/state \{"),
    Row("", r"(scp|ssh) .*", "not", MACHINE),
    Row("README.md", r"sudo martlet run --config /etc/martlet/martlet.toml", "stand-in", VIRTUAL_RADIO,
        suffix=" --controller tcp:127.0.0.1:7400", endless=r"broker"),
    Row("README.md", r"martlet (pair|bonds|unpair).*", "not", "`make test` has pairing with a passkey, and needs a sensor that asks for one"),
    Row("docs/doctor.md", r"sudo (rfkill|modprobe|hciconfig|dmesg|timedatectl) .*", "stand-in",
        "a program of that name that takes what the real one takes"),
    Row("docs/doctor.md", r"sudo (apt install|setcap|mount|fuser|usermod|chgrp) .*", "not", "changes the machine: `make test-advice` runs it"),
    Row("docs/containers.md", r".*", "not", "`make oci-test` runs it, by Podman"),
    Row("docs/testing.md", r".*", "not", "is a test itself"),
    Row("docs/backup.md", r".*", "not", "needs a second machine: `make check` has the two boards"),
    Row("docs/mqtt-guard.md", r"make unit .*", "not", "is a test itself: `make check`"),
    Row("docs/provisioning.md", r"python3 -m http.server .*", "not", "`make test` serves the page itself, to a browser"),
    Row("docs/provisioning.md", r"martlet configure.*", "not", "needs a gateway that nobody has set up: `make demo-provision` shows one, `make test` has them"),
]

# What a page finds when it begins: sensors in the air; with `package` it is installed, too, with `gateway` one runs; `alone` is
# without sensors, as the page brings its own.
BEGINS = {
    "docs/guides/five-minutes.md": "alone",
    "docs/guides/home-assistant.md": "package",
    "docs/guides/telegraf-and-grafana.md": "gateway",
    "docs/guides/cloud-broker.md": "package",
    "docs/guides/troubleshooting.md": "gateway",
    "docs/page.md": "gateway",
    "docs/doctor.md": "package",
    "README.md": "package",
}

def row(page, command):
    """The last row that is for this command, or None if nothing is known of it."""
    found = [row for row in ROWS if row.page in page and re.fullmatch(row.command, command, re.S)]
    if found:
        return found[-1]
    words = [word for word in command.split() if "=" not in word.split("/")[0]]
    program = next((word for word in words if word != "sudo"), "export")
    return Row(page, re.escape(command)) if program in PROGRAMS else None
