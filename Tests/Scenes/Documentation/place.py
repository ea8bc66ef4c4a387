# SPDX-License-Identifier: Apache-2.0
"""A place of its own for the commands of a page: this machine's files, changed in memory only; a network with nothing but
loopback; a user with sudo; a radio, a broker, and the names that pages use. All of it ends with the process.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
ADDRESS = "192.168.1.10"
NAMES = "broker.local homeassistant.local broker.example.org"
BROKER = "listener 1883\nallow_anonymous true\npassword_file /run/page/passwords\n"
# What somebody has who has followed the guides before this one.
CONFIGURATION = '''[mqtt]
host = "broker.local"

[[sensor]]
id = "greenhouse"
address = "C4:7C:8D:00:11:04"
subscribe = ["environmental_sensing/temperature", "environmental_sensing/humidity"]
'''


def run(*command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


class Place:
    def __init__(self, binary, package, work, stand_ins=("stand_ins",)):
        """Called in namespaces of mounts, processes and network that are this process's alone. Without a package there is none to install."""
        self.children = []
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", work)
        work = pathlib.Path(work)
        for name in ("upper", "work", "root"):
            (work / name).mkdir()
        root = work / "root"
        run("mount", "-t", "overlay", "-o", f"lowerdir=/,upperdir={work}/upper,workdir={work}/work", "overlay", root)
        run("mount", "-t", "proc", "proc", root / "proc")
        run("mount", "--rbind", "/dev", root / "dev")
        for name, mode in (("tmp", "1777"), ("run", "755")):
            run("mount", "-t", "tmpfs", "-o", f"mode={mode}", "tmpfs", root / name)
        for folder in stand_ins:
            for file in (HERE / folder).iterdir():
                shutil.copy(file, root / "usr/local/bin" / file.name)
        (root / "usr/lib/built").mkdir()
        shutil.copy(binary, root / "usr/lib/built/martlet")
        if package:
            shutil.copy(package, root / "run" / pathlib.Path(package).name)
        os.chroot(root)
        os.chdir("/")
        self._user(pathlib.Path("/run") / pathlib.Path(package).name if package else None)
        self._network()

    def _user(self, package):
        run("useradd", "--create-home", "--shell", "/bin/bash", "somebody")
        pathlib.Path("/etc/sudoers.d/somebody").write_text("somebody ALL=(ALL) NOPASSWD: ALL\n")
        self.package = package and shutil.move(package, "/home/somebody")
        pathlib.Path("/usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        os.chmod("/usr/sbin/policy-rc.d", 0o755)
        pathlib.Path("/run/page").mkdir(mode=0o755)
        os.makedirs("/etc/telegraf/telegraf.d")  # As its package has it.

    def _network(self):
        run("ip", "link", "set", "lo", "up")
        run("ip", "address", "add", f"{ADDRESS}/32", "dev", "lo")
        with open("/etc/hosts", "a", encoding="utf-8") as hosts:
            hosts.write(f"{ADDRESS} {NAMES}\n")
        run("mosquitto_passwd", "-b", "-c", "/run/page/passwords", "martlet", "secret")
        shutil.chown("/run/page/passwords", "mosquitto")
        pathlib.Path("/run/page/broker.conf").write_text(BROKER)
        self._begin("mosquitto", "-c", "/run/page/broker.conf")
        self._listens(1883)

    def _begin(self, *command):
        log = open("/run/page/log", "ab")
        self.children.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def _listens(self, port):
        for _ in range(100):
            if f":{port} " in run("ss", "-Hltn"):
                return
            time.sleep(0.1)
        raise RuntimeError(f"nothing listens on {port}: {pathlib.Path('/run/page/log').read_text()}")

    def begin(self, what):
        """What the page takes for granted."""
        if what != "alone":
            self._begin("/usr/lib/built/martlet", "virtual-radio", "--listen", "tcp:7400")
            self._listens(7400)
        if what in ("package", "gateway"):
            run("dpkg", "-i", self.package)
            run("adduser", "somebody", "martlet")
            pathlib.Path("/etc/martlet/martlet.toml").write_text(CONFIGURATION)
        if what == "gateway":
            run("/usr/local/bin/systemctl", "start", "martlet")

    def typist(self, text):
        """What is typed into the next file."""
        pathlib.Path("/run/page/next").write_text(text)


class Shell:
    """A login of the user; variables and background jobs last until the next."""

    def __init__(self):
        self.count = 0
        self.process = None
        self.login()

    def login(self):
        if self.process:
            self.process.stdin.close()
        self.process = subprocess.Popen(["runuser", "-l", "somebody", "-c", "exec bash --noprofile"], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.say("export PASSWORD=secret LC_ALL=C.UTF-8")

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def run(self, command, typed="", patience=90, endless=None):
        """Status and output. What is endless is ended when the expression is there, and has the status 0 then."""
        self.count += 1
        folder = pathlib.Path(f"/run/page/{self.count}")
        folder.mkdir(mode=0o777)
        folder.chmod(0o777)
        (folder / "command").write_text(command + "\n")
        (folder / "typed").write_text(typed)
        call = f". {folder}/command"
        if endless:
            call = f"setsid bash {folder}/command & echo $! >{folder}/group; wait $!"
        self.say(f"{{ {call}; }} <{folder}/typed >{folder}/output 2>&1; echo $? >{folder}/status.new; mv {folder}/status.new {folder}/status")
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline + 5:
            said = (folder / "output").read_text(errors="replace") if (folder / "output").exists() else ""
            if (folder / "status").exists():
                status = int((folder / "status").read_text())
                return (0 if endless and endless.search(said) else status), said
            if endless and endless.search(said):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(int((folder / "group").read_text()), signal.SIGTERM)
            time.sleep(0.05)
        return 124, said
