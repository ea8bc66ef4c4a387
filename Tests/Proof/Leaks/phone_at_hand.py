# SPDX-License-Identifier: Apache-2.0
"""A phone (Tests/Rig/owner_phone.py) that asks an owner's questions again and again, and comes and goes."""
import json
import time

import operations
from asking import PATIENCE, Refused, value_of
from harness import check, wait_for
from phone_desk import APPLY, LAST_ERROR, Phone

REPEATED_ATTEMPTS = 9  # of the Security Manager's reasons


class QuickPhone(Phone):
    """Reads what the phone says once, however much that is."""

    def __init__(self, *arguments, **options):
        self.place_read, self.found, self.answers = 0, [], {}
        super().__init__(*arguments, **options)

    def lines(self):
        with open(self.process.output, "rb") as file:
            file.seek(self.place_read)
            text = file.read()
        end = text.rfind(b"\n") + 1
        self.place_read += end
        for line in text[:end].splitlines():
            line = json.loads(line)
            if "id" in line:
                self.answers[line["id"]] = line
            else:
                self.found.append(line)
        return self.found

    def end(self, number, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while number not in self.answers:
            check(self.process.alive(), f"{self.name} ended: {self.process.text()[-500:]}")
            check(time.monotonic() < deadline, f"{self.name} does not answer")
            self.lines()
            time.sleep(0.001)
        return self.answers.pop(number)

    def forget_events(self):
        self.lines()
        self.found.clear()


class PhoneAtHand:
    """A phone that is paired, and the gateway's window, which is opened on its control socket."""

    def __init__(self, bench, radio_port, control):
        self.control, self.isConnected, self.isPaired, self.reasons = control, False, False, {}
        self.digits, self.used = None, None
        self.phone = QuickPhone(bench, f"tcp-client:127.0.0.1:{radio_port}")
        self.numbers = {item: number for _, item, number in operations.phone_messages()}

    def connect(self):
        if not self.isConnected:
            self.phone.connect(interval=7.5)
            self.isConnected = True

    def leave(self):
        if self.isConnected:
            self.phone.gone()
            self.isConnected = False
        self.phone.forget_events()

    def passkey(self):
        """On a busy machine the digits may be those of the pairing before, which are used up: people wait for the new ones, too."""
        def shown():
            digits = self.control.ask("provision status", {}).get("passkey")
            return digits if digits != self.used else None
        self.digits = wait_for("a new passkey is shown", shown, PATIENCE)
        return int(self.digits)

    def pair(self):
        for _ in range(5):
            ended = self.try_to_pair()
            self.used = self.digits
            if ended.get("reason") != REPEATED_ATTEMPTS:
                break
            self.leave()
        check(ended["event"] == "paired", f"the phone did not pair: {ended}")
        self.isPaired = True

    def try_to_pair(self):
        # Passkeys are shown while somebody looks.
        with self.control.hold({"command": "provision-open", "action": "open", "minutes": 5}):
            self.passkey()
            self.connect()
            return self.phone.pair(self.passkey)

    def part(self):
        """Both forget the other."""
        self.leave()
        self.control.ask("provision forget", {})
        self.phone.ask("forget")
        self.isPaired = False

    # MARK: Values

    def message(self, name, number):
        if not self.isConnected:
            self.pair()
        way, item = name.split(" ")
        if way == "read":
            answer = self.phone.ask("read", item=self.numbers[item])
        elif item in ("acceptSensor", "forgetSensor"):
            answer = self.write("acceptSensor", operations.PHONE["acceptSensor"])
            if "code" not in answer:
                answer = self.write("forgetSensor", operations.PHONE["forgetSensor"])
        elif item == "apply":
            answer = {}
            self.apply(number)
        else:
            if item == "rollBack":
                self.write("name", f"garage {number % 2}")
            answer = self.write(item, value_of(operations.PHONE[item]))
        self.phone.forget_events()
        if "code" in answer:
            # What went wrong is read once: it is another message.
            if name not in self.reasons:
                self.reasons[name] = self.phone.text(LAST_ERROR)
            raise Refused(self.reasons[name])

    def write(self, item, value):
        text = value if isinstance(value, str) else json.dumps(value)
        return self.phone.ask("write", item=self.numbers[item], value=text.encode().hex())

    def apply(self, number):
        self.write("rollBack", "staged")
        self.write("name", f"attic {number % 2}")
        self.phone.ask("subscribe", item=APPLY)
        lines = self.phone.apply()
        check(lines[-1]["step"] == "done", f"applying ended so: {lines}")

    def reset(self):
        """An owner has everything erased. The bond is, too."""
        if not self.isConnected:
            self.pair()
        answer = self.write("factoryReset", operations.PHONE["factoryReset"])
        check("code" not in answer, f"it is not reset: {answer}")
        self.isConnected = False
        wait_for("the link has ended", lambda: any(event["event"] == "disconnected" for event in self.phone.lines()), PATIENCE)
        self.phone.forget_events()
        self.phone.ask("forget")

    # MARK: People

    def person(self, name, number):
        if name == "connection of a phone" and not self.isPaired:
            # Strangers do not find the gateway.
            self.pair()
        self.leave()
        if name == "connection of a phone":
            self.connect()
            return self.leave()
        self.pair()
        if name == "set-up by phone":
            self.apply(number)
        return self.part()
