# SPDX-License-Identifier: Apache-2.0
"""A control group with a bound on memory, in which what a program needs is charged to it: its own memory, its files and libraries in
the kernel's cache, and what the kernel has for it; by the second version of control groups the buffers of its sockets, too."""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from harness import RIG, Failed, check, program

CGROUPS = pathlib.Path("/sys/fs/cgroup")
# What Linux reads ahead on a card. A disk that has 8 MiB here would read that for each page that is missing.
READ_AHEAD_KIB = 128


class ReadAhead:
    """Has the disk below a folder read ahead as a card does; root, and one at a time."""

    def __init__(self, folder):
        device = os.stat(folder).st_dev
        block = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
        # A partition has what its disk has.
        self.setting = next((path for at in (block, block.parent) if (path := at / "queue" / "read_ahead_kb").exists()), None)
        check(self.setting, f"{folder} is on no disk whose read-ahead can be set")

    def __enter__(self):
        self.lock = open(RIG / "read-ahead.lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failed("another run has changed the disk's read-ahead: wait for its end") from None
        self.former = self.setting.read_text()
        self.setting.write_text(str(READ_AHEAD_KIB))

    def __exit__(self, *_):
        self.setting.write_text(self.former)
        self.lock.close()


class MemoryLimit:
    """The group, by the kernel's second or first version of control groups; root. Swap is no way out of it."""

    def __init__(self, mib):
        self.mib = mib
        self.is_second = (CGROUPS / "cgroup.controllers").exists()
        self.parent = CGROUPS if self.is_second else CGROUPS / "memory"
        self.folder = self.parent / f"martlet-footprint-{os.getpid()}"

    def __enter__(self):
        limit, swap = ("memory.max", "memory.swap.max") if self.is_second else (
            "memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        try:
            if self.is_second:
                (self.parent / "cgroup.subtree_control").write_text("+memory")
            self.folder.mkdir()
            (self.folder / limit).write_text(str(self.mib << 20))
            # With the second version of swap alone, with the first of both; where the kernel has no swap there is none.
            if (self.folder / swap).exists():
                (self.folder / swap).write_text("0" if self.is_second else str(self.mib << 20))
        except OSError as error:
            self.__exit__()
            raise Failed(f"no control group bounds memory here: {error}; it takes root, and the memory controller") from None
        return self

    def __exit__(self, *_):
        # The kernel takes a moment to see that the last process has gone.
        deadline = time.monotonic() + 5
        while self.folder.exists():
            try:
                return self.folder.rmdir()
            except OSError as error:
                if time.monotonic() > deadline:
                    return print(f"{self.folder} stays: {error}", file=sys.stderr)
                time.sleep(0.1)

    def command(self, environment, *words):
        """The command, begun in the group: nothing of its files is read before."""
        settings = [f"{name}={value}" for name, value in environment.items()]
        return [program("sh"), "-c", 'echo $$ >"$0" && exec env "$@"', self.folder / "cgroup.procs", *settings, *words]

    def charged_kib(self):
        """The most that was charged, by the kernel."""
        return int((self.folder / ("memory.peak" if self.is_second else "memory.max_usage_in_bytes")).read_text()) // 1024


def own_copy(binary, folder):
    """The program, stripped, and its libraries in files of their own that are not in the kernel's cache: nobody else is charged for
    them. Returns the program and the environment that it finds them by."""
    folder.mkdir()
    copy = folder / "martlet"
    shutil.copy(binary, copy)
    subprocess.run([program("strip"), copy], check=True)
    listed = subprocess.run([program("ldd"), copy], check=True, capture_output=True, text=True).stdout
    libraries = re.findall(r"=> (/\S+)", listed)
    check(libraries, f"ldd lists no libraries of {binary}")
    for library in libraries:
        shutil.copy(library, folder)
    for path in folder.iterdir():
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return copy, {"LD_LIBRARY_PATH": str(folder)}
