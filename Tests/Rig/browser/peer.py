# SPDX-License-Identifier: Apache-2.0
"""The Bluetooth of a browser by `martlet-peer bridge`, a central of ours: JSON lines to and fro."""
import concurrent.futures
import itertools
import json
import subprocess
import threading

from harness import Failed, check, wait_for

PATIENCE = 120


class PeerGateway:
    """Answers what the page asks with what a gateway on the virtual radio answers."""

    def __init__(self, bench, controller, name="phone"):
        self.process = bench.start(name, [
            bench.peer, "bridge", "--controller", controller, "--state", bench.folder / name,
            "--capture", bench.folder / f"{name}.btsnoop"], stdin=subprocess.PIPE)
        # Who is asked for a passkey: its digits, or None to cancel the dialog.
        self.person = lambda: None
        self.prompts, self.pairings = 0, []
        self.notify = lambda uuid, value: None
        self.disconnected = lambda: None
        self.numbers, self.answers, self.lock = itertools.count(1), {}, threading.Lock()
        self.people = concurrent.futures.ThreadPoolExecutor(1)
        self.is_over, self.end = False, None  # Why there are no more answers.
        threading.Thread(target=self._read, daemon=True).start()

    def attach(self, notify, disconnected):
        self.notify, self.disconnected = notify, disconnected

    def detach(self):
        self.attach(lambda uuid, value: None, lambda: None)

    def close(self):
        """Ends the peer; nothing of it is left."""
        self.is_over = True
        self.process.process.stdin.close()
        wait_for("the peer ends", lambda: not self.process.alive(), 30)

    def answer(self, request):
        if request["op"] == "availability":
            return {"available": True}
        return self.ask(**{key: value for key, value in request.items() if key != "id"})

    def ask(self, **request):
        answer = concurrent.futures.Future()
        with self.lock:
            check(self.end is None, self.end)
            request["id"] = next(self.numbers)
            self.answers[request["id"]] = answer
            self.process.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.process.stdin.flush()
        result = answer.result(PATIENCE)
        return {key: value for key, value in result.items() if key != "id"}

    def _read(self):
        rest, position = b"", 0
        while True:
            is_last = self.is_over or not self.process.alive()
            with open(self.process.output, "rb") as output:
                output.seek(position)
                new = output.read()
            if not new:
                if is_last:
                    break
                threading.Event().wait(0.01)
                continue
            position += len(new)
            *lines, rest = (rest + new).split(b"\n")
            for line in lines:
                self._take(json.loads(line))
        with self.lock:
            self.end, left = "the peer has ended", list(self.answers.values())
            self.answers.clear()
        for answer in left:
            answer.set_exception(Failed(self.end))

    def _take(self, line):
        if "id" in line:
            answer = self.answers.pop(line["id"], None)
            if answer:
                answer.set_result(line)
        elif line["event"] == "value":
            self.notify(line["uuid"], bytes.fromhex(line["value"]))
        elif line["event"] == "disconnected":
            self.disconnected()
        elif line["event"] == "passkey":
            self.people.submit(self._prompt)
        elif line["event"] == "pairing":
            self.pairings.append(line)

    def _prompt(self):
        self.prompts += 1
        passkey = self.person()
        self.ask(op="answer", **({"passkey": passkey} if passkey else {}))
