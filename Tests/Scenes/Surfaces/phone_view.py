# SPDX-License-Identifier: Apache-2.0
"""The status and the log that a paired phone reads: Bumble as the phone, on the radio of the gateway."""
import contextlib
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Interop"), str(HERE.parents[1] / "Proof" / "Leaks")]
from asking import ControlSocket  # noqa: E402
from harness import Failed, check, wait_for  # noqa: E402
from phone_desk import STATUS, Phone  # noqa: E402

LOG = "0041"


class PhoneView:
    """A phone in the owner's hand. It reads in each look while it has a link."""

    def __init__(self, bench):
        self.bench, self.phone, self.count, self.reads = bench, None, 0, 0

    @property
    def is_linked(self):
        """The link is there, as far as the phone knows."""
        return self.phone is not None and self.phone.process.alive() and not self.phone.events("disconnected")

    def leave(self):
        """The phone is out of reach."""
        if self.phone:
            self.phone.process.discard()
            self.phone = None

    def link(self, air, configuration):
        """Links and pairs where the phone has no link. A new phone each time: a radio that is gone takes its link along."""
        if self.is_linked:
            return
        self.leave()
        control = ControlSocket(self.bench, configuration)
        control.ask("provision forget", {})
        self.count += 1
        self.phone = Phone(self.bench, f"tcp-client:127.0.0.1:{air}", name=f"phone-{self.count}")
        # Passkeys are shown while somebody looks.
        with control.hold({"command": "provision-open", "action": "open", "minutes": 5}):
            def passkey():
                return int(wait_for("a passkey is shown", lambda: control.ask("provision status", {}).get("passkey"), 20))
            passkey()
            self.phone.connect(interval=7.5)
            ended = self.phone.pair(passkey)
        check(ended["event"] == "paired", f"the phone did not pair: {ended}")

    def _read(self, item):
        """None where the link ends meanwhile."""
        number, deadline = self.phone.begin("read", item=item), time.monotonic() + 60
        while self.is_linked:
            answer = next((line for line in self.phone.lines() if line.get("id") == number), None)
            if answer:
                if "value" not in answer and not self.is_linked:
                    break
                check("value" in answer, f"the phone reads {item}: {answer}")
                self.reads += 1
                return bytes.fromhex(answer["value"]).decode()
            check(time.monotonic() < deadline, f"the phone reads {item}, and gets no answer for a minute")
            time.sleep(0.005)
        return None

    def status(self):
        """None without a link."""
        text = self._read(STATUS) if self.is_linked else None
        return text and json.loads(text)

    def log(self):
        """The newest lines; None without a link."""
        text = self._read(LOG) if self.is_linked else None
        return text and text.splitlines()

    def close(self):
        with contextlib.suppress(Failed, OSError):
            self.leave()
