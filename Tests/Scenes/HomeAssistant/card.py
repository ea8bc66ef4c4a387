# SPDX-License-Identifier: Apache-2.0
"""A board with a flashed card, as far as programs can tell: the scripts and the files of the image, its folders and its name."""
import json
import os
import shutil
import subprocess

from harness import PYTHON, RIG_SOURCES, ROOT, check, wait_for

SCRIPTS = ROOT / "overlays" / "common" / "usr" / "lib" / "martlet"
MACHINE = "0123456789abcdef0123456789" + "3f2a1c"
WLAN = "My network=its password"

# Everything that the programs write lies below the board's folder; its /etc is that of an image.
IMAGE = r"""
set -e
board=$1; shift
mount -t tmpfs tmpfs "$board/over"
for place in etc var; do
    mkdir -p "$board/over/$place" "$board/over/$place-work"
    mount -t overlay overlay -o "lowerdir=/$place,upperdir=$board/over/$place,workdir=$board/over/$place-work" "/$place"
done
mkdir -p /etc/martlet /etc/rauc /var/lib/martlet
touch /etc/rauc/system.conf
cp -L /etc/os-release "$board/over/os-release"
echo IMAGE_VERSION=1.0 >>"$board/over/os-release"
rm -f /etc/os-release /etc/machine-id
cp "$board/over/os-release" /etc/os-release
cp "$board/machine-id" /etc/machine-id
mount --bind "$board/root/etc/martlet" /etc/martlet
mount --bind "$board/state" /var/lib/martlet
mount -t tmpfs tmpfs /run
mkdir /run/martlet
mount --bind "$board/run" /run/martlet
hostname "$(cat "$board/root/data/etc/hostname")"
PATH=$board/bin:$PATH
exec "$@"
"""


class Board:
    """Its card is the folder `card`, which a person's computer shows as the drive MARTLET."""

    def __init__(self, bench, controller, name):
        self.bench, self.controller, self.name = bench, controller, name
        self.folder = bench.folder / name
        self.card, self.root, self.run = self.folder / "card", self.folder / "root", self.folder / "run"
        for folder in (self.card, self.root / "etc" / "martlet", self.root / "data" / "etc", self.run, self.folder / "state",
                       self.folder / "over", self.folder / "bin"):
            folder.mkdir(parents=True)
        (self.folder / "bin" / "martlet").symlink_to(bench.martlet)
        (self.folder / "machine-id").write_text(MACHINE + "\n")
        # As the initial system makes them at the first start.
        (self.root / "data" / "etc" / "hostname").write_text(f"martlet-{MACHINE[26:]}\n")
        shutil.copy(ROOT / "board" / "deb" / "martlet.toml", self.root / "etc" / "martlet")
        for file in (ROOT / "board" / "common").iterdir():
            shutil.copy(file, self.card)
        shutil.copy(ROOT / "board" / "rpi" / "config.txt", self.card)
        self.gateway = self.helper = None

    def command(self, *words):
        """A command line that runs these words on the board."""
        return ["unshare", "--mount", "--uts", "sh", "-c", IMAGE, "sh", self.folder, *words]

    def do(self, *words, environment=None):
        """What a program of the board says; it has to succeed."""
        answer = subprocess.run([str(word) for word in self.command(*words)], capture_output=True, text=True, timeout=120,
                                env={**os.environ, **(environment or {})})
        check(answer.returncode == 0, f"{' '.join(map(str, words))} ends with {answer.returncode}: {answer.stdout}{answer.stderr}")
        return answer.stdout

    def script(self, name):
        return self.do("sh", SCRIPTS / name, environment={"SEED_CARD": str(self.card), "SEED_ROOT": str(self.root)})

    def power(self):
        """The power is connected: the services of the image begin, in their order."""
        self.script("import-seed")
        self.helper = self.bench.start(f"{self.name}-network", [
            PYTHON, RIG_SOURCES / "network_helper.py", "--socket", self.run / "network.sock", "--state", self.folder / "network.json",
            "--network", WLAN])
        self.helper.expect("listening", 15)
        self.gateway = self.bench.start(f"{self.name}-gateway", self.command("martlet", "run", "--controller", self.controller))
        wait_for("the gateway answers", self.status, 60)
        self.script("write-label")

    def cut_power(self):
        self.gateway.process.kill()
        self.gateway.process.wait()
        self.helper.discard()
        (self.run / "network.sock").unlink(missing_ok=True)

    def status(self):
        check(self.gateway.alive(), f"the gateway ended: {self.gateway.text()[-1000:]}")
        answer = subprocess.run([str(word) for word in self.command("martlet", "status", "--json")], capture_output=True, text=True)
        return json.loads(answer.stdout) if answer.returncode == 0 else None
