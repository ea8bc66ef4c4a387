#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The network helper of a machine whose Wi-Fi is made up: the lines of `martlet network-helper`, without NetworkManager.

    network_helper.py --socket /tmp/network.sock --state /tmp/network.json --network Attic=12345678

The state is what a restart finds: the networks that were kept, which of them is the next one, the country. A trial ends
with its connection, as the helper's does. One JSON line for each request, without passwords.
"""
import argparse
import json
import os
import pathlib
import socket
import threading
import uuid


class Machine:
    def __init__(self, options):
        self.lock = threading.Lock()
        self.networks = dict(word.split("=", 1) for word in options.network)
        self.file = pathlib.Path(options.state)
        self.disk = json.loads(self.file.read_text()) if self.file.exists() else {
            "kept": {}, "next": None, "country": None}
        self.trial = None
        # The connection that has it.
        self.tries = None

    def save(self):
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.disk))
        os.replace(new, self.file)

    @property
    def joined(self):
        return self.trial or self.disk["kept"].get(self.disk["next"])

    def status(self):
        joined = self.joined
        status = {"isConnected": joined is not None, "addresses": ["192.0.2.7"] if joined else [], "hasWiFi": True}
        if joined:
            status.update(ssid=joined, strength=70)
        if self.disk["country"]:
            status["country"] = self.disk["country"]
        return {"status": status}

    def answer(self, request, say, connection):
        verb = request.get("verb")
        if verb == "status":
            return self.status()
        if verb == "scan":
            return {"networks": [{"ssid": ssid, "strength": 70 - number, "security": "wpa2", "frequency": 2412,
                                  "isJoined": ssid == self.joined} for number, ssid in enumerate(self.networks)]}
        if verb == "country":
            self.disk["country"] = request["country"]
            self.save()
            return {}
        if verb == "join":
            say({"step": "associate"})
            if request["ssid"] not in self.networks:
                return {"failure": "network-not-found", "words": "not heard"}
            if self.networks[request["ssid"]] != request.get("password"):
                return {"failure": "wrong-password", "words": "the keys differ"}
            say({"step": "address"})
            self.trial, self.tries = request["ssid"], connection
            return self.status()
        if verb == "keep":
            if not self.trial:
                return {"failure": "failed", "words": "nothing is on trial"}
            name = str(uuid.uuid4())
            self.disk["kept"][name] = self.trial
            self.save()
            return {"kept": name}
        if verb == "settle":
            kept = request.get("kept")
            if kept is not None and kept not in self.disk["kept"]:
                return {"failure": "failed", "words": "there is no such network"}
            self.disk["next"], self.trial = kept, None
            self.disk["kept"] = {name: ssid for name, ssid in self.disk["kept"].items() if name == kept}
            self.save()
            return {}
        if verb == "take-back":
            self.trial = None
            return {}
        return {"failure": "not-valid", "words": "no such verb"}

    def serve(self, connection):
        with connection, connection.makefile("rwb", buffering=0) as stream:
            def say(line):
                stream.write(json.dumps(line).encode() + b"\n")
            try:
                while line := stream.readline():
                    request = json.loads(line)
                    with self.lock:
                        answer = self.answer(request, say, connection)
                    print(json.dumps({"verb": request.get("verb"), "ssid": request.get("ssid"),
                                      "failure": answer.get("failure")}), flush=True)
                    say(answer)
            except OSError:
                pass
        with self.lock:
            # Another one may have begun a trial meanwhile.
            if self.tries is connection:
                self.trial = None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socket", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--network", action="append", default=[], metavar="SSID=PASSWORD")
    options = parser.parse_args()
    machine = Machine(options)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(options.socket)
        listener.listen()
        print(json.dumps({"event": "listening"}), flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=machine.serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
