# SPDX-License-Identifier: Apache-2.0
"""A control group with a bound on memory, in which all that a program needs is charged to it: its own memory, its files in the
kernel's cache, its libraries, its sockets."""
import os
import pathlib
import re
import shutil
import subprocess

from harness import Failed, check, program

CGROUPS = pathlib.Path("/sys/fs/cgroup")
NAME = "martlet-footprint"


# What Linux reads ahead on a card. A disk that has 8 MiB here would read that for each page that is missing.
READ_AHEAD_KIB = 128


class ReadAhead:
    """Has the disk below a folder read ahead as a card does; root."""

    def __init__(self, folder):
        device = os.stat(folder).st_dev
        block = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
        # A partition has what its disk has.
        self.setting = next((path for at in (block, block.parent) if (path := at / "queue" / "read_ahead_kb").exists()), None)
        check(self.setting, f"{folder} is on no disk whose read-ahead can be set")

    def __enter__(self):
        self.former = self.setting.read_text()
        self.setting.write_text(str(READ_AHEAD_KIB))

    def __exit__(self, *_):
        self.setting.write_text(self.former)


class MemoryLimit:
    """The group, by the kernel's second or first version of control groups; root."""

    def __init__(self, mib):
        self.is_second = (CGROUPS / "cgroup.controllers").exists()
        parent = CGROUPS if self.is_second else CGROUPS / "memory"
        self.folder = parent / f"{NAME}-{os.getpid()}"
        self.most = 0
        try:
            if self.is_second:
                (parent / "cgroup.subtree_control").write_text("+memory")
            self.folder.mkdir()
            self._file("memory.max", "memory.limit_in_bytes").write_text(str(mib << 20))
        except OSError as error:
            raise Failed(f"no control group bounds memory here: {error}; it takes root, and the memory controller") from None

    def _file(self, second, first):
        return self.folder / (second if self.is_second else first)

    def command(self, *words):
        """The command, begun in the group."""
        return [program("sh"), "-c", 'echo $$ >"$0" && exec "$@"', self.folder / "cgroup.procs", *words]

    def used_kib(self):
        self.most = max(self.most, int(self._file("memory.current", "memory.usage_in_bytes").read_text()) // 1024)
        return self.most

    def close(self):
        self.folder.rmdir()


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
