# SPDX-License-Identifier: Apache-2.0
"""A gateway that is only its configuration service, docs/provisioning-protocol.md, and the phone's side of the link: for what the
page does when something goes wrong at a moment that the test chooses."""
import datetime
import hashlib
import json
import pathlib
import re
import threading
import time

_TABLE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "provisioning-protocol.md"
NUMBERS = re.findall(r"^\| (00[0-9a-f]{2}) \|", _TABLE.read_text(), re.M)
OPEN = {"0010", "0011", "0012", "0013", "0014"}
NOT_VALID, BUSY, NOTHING_THERE, NOT_SUPPORTED, FAILED = range(0x80, 0x85)
STEPS = ["check", "country", "associate", "address", "name", "connect", "tls", "broker", "keep"]


def uuid(number):
    return f"c60e{number}-6fca-4533-8c04-739715e5f018"


class Refused(Exception):
    def __init__(self, code, text=""):
        super().__init__(text)
        self.code, self.text = code, text


class FakeGateway:
    def __init__(self, mtu=23, name="Martlet 4F2A"):
        self.mtu = mtu
        # The phone's side
        self.passkey, self.person = "019655", lambda: "019655"
        self.is_bonded = self.is_encrypted = self.is_connected = False
        self.adapter, self.chooser, self.unreachable, self.pairs_fast = True, True, 0, False
        self.prompts, self.asked = 0, []
        # The gateway's
        self.name, self.country, self.provisioned = name, "", False
        self.networks = [
            {"ssid": "Attic", "strength": 82, "security": "wpa2"}, {"ssid": "Workshop", "strength": 58, "security": "wpa3"},
            {"ssid": "Café Größe Ω €", "strength": 41, "security": "wpa2"},
            {"ssid": "Guests", "strength": 33, "security": "open"},
            {"ssid": "Office", "strength": 21, "security": "enterprise"}]
        self.scan_reason = None
        self.sensors = {}
        self.wifi, self.wifi_password, self.staged = {"ssid": ""}, "", set()
        self.broker, self.broker_password = {"home_assistant": False}, ""
        self.right = {"wifi": "correct horse", "broker": "battery staple", "host": "broker.local"}
        self.authority, self.pem = {"size": 0, "state": "none"}, b""
        self.clock, self.last_error, self.newest = None, "", ""
        self.applying, self.holds, self.applies = False, {}, 0
        self.window = None
        self.log = [f"martlet[612]: line {number} of the log" for number in range(6)]
        self.identified = self.resets = 0
        self.renamed, self.passkeys = [], []
        self.notifying, self.lock = set(), threading.RLock()
        self.after_chunk = lambda offset: None
        self.before_subscription = lambda number: None
        self.notify = lambda uuid, value: None
        self.disconnected = lambda: None

    def attach(self, notify, disconnected):
        self.notify, self.disconnected = notify, disconnected

    def detach(self):
        self.attach(lambda uuid, value: None, lambda: None)
        for hold in self.holds.values():
            hold.set()

    # The phone

    def answer(self, request):
        try:
            return getattr(self, f"do_{request['op']}")(request)
        except Refused as refusal:
            self.last_error = refusal.text
            return {"error": refusal.code}

    def do_availability(self, _):
        return {"available": self.adapter}

    def do_choose(self, request):
        if request["services"] != [uuid("0001")]:
            raise AssertionError(f"the page looks for {request['services']}")
        if not self.chooser:
            raise Refused("cancelled")
        return {"id": "1", "name": self.name}

    def do_connect(self, _):
        if self.unreachable > 0:
            self.unreachable -= 1
            raise Refused("unreachable")
        self.is_connected, self.is_encrypted = True, False
        return {}

    def do_disconnect(self, _):
        self.is_connected = self.is_encrypted = False
        self.notifying.clear()
        return {}

    def drop(self, unreachable=0):
        """The link is lost; the next attempts to connect find nobody."""
        self.unreachable = unreachable
        self.do_disconnect(None)
        self.disconnected()

    def do_discover(self, _):
        self._check_link()
        return {"characteristics": [uuid(number) for number in NUMBERS]}

    def _check_link(self):
        if not self.is_connected:
            raise Refused("disconnected")

    def _pair(self):
        """What a phone does on 0x05: the key of the bond, or the dialog."""
        if not self.is_encrypted and not self.is_bonded:
            self.prompts += 1
            typed = self.person()
            self._check_link()
            if typed != self.passkey:
                raise Refused(0x05)
            self.is_bonded = True
        self.is_encrypted = True

    def do_read(self, request):
        self._check_link()
        number = request["uuid"][4:8]
        self.asked.append(("read", number))
        if number not in OPEN:
            self._pair()
        return {"value": self.value(number).encode().hex()}

    def do_write(self, request):
        self._check_link()
        number = request["uuid"][4:8]
        self.asked.append(("write", number))
        self._pair()
        octets = bytes.fromhex(request["value"])
        self.take(number, octets)
        self._check_link()
        return {}

    def do_subscribe(self, request):
        self._check_link()
        self._pair()
        number = request["uuid"][4:8]
        self.asked.append(("subscribe", number))
        self.before_subscription(number)
        self._check_link()
        self.notifying.add(number)
        if number == "0030":
            for sensor in list(self.sensors.values()):
                self.tell("0030", sensor)
        return {}

    def do_unsubscribe(self, request):
        self._check_link()
        self.notifying.discard(request["uuid"][4:8])
        return {}

    def tell(self, number, line):
        """A line, in pieces of what fits a notification."""
        text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        octets = text.encode() + b"\n"
        for start in range(0, len(octets), self.mtu - 3):
            if number in self.notifying:
                self.notify(uuid(number), octets[start:start + self.mtu - 3])

    # The gateway

    @property
    def state(self):
        if self.applying:
            return "applying"
        return "staged" if self.staged else "provisioned" if self.provisioned else "unprovisioned"

    def value(self, number):
        fitting = lambda lines: "".join(json.dumps(line) + "\n" for line in lines)[:512].rpartition("\n")[0]
        values = {
            "0010": lambda: "1", "0011": lambda: "Martlet 1.0.0 on Raspberry Pi 4 Model B", "0012": lambda: self.name,
            "0013": lambda: self.state,
            "0014": lambda: "Pair, choose a network and name a broker." if not self.provisioned else "Nothing to do.",
            "0020": lambda: self.country, "0021": lambda: fitting(self.networks),
            "0022": lambda: json.dumps({**self.wifi, "password_set": self.wifi_password != ""}),
            "0023": lambda: json.dumps({**self.broker, "password_set": self.broker_password != ""}),
            "0024": lambda: json.dumps(self.authority),
            "0026": lambda: json.dumps({"clock": "synced" if self.clock else "unsynced", "source": "phone",
                                        "error_ms": 500, **({"time": self.clock} if self.clock else {})}),
            "0030": lambda: fitting(self.sensors.values()), "0040": lambda: json.dumps(self.status()),
            "0041": lambda: "\n".join(self.log), "0050": lambda: self.newest,
            "0060": lambda: json.dumps({"open": self.window is not None, "seconds": 540, "passkey": self.window}),
            "0061": lambda: self.last_error}
        if number not in values:
            raise Refused(0x02)
        return values[number]()

    def status(self):
        accepted = [sensor for sensor in self.sensors.values() if sensor["accepted"]]
        return {"state": self.state, "connected": self.provisioned, "broker_connected": self.provisioned,
                "sensors": len(accepted), "collecting": len(accepted), "received": 1284, "buffered": 0,
                "ssid": self.wifi["ssid"] if self.provisioned else None,
                "addresses": ["192.168.7.41"] if self.provisioned else [],
                "broker": f"{self.broker.get('host')}:{self.broker.get('port')}" if self.provisioned else None}

    def take(self, number, octets):
        if number == "0025":
            return self.take_chunk(octets)
        text = octets.decode()
        if number in ("0012", "0020", "0022", "0023", "0024") and self.applying:
            raise Refused(BUSY, "Settings are being applied. Wait until that is over.")
        if number == "0020":
            self.country = text
        elif number == "0012":
            self.name = text
        elif number == "0021":
            threading.Thread(target=self.scan, daemon=True).start()
        elif number == "0022":
            change = json.loads(text)
            self.wifi_password = change.pop("password", self.wifi_password)
            self.wifi.update(change)
        elif number == "0023":
            change = json.loads(text)
            if change.get("host") == "not.valid":
                raise Refused(NOT_VALID, "The broker's address cannot be “not.valid”.")
            self.broker_password = change.pop("password", self.broker_password)
            self.broker.update(change)
        elif number == "0024":
            change = json.loads(text)
            self.pem = b""
            self.authority = {**change, "received": 0, "state": "partial" if change["size"] else "none"}
        elif number == "0026":
            datetime.datetime.fromisoformat(text)
            self.clock = text
        elif number == "0031":
            self.accept(json.loads(text))
        elif number == "0032":
            self.sensors[text].update(accepted=False)
            for key in ("id", "values", "trouble"):
                self.sensors[text].pop(key, None)
            self.tell("0030", self.sensors[text])
        elif number == "0033":
            self.passkeys.append(json.loads(text))
            sensor = self.sensors[self.passkeys[-1]["address"]]
            sensor.pop("trouble", None)
            sensor["values"] = ["118 mmHg"]
            self.tell("0030", sensor)
        elif number == "0042":
            self.identified += 1
        elif number == "0050":
            if not self.staged:
                raise Refused(NOTHING_THERE, "There is nothing to apply.")
            self.applies += 1
            self.applying = True
            threading.Thread(target=self.apply, daemon=True).start()
        elif number == "0051":
            self.staged.clear()
        elif number == "0052":
            if text != "erase everything":
                raise Refused(NOT_VALID, "Write “erase everything”.")
            self.resets += 1
            self.is_bonded = self.provisioned = False
            self.drop()
        elif number == "0060":
            self.window = "482913" if text == "open" else None
        if number in ("0012", "0020", "0022", "0023", "0024"):
            self.staged.add(number)

    def take_chunk(self, octets):
        offset, data = int.from_bytes(octets[:4], "little"), octets[4:]
        if offset != len(self.pem):
            raise Refused(NOT_VALID, f"The next octet is number {len(self.pem)}.")
        self.pem += data
        self.authority["received"] = len(self.pem)
        if len(self.pem) == self.authority["size"]:
            good = hashlib.sha256(self.pem).hexdigest() == self.authority["sha256"]
            self.authority["state"] = "complete" if good else "none"
        self.after_chunk(offset)

    def scan(self):
        if self.scan_reason:
            self.tell("0021", {"end": True, "reason": self.scan_reason, "text": "The radio is blocked."})
            return
        for network in self.networks:
            self.tell("0021", network)
        self.tell("0021", {"end": True})

    def accept(self, acceptance):
        sensor = self.sensors[acceptance["address"]]
        if sensor["accepted"] and set(acceptance) <= {"address", "label", "room"}:
            self.renamed.append(acceptance)
            sensor["name"] = acceptance.get("label") or sensor["name"]
            return self.tell("0030", sensor)
        sensor.update(accepted=True, id=acceptance.get("id") or acceptance["address"].replace(":", "").lower())
        if sensor.get("family") == "blood_pressure" and "passkey" not in acceptance:
            sensor["trouble"] = "It asks for a passkey: enter it here."
        else:
            sensor["values"] = sensor.pop("later", [])
        self.tell("0030", sensor)
        self.tell("0040", self.status())

    def progress(self, step, state, **more):
        self.newest = json.dumps({"step": step, "state": state, **more})
        self.tell("0050", self.newest)

    def apply(self):
        wrong = {
            "associate": self.wifi["ssid"] and self.wifi_password != self.right["wifi"]
            and ("wrong-password", "The network Attic says that the password is wrong."),
            "name": self.broker.get("host") != self.right["host"] and ("no-name", "Nobody knows this name."),
            "broker": self.broker.get("username") and self.broker_password != self.right["broker"]
            and ("broker-refused", "CONNACK 0x86: Bad User Name or Password")}
        wifi_steps = ("associate", "address") if self.wifi["ssid"] else ()
        for step in STEPS:
            if step in ("associate", "address") and step not in wifi_steps:
                continue
            self.progress(step, "running", limit=60)
            if step in self.holds:
                self.holds[step].wait(60)
            if wrong.get(step):
                reason, text = wrong[step]
                self.progress(step, "failed", reason=reason, text=text)
                if "back" in self.holds:
                    self.holds["back"].wait(60)
                self.applying = False
                self.progress("rolled-back", "done")
                return
            self.progress(step, "done")
        self.applying, self.provisioned = False, True
        self.staged.clear()
        self.progress("done", "done")
        self.tell("0040", self.status())


def some_sensors():
    return {sensor["address"]: sensor for sensor in [
        {"address": "C4:7C:8D:00:11:22", "name": "Polar H10", "rssi": -58, "family": "heart_rate", "accepted": False,
         "later": ["72 bpm", "RR 833 ms"]},
        {"address": "C4:7C:8D:00:11:23", "name": "Attic climate", "rssi": -66, "family": "environmental_sensing",
         "accepted": False, "later": ["21.4 °C", "48 %", "1013 hPa"]},
        {"address": "C4:7C:8D:00:11:24", "name": "BP cuff", "rssi": -71, "family": "blood_pressure", "accepted": False},
        {"address": "5A:01:02:03:04:05", "rssi": -90, "accepted": False}]}
