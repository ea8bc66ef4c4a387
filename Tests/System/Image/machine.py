# SPDX-License-Identifier: Apache-2.0
"""The image in QEMU, as a board that one can switch on, unplug and look into by SSH."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests" / "Rig"))
from harness import Failed, check, free_ports, wait_for  # noqa: E402

BUILT = ROOT / ".build" / "board"
FAT = 12 * 1024 * 1024  # where the card's FAT partition begins: board/rpi/genimage.cfg
HOST = "10.0.2.2"  # this machine, as the guest sees it


def tools(command, **options):
    """Runs a command in the chroot of the image's tools; /build is .build/board there."""
    answer = subprocess.run([ROOT / "board" / "in-tools.sh", command], capture_output=True, text=True, **options)
    check(answer.returncode == 0, f"{command}: {answer.stdout[-1000:]}{answer.stderr[-1000:]}")
    return answer.stdout


class Machine:
    """One card, and QEMU's virt around it; `controller` is the port of the chip at its second UART."""

    def __init__(self, bench, image, controller, memory=512):
        self.bench, self.controller, self.memory = bench, controller, memory
        self.folder = BUILT / "machine"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.card = self.folder / "card.img"
        subprocess.run(["cp", "--sparse=always", image, self.card], check=True)
        os.truncate(self.card, 2 << 30)
        self.ssh_port = free_ports()
        self.key = bench.folder / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key], check=True)
        self.console = self.folder / "console"
        self.console.touch()
        self.process = None
        self.switched_on = 0.0
        self._make_device_tree()

    def _make_device_tree(self):
        overlay = (ROOT / "Tests" / "System" / "Image" / "controller.dtso").relative_to(ROOT)
        tools(f"cd /build/machine; qemu-system-aarch64 {self._hardware()} -serial null -serial null -M dumpdtb=virt.dtb "
              f">/dev/null 2>&1; dtc -q -I dts -O dtb -@ -o controller.dtbo /source/{overlay}; "
              "fdtoverlay -i virt.dtb -o card.dtb controller.dtbo")

    def _hardware(self):
        # One processor: two of an emulator that share a busy one spend their time waiting for each other.
        # The firmware, too: with it QEMU has other devices, and another device tree.
        return (f"-M virt -cpu cortex-a53 -smp 1 -m {self.memory} -display none -no-user-config -nodefaults "
                "-bios /usr/lib/u-boot/qemu_arm64/u-boot.bin")

    def put_on_card(self, name, text):
        (self.folder / "file").write_text(text)
        tools(f"mcopy -o -i /build/machine/card.img@@{FAT} /build/machine/file ::{name}")

    def card_files(self):
        listing = tools(f"mdir -b -i /build/machine/card.img@@{FAT} ::")
        return [line.removeprefix("::/") for line in listing.splitlines()]

    def read_card(self, name):
        return tools(f"mtype -i /build/machine/card.img@@{FAT} ::{name}")

    def switch_on(self):
        check(not self.alive(), "the machine is on already")
        self.switched_on = time.monotonic()
        network = f"user,id=n0,hostfwd=tcp:127.0.0.1:{self.ssh_port}-:22"
        command = (
            f"exec qemu-system-aarch64 {self._hardware()} -dtb /build/machine/card.dtb "
            f"-drive if=none,id=card,format=raw,file=/build/machine/card.img "
            f"-device virtio-blk-pci,drive=card -netdev {network} -device virtio-net-pci,netdev=n0,romfile= "
            # No watchdog: its 14 s are a board's, not those of an emulator on a busy machine.
            "-chardev file,id=console,append=on,path=/build/machine/console "
            f"-serial chardev:console -chardev socket,id=chip,host=127.0.0.1,port={self.controller},nodelay=on "
            # A monitor: what it shows is read from the guest's console.
            "-serial chardev:chip -device virtio-rng-pci -device virtio-gpu-pci,romfile=")
        with open(self.bench.folder / "qemu.err", "ab") as errors:
            self.process = subprocess.Popen([ROOT / "board" / "in-tools.sh", command], stdin=subprocess.DEVNULL,
                                            stdout=errors, stderr=errors, start_new_session=True)

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def cut_power(self):
        """QEMU is killed: what the guest had not written is gone, and nobody in it is asked."""
        if self.alive():
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def said(self):
        """What the serial console has said since the card was new."""
        return self.console.read_text(errors="replace")

    def slots(self):
        """The slots that U-Boot has started, in order."""
        return re.findall(r"martlet: slot ([AB])\r?$", self.said(), re.MULTILINE)

    def since_power_on(self):
        return time.monotonic() - self.switched_on

    def ssh(self, command, timeout=60, status=0, text=None, stdin=subprocess.DEVNULL):
        """Runs a command in the image as root, with `text` or a file to read; `status` None: whatever it ends with."""
        answer = subprocess.run(
            ["ssh", "-i", self.key, "-p", str(self.ssh_port), "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
             "-o", f"UserKnownHostsFile={self.bench.folder}/known_hosts", "-o", "ConnectTimeout=20",
             "-o", "LogLevel=ERROR", "root@127.0.0.1", command],
            input=text, stdin=stdin if text is None else None, capture_output=True, text=True, timeout=timeout)
        check(status is None or answer.returncode == status,
              f"in the image: {command}: status {answer.returncode}: {answer.stdout[-800:]}{answer.stderr[-800:]}")
        return answer.stdout

    def reachable(self):
        try:
            return self.ssh("echo here", timeout=30, status=None).strip() == "here"
        except subprocess.TimeoutExpired:
            return False

    def wait_reachable(self, timeout=600):
        def answers():
            check(self.alive(), "QEMU ended: " + (self.bench.folder / "qemu.err").read_text()[-500:])
            return self.reachable()
        try:
            wait_for("SSH into the image", answers, timeout)
        except Failed as failure:
            raise Failed(f"{failure}\nthe console's end:\n{self.said()[-3000:]}") from None

    def wait_slot(self, number, timeout=300):
        """Waits until U-Boot has started its `number`th slot, and says which one that is."""
        wait_for(f"start number {number}", lambda: len(self.slots()) >= number, timeout)
        return self.slots()[number - 1]
