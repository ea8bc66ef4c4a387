# SPDX-License-Identifier: Apache-2.0
"""Situations of a gateway that was copied: a card in another machine, and two machines that nothing tells apart."""
import collections
import json
import os

import shutil

from harness import Failed, check, free_ports, program, wait_for
from agreement import look
from led import NAME as LED_NAME
from situations import long
from surfaces import ServiceLine, Surfaces

# A machine of its own: all folders of this one, without the mark of a container, and with another machine-id.
MACHINE = r"""
set -e
root=$1; id=$2; shift 2
mkdir -p "$root"
for place in /*; do
    name=${place#/}
    if [ -L "$place" ]; then ln -sfn "$(readlink "$place")" "$root/$name"
    elif [ -d "$place" ]; then mkdir -p "$root/$name"; mount --rbind "$place" "$root/$name"
    fi
done
mount --bind "$id" "$root/etc/machine-id"
cd "$root"
exec chroot "$root" "$@"
"""


class Machine:
    """Programs that find this machine-id."""

    def __init__(self, folder, name, digit):
        self.root, self.file = folder / f"machine-{name}", folder / f"machine-{name}-id"
        self.file.write_text(32 * digit + "\n")

    def command(self, words):
        return [program("unshare"), "--mount", program("sh"), "-c", MACHINE, "sh", self.root, self.file, *words]


class Copy:
    """A copy of the scene's gateway that runs beside it: its state and its journal as they were, on another controller of the same
    radio, and with places of its own."""

    def __init__(self, scene, machine=None):
        self.scene, self.bench, self.machine = scene, scene.bench, machine
        self.folder = self.bench.folder / "copy"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        shutil.copytree(self.bench.folder / "state", self.folder / "state")
        shutil.copytree(scene.disk.folder / "journal", self.folder / "journal")
        self.page = free_ports()
        text = scene.path.read_text()
        for former, mine in ((str(self.bench.folder / "state"), str(self.folder / "state")),
                             (f"{scene.disk.folder}/journal", f"{self.folder}/journal"),
                             (f"{self.bench.short}/control.sock", f"{self.bench.short}/copy.sock"),
                             (f'listen = "127.0.0.1:{scene.page}"', f'listen = "127.0.0.1:{self.page}"'),
                             ("[mqtt]\n", '[mqtt]\nclient_id = "copy"\n'), ("[provisioning]\n", "[provisioning]\nenabled = false\n"),
                             # The board's LED is the other gateway's.
                             (f'led = "{LED_NAME}"\n', "")):
            check(former in text, f"the configuration has no {former!r}")
            text = text.replace(former, mine)
        self.path = self.folder / "martlet.toml"
        self.path.touch(0o600)
        self.path.write_text(text)
        self.line = ServiceLine(self.bench.short / "notify-copy")
        self.surfaces = Surfaces(self.bench, self.path, self.page, scene.watcher, self.line)
        self.surfaces.has_twin = True

    def start(self):
        words = [self.bench.martlet, "run", "--config", self.path, "--controller", f"tcp:127.0.0.1:{self.scene.air}"]
        self.process = self.bench.start(f"copy-{self.scene.starts}", self.machine.command(words) if self.machine else words,
                                        self.line.environment)
        self.surfaces.gateway = self.process
        self.process.expect("the page is served", 60)
        self.surfaces.name = self.surfaces.home_assistant.gateway = self.surfaces.status()["gateway"]

    def codes(self):
        return {problem["code"] for problem in self.surfaces.status()["problems"]}

    def agrees(self, code):
        """All surfaces of the copy tell of this problem."""
        def holds():
            seen = look(self.surfaces)
            self.scene.looks += 1
            if seen is None:
                self.scene.differences += 1
                return False
            status, at_once, later = seen
            check(not at_once, "of the copy: " + "; ".join(at_once))
            self.differs = "; ".join(later)
            if later or code not in {problem["code"] for problem in status["problems"]}:
                return False
            self.scene.takes_picture(status, self.page)
            return True
        self.differs = None
        try:
            wait_for(f"all surfaces of the copy tell of {code}", holds, 30)
        except Failed as failure:
            raise Failed(f"{failure}: {self.differs}") from None

    def close(self):
        self.process.end(timeout=20)
        self.line.close()
        os.unlink(self.bench.short / "notify-copy")


def pairs(scene, since):
    """The readings by their pair of gateway and number."""
    found = collections.defaultdict(set)
    with scene.watcher.lock:
        for reading in scene.watcher.readings[since:]:
            same = {key: value for key, value in reading.items() if key not in ("historical", "ts", "clock", "seq")}
            found[reading["gw"], reading["n"]].add(json.dumps(same, sort_keys=True))
    return found


def received(scene):
    with scene.watcher.lock:
        return len(scene.watcher.readings)


def noticed(scene, gateways, code, seconds=60):
    """Each gateway tells of the problem within a minute. On a busy machine all waits are longer."""
    for codes in gateways:
        wait_for(f"{code} is noticed", lambda codes=codes: code in codes(), seconds)


def codes(scene):
    return {problem["code"] for problem in scene.surfaces.status()["problems"]}


@long
def card_copied(scene):
    """A copied card in another machine: the copy takes a name of its own and says so; no pair names two readings."""
    first, other = (Machine(scene.bench.folder, name, digit) for name, digit in (("first", "a"), ("other", "b")))
    scene.stop()
    scene.configure(name=None)
    is_called(scene, "gw-aaaaaa", first)
    copy = None
    try:
        scene.start()
        scene.shows(steady="fresh")
        # Readings that wait are on both cards.
        situation, scene.situation = scene.situation, None
        scene.broker.stop()
        scene.watches(5)
        scene.stop()
        copy = Copy(scene, other)
        scene.broker.start()
        since = received(scene)
        scene.surfaces.has_twin = True
        scene.start()
        copy.start()
        noticed(scene, [copy.codes], "gateway-copied")
        scene.situation = situation
        copy.agrees("gateway-copied")
        scene.watches(20)
        scene.shows(steady="fresh")
        twice = {pair: readings for pair, readings in pairs(scene, since).items() if len(readings) > 1}
        names = {pair[0] for pair in pairs(scene, since)}
        check(not twice, f"pairs that name two readings: {list(twice.items())[:2]}")
        check(len(names) == 2 and names == {"gw-aaaaaa", copy.surfaces.name}, f"readings are of {names}")
        return f"{len(pairs(scene, since))} pairs, none twice"
    finally:
        if copy:
            copy.close()
        name_is_back(scene, copy.surfaces.name if copy else "gw-aaaaaa")


@long
def board_replaced(scene):
    """The board is dead, and its card is in another one. The gateway takes itself for a copy, until an operator says that it is the same
    gateway: it has its name again, goes on with its readings, and no pair names two of them."""
    first, other = (Machine(scene.bench.folder, name, digit) for name, digit in (("first", "a"), ("other", "b")))
    scene.stop()
    scene.configure(name=None)
    is_called(scene, "gw-aaaaaa", first)
    copy, since = "gw-aaaaaa", received(scene)
    try:
        scene.start()
        scene.shows(steady="fresh")
        # Readings that wait are on the card.
        situation, scene.situation = scene.situation, None
        scene.broker.stop()
        scene.watches(5)
        scene.stop()
        scene.broker.start()
        # In the new board.
        scene.machine = other
        scene.start()
        copy = scene.surfaces.status()["gateway"]
        is_called(scene, copy, other)
        scene.situation = situation
        scene.shows("gateway-copied", steady="fresh", seconds=120)
        wait_for("a reading has the copy's name", lambda: copy in {gateway for gateway, _ in pairs(scene, since)}, 30)
        scene.say("identity", "--same-gateway")
        scene.stop()
        is_called(scene, "gw-aaaaaa", other)
        back = received(scene)
        scene.start()
        scene.shows(steady="fresh", fickle="fresh", sealed="fresh", link_0="fresh", seconds=120)
        live = {gateway for gateway, _ in live_pairs(scene, back)}
        check(live == {"gw-aaaaaa"}, f"after --same-gateway readings are of {live}")
        found = pairs(scene, since)
        twice = {pair: readings for pair, readings in found.items() if len(readings) > 1}
        check(not twice, f"pairs that name two readings: {list(twice.items())[:2]}")
        check({gateway for gateway, _ in found} == {"gw-aaaaaa", copy}, f"readings are of {set(found)}")
        before, after = ([number for gateway, number in live_pairs(scene, *span) if gateway == "gw-aaaaaa"]
                         for span in ((since, back), (back, None)))
        check(min(after) > max(before) + 1_000_000, f"numbers go on at {min(after)} after {max(before)}: the former board may have used them")
        return f"{len(found)} pairs, none twice; {copy} was gw-aaaaaa again"
    finally:
        name_is_back(scene, copy)


def is_called(scene, name, machine):
    """The scene's gateway has this name, on this machine."""
    scene.machine, scene.surfaces.name, scene.surfaces.home_assistant.gateway = machine, name, name


def live_pairs(scene, since, end=None):
    """The pairs of gateway and number of the live lane."""
    with scene.watcher.lock:
        return [(reading["gw"], reading["n"]) for reading in scene.watcher.readings[since:end] if not reading.get("historical")]


def name_is_back(scene, other):
    """The scene's gateway has its configured name again, and a state without another one."""
    if scene.gateway.alive():
        scene.stop()
    scene.surfaces.has_twin = False
    is_called(scene, "gw-interop", None)
    (scene.bench.folder / "state" / "gateway-id").unlink(missing_ok=True)
    clear(scene, "gw-aaaaaa", other)
    scene.configure()
    scene.start()
    scene.is_ready()


def clear(scene, *gateways):
    """The broker forgets these gateways."""
    with scene.watcher.lock:
        topics = [topic for topic, text in scene.watcher.retained.items() if text and any(name in topic for name in gateways)]
    for topic in topics:
        scene.watcher.client.publish(topic, b"", qos=1, retain=True)


def runs_beside_copy(scene, code="name-taken"):
    """Two gateways that nothing tells apart, at one broker with different client ids."""
    scene.stop()
    copy = Copy(scene)
    scene.start()
    copy.start()
    # Availability and the list of problems are the word of whichever gateway spoke last.
    scene.surfaces.has_twin = True
    try:
        noticed(scene, [lambda: codes(scene), copy.codes], code)
    finally:
        copy.close()
        scene.surfaces.has_twin = False
    scene.restart()
    scene.shows(steady="fresh", seconds=120)


@long
def disk_copied(scene):
    """A copy on a machine with the same marks: both gateways notice by their claims."""
    runs_beside_copy(scene)


@long
def disk_copied_without_claims(scene):
    """The same where an access list forbids the topic of claims: both notice by what is heard of the other."""
    scene.broker.allow("user watcher\ntopic readwrite #\nuser gateway\ntopic deny martlet/gw/gw-interop/claim\ntopic readwrite #\n")
    scene.shows(steady="fresh", seconds=90)
    try:
        runs_beside_copy(scene)
    finally:
        scene.broker.allow(scene.broker.OPEN)
    scene.shows(steady="fresh", seconds=120)


@long
def disk_copied_without_retained(scene):
    """The same where the broker keeps no retained messages: the claims are heard as they are said."""
    scene.broker.retains(False)
    try:
        scene.restart()
        runs_beside_copy(scene)
    finally:
        scene.broker.retains(True)
    scene.restart()
    scene.shows(steady="fresh", seconds=120)


@long
def moved(scene):
    """A backup of a gateway whose readings wait becomes a gateway of another machine with another controller: each reading arrives once."""
    scene.broker.stop()
    scene.shows("broker-unreachable", steady="fresh")
    scene.stop()
    waiting = json.loads(scene.surfaces.run("buffer", "stats", "--json")[1])["buffered"]
    check(waiting > 0, "no reading waits")
    file, key = scene.bench.folder / "moved.martlet", scene.bench.folder / "passphrase"
    key.write_text("correct horse battery\n")
    scene.say("backup", str(file), "--passphrase-file", str(key))
    for folder in (scene.bench.folder / "state", scene.disk.folder / "journal"):
        shutil.rmtree(folder)
        folder.mkdir()
    # Numbers after a restore begin a million above those before.
    since = received(scene)
    with scene.watcher.lock:
        leap = max(reading["n"] for reading in scene.watcher.readings if reading["gw"] == "gw-interop") + 500_000
    scene.say("restore", str(file), "--yes", "--passphrase-file", str(key))
    scene.start_radio(*(word for number in range(1, 9) for word in ("--address", f"C4:00:00:00:00:0{number}")))
    scene.broker.start()
    wait_for("somebody listens", lambda: scene.watcher.is_subscribed, 20)
    scene.start()
    scene.is_ready()
    scene.shows(steady="fresh", link_0="fresh", sealed="fresh", seconds=120)

    def old():
        return {pair: readings for pair, readings in arrivals(scene, since).items() if pair[1] < leap}
    wait_for("each reading has arrived", lambda: len(old()) >= waiting, 60)
    check(len(old()) == waiting and set(old().values()) == {1}, f"of {waiting} readings {len(old())} came, {old()}")
    scene.start_radio()
    scene.is_ready()
    return f"{waiting} readings, each once"


def arrivals(scene, since):
    """How often each pair of gateway and number arrived."""
    with scene.watcher.lock:
        return collections.Counter((reading["gw"], reading["n"]) for reading in scene.watcher.readings[since:])
