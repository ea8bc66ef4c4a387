# SPDX-License-Identifier: Apache-2.0
"""What the tests of setting up by phone share: a gateway that nobody has set up, a phone (Tests/Rig/owner_phone.py), and
the attributes that only owners may use."""
import json
import subprocess

from harness import PYTHON, RIG_SOURCES, Failed, Gateway, check, wait_for

# docs/provisioning.md: number, who may read, who may write, whether it notifies.
OPEN, OWNER, NOBODY = "open", "owner", None
TABLE = {
    "0010": (OPEN, NOBODY, False), "0011": (OPEN, NOBODY, False), "0012": (OPEN, OWNER, False),
    "0013": (OPEN, NOBODY, False), "0014": (OPEN, NOBODY, False), "0020": (OWNER, OWNER, False),
    "0021": (OWNER, OWNER, True), "0022": (OWNER, OWNER, False), "0023": (OWNER, OWNER, False),
    "0024": (OWNER, OWNER, False), "0025": (NOBODY, OWNER, False), "0026": (OWNER, OWNER, False),
    "0030": (OWNER, NOBODY, True), "0031": (NOBODY, OWNER, False), "0032": (NOBODY, OWNER, False),
    "0033": (NOBODY, OWNER, False), "0040": (OWNER, NOBODY, True), "0041": (OWNER, NOBODY, True),
    "0042": (NOBODY, OWNER, False), "0050": (OWNER, OWNER, True), "0051": (NOBODY, OWNER, False),
    "0052": (NOBODY, OWNER, False), "0060": (OWNER, OWNER, False), "0061": (OWNER, NOBODY, False)}
READS = [item for item, (read, _, _) in TABLE.items() if read == OWNER]
WRITES = [item for item, (_, write, _) in TABLE.items() if write == OWNER]
NOTIFIES = [item for item, (_, _, notifies) in TABLE.items() if notifies]
(STATE, NEXT_STEP, NAME, COUNTRY, NETWORKS, WIRELESS, BROKER, STATUS, SENSORS, ACCEPT, APPLY, ROLL_BACK, WINDOW,
 LAST_ERROR) = ("0013", "0014", "0012", "0020", "0021", "0022", "0023", "0040", "0030", "0031", "0050", "0051",
                "0060", "0061")
INSUFFICIENT_AUTHENTICATION = 0x05
PATIENCE = 60  # seconds


class Desk:
    """A gateway without a file of its owner's, its network helper, and the person at its terminal."""

    def __init__(self, bench, controller, extra="", networks=("Attic=12345678",)):
        self.bench, self.controller = bench, controller
        self.state = bench.folder / "state"
        self.state.mkdir(exist_ok=True)
        self.network_state = bench.folder / "network.json"
        helper = bench.start("network", [
            PYTHON, RIG_SOURCES / "network_helper.py", "--socket", bench.short / "network.sock", "--state",
            self.network_state, *(word for network in networks for word in ("--network", network))])
        helper.expect("listening", 15)
        self.helper = helper
        self.configuration = bench.folder / "martlet.toml"
        self.configuration.write_text(
            f'[gateway]\nid = "gw-interop"\n\n[bluetooth]\nstate_directory = "{self.state}"\n\n'
            f'[journal]\npath = "{self.state}/journal.db"\ncommit_interval_ms = 200\n\n[clock]\nrequire_sync = false\n\n'
            f'[control]\nsocket = "{bench.short}/control.sock"\n\n'
            f'[provisioning]\nnetwork_socket = "{bench.short}/network.sock"\n{extra}\n')
        self.starts = self.openings = 0
        self.gateway = None
        self.start()

    def start(self):
        self.starts += 1
        self.capture = self.bench.folder / f"gateway-{self.starts}.btsnoop"
        self.gateway = Gateway(self.bench, self.configuration, self.controller, self.capture)
        wait_for("the gateway answers", self.gateway.status, PATIENCE)

    def restart(self):
        self.gateway.stop()
        self.start()

    def kill(self):
        self.gateway.kill()
        self.start()

    def martlet(self, *words):
        """Runs a command against the gateway; gives what it says."""
        answer = subprocess.run([self.bench.martlet, *words, "--config", self.configuration], capture_output=True,
                                text=True, timeout=PATIENCE)
        check(answer.returncode == 0, f"martlet {' '.join(words)}: {answer.stderr.strip() or answer.stdout.strip()}")
        return answer.stdout

    def window(self):
        return json.loads(self.martlet("provision", "status", "--json"))

    def open(self):
        """Somebody at the terminal lets phones pair: fresh passkeys are shown from now on."""
        self.openings += 1
        self.bench.start(f"open-{self.openings}", [
            self.bench.martlet, "provision", "open", "--json", "--config", self.configuration])

        def is_open():
            window = self.window()
            return window["open"] and window.get("passkey")
        wait_for("the window is open", is_open, PATIENCE)

    def close(self):
        self.martlet("provision", "close")
        check(not self.window()["open"], "the window is still open")

    def phones(self):
        """The addresses of the phones that are known."""
        return [phone["address"] for phone in self.window()["phones"]]

    def passkey(self):
        """The digits that the gateway shows to the next phone."""
        return int(wait_for("a passkey is shown", lambda: self.window().get("passkey"), PATIENCE))

    def stored_networks(self):
        return json.loads(self.network_state.read_text()) if self.network_state.exists() else {"kept": {}, "next": None}

    def joined(self):
        stored = self.stored_networks()
        return stored["kept"].get(stored["next"])


class Phone:
    """One phone; its keys live as long as it does."""

    def __init__(self, bench, transport, name="phone", address="F0:00:00:00:00:F0"):
        self.name = name
        self.process = bench.start(name, [PYTHON, RIG_SOURCES / "owner_phone.py", "--transport", transport,
                                          "--own-address", address], stdin=subprocess.PIPE)
        self.process.expect('"ready"', 30)
        self.number = 0
        self.place = 0  # events before it were looked at
        self.items = {}

    def lines(self):
        text = self.process.output.read_text()
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def begin(self, do, **arguments):
        self.number += 1
        self.process.process.stdin.write(json.dumps({"id": self.number, "do": do, **arguments}).encode() + b"\n")
        self.process.process.stdin.flush()
        return self.number

    def end(self, number, timeout=PATIENCE):
        def answered():
            check(self.process.alive(), f"{self.name} ended: {self.process.text()[-500:]}")
            return next((line for line in self.lines() if line.get("id") == number), None)
        return wait_for(f"{self.name} answers {number}", answered, timeout)

    def ask(self, do, **arguments):
        """What came of it: with `code` where it was refused."""
        answer = self.end(self.begin(do, **arguments), timeout=2 * PATIENCE)
        check("failed" not in answer, f"{self.name}: {do} {arguments}: {answer.get('failed')}")
        return answer

    def events(self, kind):
        return [line for line in self.lines() if line.get("event") == kind]

    def hears(self, kind, count=1, timeout=PATIENCE):
        return wait_for(f"{self.name} hears '{kind}' {count} times",
                        lambda: len(found := self.events(kind)) >= count and found, timeout)

    # MARK: What people do

    def connect(self, **arguments):
        answer = self.ask("connect", **arguments)
        check("code" not in answer, f"{self.name} does not connect: {answer}")
        self.items = answer["items"]
        return answer

    def text(self, item):
        answer = self.ask("read", item=item)
        check("value" in answer, f"{self.name} reads {item}: {answer}")
        return bytes.fromhex(answer["value"]).decode()

    def json(self, item):
        return json.loads(self.text(item))

    def write(self, item, value):
        """The error's code, or None."""
        text = value if isinstance(value, str) else json.dumps(value)
        return self.ask("write", item=item, value=text.encode().hex()).get("code")

    def must_write(self, item, value):
        code = self.write(item, value)
        if code is not None:
            raise Failed(f"{self.name} writes {item}: {code:#x}: {self.text(LAST_ERROR)}")

    def received(self, item):
        """The whole lines that came by notification."""
        octets = b"".join(bytes.fromhex(line["value"]) for line in self.events("value") if line["item"] == item)
        return [json.loads(line) for line in octets[:octets.rfind(b"\n") + 1].decode().splitlines() if line]

    def pair(self, passkey, io="keyboard"):
        """Types what `passkey` says, when the phone asks for it; gives the event that it ends with."""
        done = len(self.events("paired")) + len(self.events("pairing failed"))
        asked = len(self.events("asked for the passkey"))
        self.ask("pair", io=io)

        def ended():
            found = self.events("paired") + self.events("pairing failed")
            return len(found) > done and self.lines_of_end()[-1]
        if passkey is not None:
            wait_for(f"{self.name} is asked for the passkey",
                     lambda: len(self.events("asked for the passkey")) > asked or ended(), PATIENCE)
            if not ended():
                self.ask("type", passkey=passkey() if callable(passkey) else passkey)
        return wait_for(f"{self.name}'s pairing ends", ended, 2 * PATIENCE)

    def lines_of_end(self):
        return [line for line in self.lines() if line.get("event") in ("paired", "pairing failed")]

    def apply(self):
        """Applies what is staged; the lines of progress."""
        before = len(self.received(APPLY))
        self.must_write(APPLY, "apply")

        def done():
            new = self.received(APPLY)[before:]
            return new and new[-1]["step"] in ("done", "rolled-back") and new
        return wait_for("applying ends", done, 2 * PATIENCE)

    def gone(self):
        self.ask("disconnect")


def handle(number):
    return number.to_bytes(2, "little")


def requests_for(item, handles):
    """Every way to read, write or subscribe: pairs of words and a PDU. `handles` is what discovery has found. That somebody
    has not subscribed, anybody may read of themselves: Core 5.4, Vol 3, Part G, 3.3.3.3."""
    value, configuration = handles["value"], handles["configuration"]
    uuid = bytes.fromhex(f"c60e{item}6fca45338c04739715e5f018")[::-1]
    read, write, notifies = TABLE[item]
    ways = []
    if read == OWNER:
        ways += [
            ("read", b"\x0a" + handle(value)), ("read blob", b"\x0c" + handle(value) + b"\0\0"),
            ("read blob further on", b"\x0c" + handle(value) + b"\x01\0"),
            ("read by type", b"\x08\x01\0\xff\xff" + uuid),
            ("read multiple", b"\x0e" + handle(value) + handle(value)),
            ("read multiple, something open first", b"\x0e" + handle(3) + handle(value)),
            ("read multiple variable", b"\x20" + handle(value) + handle(value))]
    if write == OWNER:
        ways += [("write", b"\x12" + handle(value) + b"x"), ("prepare", b"\x16" + handle(value) + b"\0\0x"),
                 ("prepare further on", b"\x16" + handle(value) + b"\x05\0x")]
    if notifies:
        ways += [("subscribe", b"\x12" + handle(configuration) + b"\x01\0"),
                 ("prepare a subscription", b"\x16" + handle(configuration) + b"\0\0\x01\0")]
    return ways
