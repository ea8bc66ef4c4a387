# SPDX-License-Identifier: Apache-2.0
"""The gateway on file systems that fail it: full, read-only, broken. They are real ones, so that root has to mount them.

`full`: others fill the disk under load, the gateway is started anew on the full disk, and there is room again.
`filled`: the journal itself fills a small disk while the broker is away, and everything drains when it is back.
`tiny`: the same on a disk of one MiB; then it is filled again, and purged.
`damaged`: a damaged journal on a disk without room for the copy of what can be read, and then with it.
`read_only`: the gateway starts on a read-only disk, which becomes writable later.
`broken`: the kernel finds the file system damaged under load and makes it read-only.
"""
import contextlib
import errno
import json
import os
import pathlib
import shutil
import subprocess
import time

from flood import build_generator, sensor_rules, start_generator
from harness import Gateway, check, program, wait_for
from kill_nine import Arrived, Journal

SENSORS, RATE = 10, 200


@contextlib.contextmanager
def mounted(bench, *what):
    """A folder with a file system of its own."""
    check(os.geteuid() == 0, "this test mounts file systems: run it as root")
    folder = bench.folder / "disk"
    folder.mkdir(exist_ok=True)
    run("mount", *what, folder)
    try:
        yield folder
    finally:
        # Lazily: after a failure the gateway still has its files open.
        subprocess.run([program("umount"), "-l", folder], check=False)


def run(name, *arguments):
    answer = subprocess.run([program(name), *map(str, arguments)], capture_output=True, text=True)
    check(answer.returncode == 0, f"{name} {arguments}: {answer.stderr.strip()}")


def fill(folder):
    """Leaves no room at all."""
    with open(folder / "ballast", "ab", buffering=0) as ballast:
        for size in (1 << 16, 1 << 12, 1 << 9, 1):
            with contextlib.suppress(OSError):
                while ballast.write(bytes(size)):
                    pass
    try:
        (folder / "probe").write_bytes(bytes(4096))
        check(False, "the disk is not full")
    except OSError as error:
        check(error.errno == errno.ENOSPC, f"the disk is not full but: {error}")
    (folder / "probe").unlink(missing_ok=True)


class Collection:
    """A gateway with its sensors, and a consumer."""

    def __init__(self, bench, folder):
        build_generator()
        self.bench, self.starts = bench, 0
        self.broker = bench.broker()
        self.arrived = Arrived(bench, self.broker)
        self.journal = folder / "journal" / "journal.db"
        self.configuration = bench.configuration(self.broker.port, sensor_rules(SENSORS), journal=self.journal,
                                                 mqtt="history_rows_per_second = 0\n")
        self.gateway = self.generator = None
        self.sent = 0

    def start(self, count, rate=RATE):
        """Starts the gateway on sensors that send `count` values in all."""
        self.starts += 1
        self.generator, port = start_generator(
            self.bench, "notify", SENSORS, count, "--rate", rate, "--delay-ms", 0, "--linger-ms", 600_000,
            name=f"h4gen-{self.starts}")
        self.gateway = Gateway(self.bench, self.configuration, f"tcp:127.0.0.1:{port}", name=f"martlet-{self.starts}")
        self.generator.expect("h4gen: ready", 60)
        self.sent += count

    def stop(self):
        self.gateway.stop()
        self.generator.discard()

    def command(self, *words):
        """What a command of the gateway prints; it has to succeed."""
        answer = subprocess.run([self.bench.martlet, *words, "--config", self.configuration], capture_output=True,
                                text=True)
        check(answer.returncode == 0, f"martlet {' '.join(words)}: {answer.stdout}{answer.stderr}")
        return answer.stdout

    def audit(self):
        self.command("audit", "--full")

    def books(self):
        check(self.gateway.process.alive(), f"martlet ended: {self.gateway.process.text()[-1000:]}")
        status = self.gateway.status()
        return status["journal"] if status else None

    def wait_for_books(self, what, condition, timeout):
        def holds():
            books = self.books()
            return books and condition(books)
        wait_for(what, holds, timeout)

    def wait_until_arrived(self, count, timeout):
        def arrived():
            self.arrived.read()
            check(self.gateway.process.alive(), f"martlet ended: {self.gateway.process.text()[-1000:]}")
            return self.arrived.count >= count
        wait_for(f"{count} readings arrive", arrived, timeout)

    def wait_until_in_memory(self, count):
        """Until the gateway has received so many, and has none of them on disk."""
        self.wait_for_books(f"{count} readings wait in memory", lambda books: books["waiting"] >= count, 60)
        check(self.books()["problem"], "readings wait in memory, and the gateway does not say why")

    def check_everything_arrived(self, minimum):
        """Every value sent is there or counted as dropped; at least `minimum` are there."""
        # What was sent last may still be on its way.
        self.wait_for_books(f"the journal has all {self.sent} values",
                            lambda books: books["received"] >= self.sent and not books["waiting"], 60)
        books = self.books()
        lost = sum(books["dropped"].values())
        check(books["received"] == self.sent, f"of {self.sent} values {books['received']} were received")
        self.wait_until_arrived(self.sent - lost, 60)
        check(self.arrived.count == self.sent - lost, f"{self.arrived.count} of {self.sent} arrived, {lost} dropped")
        check(self.arrived.count >= minimum, f"{lost} of {self.sent} readings were dropped: {books['dropped']}")
        self.stop()
        found = Journal(self.journal, self.bench.folder / "copy.db")
        found.check_books()
        check(found.received == self.sent and not found.rows,
              f"{len(found.rows)} rows are left, {found.received} were received")
        return lost


def full(bench):
    with mounted(bench, "-t", "tmpfs", "-o", "size=4m", "martlet-disk") as folder:
        collection = Collection(bench, folder)
        collection.start(RATE * 15)
        collection.wait_until_arrived(RATE * 2, 30)
        fill(folder)
        # Where the log and the file have room of their own, it goes on writing.
        before = collection.books()["received"]
        collection.wait_for_books("collection goes on", lambda books: books["received"] > before + RATE * 3, 30)
        (folder / "ballast").unlink()
        collection.wait_until_arrived(collection.sent, 90)

        # Stopped with everything on disk; started where nothing can be written.
        collection.stop()
        fill(folder)
        collection.start(RATE * 8)
        collection.wait_until_in_memory(RATE * 8)
        check(collection.arrived.count <= collection.sent - RATE * 8, "readings went out that cannot have been committed")
        (folder / "ballast").unlink()
        lost = collection.check_everything_arrived(collection.sent)
    return f"{collection.sent} readings over two times of a full disk, one with a start; {lost} dropped, each arrived"


def begun(bench, folder):
    """A gateway that has delivered something, and is stopped: its consumer has a session."""
    collection = Collection(bench, folder)
    collection.start(RATE)
    collection.wait_until_arrived(RATE, 30)
    collection.stop()
    return collection


def filled(bench):
    with mounted(bench, "-t", "tmpfs", "-o", "size=8m", "martlet-disk") as folder:
        collection = begun(bench, folder)
        kept, lost = fill_by_itself(collection, 220_000)
        drained(collection)
        # What is free in the file is used again, and nothing is dropped any more.
        collection.stop()
        collection.start(RATE * 3)
        collection.check_everything_arrived(RATE + kept)
    return f"{kept} of {collection.sent} readings found room in 8 MiB, {lost} older ones were dropped; each of them arrived"


def tiny(bench):
    with mounted(bench, "-t", "tmpfs", "-o", "size=1m", "martlet-disk") as folder:
        collection = begun(bench, folder)
        kept, lost = fill_by_itself(collection, 40_000)
        drained(collection)
        collection.stop()
        again, _ = fill_by_itself(collection, 40_000)
        answer = collection.command("buffer", "purge", "--yes", "--json")
        check(json.loads(answer)["purged"] == again, f"of {again} readings on the full disk purge gave up: {answer}")
        collection.broker.start()
        collection.stop()
        collection.audit()
        # Another start finds room for what comes in.
        collection.start(RATE * 3)
        collection.wait_until_arrived(RATE + kept + RATE * 3, 60)
        collection.stop()
        collection.audit()
    return f"{kept} readings found room in 1 MiB, {lost} older ones were dropped; drained, filled again, purged {again}"


def damaged(bench):
    with mounted(bench, "-t", "tmpfs", "-o", "size=8m", "martlet-disk") as folder:
        collection = begun(bench, folder)
        collection.broker.stop()
        count = 110_000
        collection.start(count, rate=8_000)
        collection.wait_for_books("all readings are written", lambda books: books["buffered"] == count, 240)
        collection.stop()
        with open(collection.journal, "r+b") as file:
            file.seek(500 * 4096)
            file.write(b"\xa5" * 8192)
        collection.broker.start()
        collection.start(RATE * 3)
        collection.wait_until_in_memory(RATE * 3)
        problem = collection.books()["problem"]
        check("MiB" in problem and "corrupt" in problem, f"the status does not say what to do: {problem}")
        run("mount", "-o", "remount,size=32m", folder)
        collection.wait_for_books("the copy is made", lambda books: not books["waiting"], 60)
        lost = collection.books()["dropped"].get("corrupt", 0)
        check(0 < lost < 1000, f"{lost} readings of two damaged pages are lost")
        collection.check_everything_arrived(collection.sent - lost)
        collection.audit()
    return f"{count} readings on a disk without room for their copy; with room all but {lost} of two damaged pages arrived"


def fill_by_itself(collection, count):
    """Lets the journal fill its disk while the broker is away. Says how many readings it holds, and how many went."""
    collection.broker.stop()
    before = collection.sent
    collection.start(count, rate=8_000)
    collection.wait_for_books("all readings are written",
                              lambda books: books["received"] == before + count and not books["waiting"], 240)
    books = collection.books()
    check(not books.get("problem"), f"the journal cannot be written: {books.get('problem')}")
    check("nearly full" in (books.get("notice") or ""), "the status does not say that the disk is nearly full")
    lost = books["dropped"].get("journal-size", 0)
    check(lost > count / 20, f"of {count} readings {lost} were dropped: the disk is not full")
    check(books["buffered"] > count / 10, f"the journal holds only {books['buffered']} readings")
    collection.audit()
    return books["buffered"], lost


def drained(collection):
    """The broker is back: everything that the journal holds arrives."""
    arrived, buffered = collection.arrived.count, collection.books()["buffered"]
    collection.command("buffer", "drain")
    collection.broker.start()
    collection.wait_until_arrived(arrived + buffered, 120)
    collection.wait_for_books("the journal is empty", lambda books: books["buffered"] == 0, 60)
    collection.audit()


def read_only(bench):
    with mounted(bench, "-t", "tmpfs", "-o", "size=16m", "martlet-disk") as folder:
        collection = Collection(bench, folder)
        collection.start(RATE * 2)
        collection.wait_until_arrived(RATE * 2, 30)
        collection.stop()
        run("mount", "-o", "remount,ro", folder)
        collection.start(RATE * 8)
        collection.wait_until_in_memory(RATE * 8)
        check(collection.arrived.count == RATE * 2, "readings went out that cannot have been committed")
        run("mount", "-o", "remount,rw", folder)
        lost = collection.check_everything_arrived(collection.sent)
    return f"{collection.sent} readings, most of them while the disk was read-only; {lost} dropped, each arrived"


def broken(bench):
    image = bench.folder / "disk.img"
    with open(image, "wb") as file:
        file.truncate(32 << 20)
    run("mkfs.ext4", "-q", image)
    with mounted(bench, "-o", "loop,errors=remount-ro", image) as folder:
        collection = Collection(bench, folder)
        collection.start(RATE * 600)  # until it is stopped: a busy machine may need longer for each step
        collection.wait_until_arrived(RATE * 2, 30)
        collection.broker.stop()
        collection.wait_for_books("readings are buffered", lambda books: books["buffered"] > RATE, 30)
        fault = pathlib.Path("/sys/fs/ext4") / device_of(folder) / "trigger_fs_error"
        check(fault.exists(), f"{fault} is missing: the kernel cannot be told of a fault")
        fault.write_text("test")
        collection.wait_for_books("readings wait in memory", lambda books: books["waiting"] > RATE * 2, 30)
        collection.broker.start()
        time.sleep(3)  # what was committed may go out, if it can be read
        in_memory = collection.books()["waiting"]
        collection.stop()
    # The next start of the system repairs it. Here the repair has a copy: a step with mounts of its own, begun while the
    # disk was mounted, keeps it mounted, and another mount of the same file would then be the same read-only file system.
    repaired = bench.folder / "repaired.img"
    shutil.copyfile(image, repaired)
    repair = subprocess.run([program("e2fsck"), "-p", repaired], capture_output=True, text=True)
    check(repair.returncode in (0, 1), f"e2fsck cannot repair the disk: {repair.stdout}{repair.stderr}")
    with mounted(bench, "-o", "loop,errors=remount-ro", repaired) as folder:
        found = Journal(collection.journal, bench.folder / "copy.db")
        found.check_books()
        check(found.rows, "nothing of what was buffered is there")
        highest = found.highest
        collection.start(RATE)
        collection.wait_until_arrived(highest - found.dropped_rows + RATE, 90)
        check(set(range(1, highest + 1)) <= collection.arrived.readings.keys(), "a row is missing")
        collection.stop()
    return (f"{highest} rows committed before the fault, each arrived; {in_memory} readings were in memory only when the "
            f"gateway was stopped")


def device_of(folder):
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        if line.split()[1] == str(folder):
            return pathlib.Path(line.split()[0]).name
    check(False, f"{folder} is not mounted")
