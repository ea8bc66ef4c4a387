# SPDX-License-Identifier: Apache-2.0
"""What is around the gateway, and can fail: its broker, the way there, and its disk."""
import contextlib
import os
import pathlib
import socket
import subprocess
import threading
import time

from harness import Broker, check, free_ports, program, wait_for

MIB = 1 << 20


class Mosquitto(Broker):
    """The gateway's broker, whose access list and manners a situation changes."""

    way = watcher = None  # The gateway's way here, and the client of the test that has to hear each message.

    OPEN = "user gateway\ntopic readwrite #\nuser watcher\ntopic readwrite #\nuser thief\ntopic readwrite #\n"

    def settings(self):
        self.access, self.passwords = self.folder / "access", self.folder / "passwords"
        self.access.write_text(self.OPEN)
        for user in ("gateway", "watcher", "thief"):
            created = [] if self.passwords.exists() else ["-c"]
            subprocess.run([program("mosquitto_passwd"), *created, "-b", self.passwords, user, user], check=True)
        return f"allow_anonymous false\nacl_file {self.access}\npassword_file {self.passwords}\n"

    def start(self):
        """The gateway comes back behind the watcher, whatever the machine does meanwhile: events are told once."""
        if self.watcher is None:
            super().start()
            return
        former, self.way.hold = self.way.hold, True
        try:
            super().start()
            wait_for("the watcher listens again", lambda: self.watcher.is_subscribed, 20)
        finally:
            self.way.hold = former

    def stop(self):
        super().stop()
        if self.watcher:
            self.watcher.lost()

    def retains(self, is_allowed):
        """Whether the broker takes retained messages, from the next start on."""
        text = self.configuration.read_text().replace("retain_available false\n", "")
        self.configuration.write_text(text + ("" if is_allowed else "retain_available false\n"))
        self.stop()
        self.start()

    def allow(self, text):
        """Another access list, from the next start on: mosquitto 2.0.11 disconnects clients when it reads its list again."""
        self.access.write_text(text)
        self.stop()
        self.start()


class Way:
    """TCP between the gateway and its broker, which can be slow: `hold` keeps what the broker says."""

    def __init__(self, port):
        self.target, self.hold, self.refuses = port, False, False
        self.server = socket.create_server(("127.0.0.1", free_ports()))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                near, _ = self.server.accept()
                far = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                if self.server.fileno() < 0:
                    return
                near.close()
                continue
            for one in (near, far):
                one.settimeout(None)
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pass, args=[near, far, False], daemon=True).start()
            threading.Thread(target=self._pass, args=[far, near, True], daemon=True).start()

    def _pass(self, one, other, is_answer):
        try:
            while octets := one.recv(65536):
                while is_answer and self.hold:
                    time.sleep(0.1)
                other.sendall(octets)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.server.close()


class Disk:
    """A small file system for the journal, on a file that takes no room."""

    def __init__(self, folder):
        check(os.geteuid() == 0, "this test mounts file systems: run it as root")
        self.image, self.folder, self.ballast = folder / "disk.img", folder / "disk", folder / "disk" / "ballast"
        self.filler, self.is_filled, self.is_freed = None, threading.Event(), threading.Event()
        with open(self.image, "wb") as file:
            file.truncate(1 << 30)
        self.folder.mkdir()
        subprocess.run([program("mkfs.ext4"), "-q", "-m", "0", self.image], check=True)
        self.mount()

    def mount(self):
        subprocess.run([program("mount"), "-o", "loop,errors=remount-ro", self.image, self.folder], check=True)

    def leave(self, octets):
        """Room for so many octets."""
        self.free()
        state = os.statvfs(self.folder)
        take = state.f_bavail * state.f_frsize - octets
        # The ballast has a head of its own: the last octets are written.
        subprocess.run([program("fallocate"), "-l", str(max(take - 4 * MIB, MIB)), self.ballast], check=True)
        if octets > 0:
            return
        self.filler = threading.Thread(target=self._fill, daemon=True)
        self.is_filled.clear()
        self.filler.start()
        check(self.is_filled.wait(60), "the disk does not get full")

    def _fill(self):
        """Takes all that there is, and then all that becomes free: a journal that is short of room gives some back, and would have it."""
        with open(self.ballast, "ab", buffering=0) as file:
            while not self.is_freed.wait(0.02):
                for size in (1 << 16, 1 << 12, 1 << 9):
                    with contextlib.suppress(OSError):
                        while not self.is_freed.is_set() and file.write(bytes(size)):
                            pass
                self.is_filled.set()

    def free(self):
        if self.filler:
            self.is_freed.set()
            self.filler.join()
            self.filler = None
            self.is_freed.clear()
        self.ballast.unlink(missing_ok=True)

    def fail(self):
        """The kernel finds the file system damaged, and makes it read-only."""
        for line in pathlib.Path("/proc/mounts").read_text().splitlines():
            if line.split()[1] == str(self.folder):
                pathlib.Path("/sys/fs/ext4", pathlib.Path(line.split()[0]).name, "trigger_fs_error").write_text("test")
                return
        check(False, "the disk is not mounted")

    def takes_writes(self):
        """A damaged file system says so at the next write alone."""
        probe = self.folder / "probe"
        try:
            probe.write_bytes(b"x")
            probe.unlink()
        except OSError:
            return False
        return True

    def repair(self):
        """Afterwards the disk takes writes. Nobody may have a file of it open: one who had would write what he knows of the
        damaged file system over the mended one."""
        def is_free():
            return subprocess.run([program("umount"), self.folder], check=False, capture_output=True).returncode == 0
        wait_for("nobody has a file of the disk open", is_free, 20)
        done = subprocess.run([program("e2fsck"), "-f", "-y", self.image], check=False, capture_output=True, text=True)
        # 1 and 2 are mended mistakes; from 4 on mistakes are left.
        check(done.returncode < 4, f"the disk cannot be mended: {done.stdout}{done.stderr}")
        self.mount()
        check(self.takes_writes(), "the mended disk takes nothing")

    def close(self):
        # Lazily: the gateway may have its files open.
        subprocess.run([program("umount"), "-l", self.folder], check=False)
