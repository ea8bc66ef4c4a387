#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ddi_server.py --bundle FILE --release VERSION --targets FILE - a small update server for a few gateways, to try things with.

It speaks the Direct Device Integration API of Eclipse hawkBit, which updaters of RAUC speak: a gateway polls, is told of a
deployment, fetches the bundle (in ranges, too), and reports how it goes. TARGETS has a line a gateway: its id and its token.

`--at-once N` has N gateways under way at a time, and no more begin once one has failed: `--stop-after 2` allows one failure.
State is in memory; SIGTERM ends it. Each step is a JSON line on the standard output.
"""
import argparse
import hashlib
import http.server
import json
import pathlib
import re
import signal
import sys
import threading

TENANT = "DEFAULT"
CHUNK = 64 * 1024


class Rollout:
    """Who is to have the bundle, and how far each of them is."""

    def __init__(self, targets, bundle, version, at_once, stop_after):
        self.lock = threading.Lock()
        self.tokens = targets
        self.bundle, self.version = bundle, version
        self.at_once, self.stop_after = at_once, stop_after
        self.state = {}        # target: "running", "success" or "failure"; none before its turn
        self.attributes = {}
        self.hashes = {name: hashlib.new(name) for name in ("md5", "sha1", "sha256")}
        with open(bundle, "rb") as file:
            while block := file.read(CHUNK):
                for digest in self.hashes.values():
                    digest.update(block)
        self.hashes = {name: digest.hexdigest() for name, digest in self.hashes.items()}
        self.size = bundle.stat().st_size

    def say(self, event, target, **more):
        print(json.dumps({"event": event, "target": target, **more}), flush=True)

    def is_open(self, target):
        """Whether the target has a deployment to carry out; it gets one here when it is its turn."""
        with self.lock:
            if target not in self.state:
                running = sum(state == "running" for state in self.state.values())
                failed = sum(state == "failure" for state in self.state.values())
                if running >= self.at_once or failed >= self.stop_after:
                    return False
                self.state[target] = "running"
                self.say("assigned", target, version=self.version)
            return self.state[target] == "running"

    def wants_attributes(self, target):
        with self.lock:
            return target not in self.attributes

    def identified(self, target, attributes):
        with self.lock:
            self.attributes[target] = attributes
        self.say("attributes", target, attributes=attributes)

    def told(self, target, execution, result, details):
        self.say("feedback", target, execution=execution, result=result, details=details)
        with self.lock:
            if execution == "closed" and self.state.get(target) == "running":
                self.state[target] = "success" if result == "success" else "failure"
            elif execution == "rejected":
                self.state[target] = "failure"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    rollout: Rollout

    def do_GET(self):
        parts = self._parts()
        if parts is None:
            return
        target, rest = parts
        base = f"http://{self.headers['Host']}/{TENANT}/controller/v1/{target}"
        rollout = self.rollout
        if rest == "":
            rollout.say("poll", target)
            links = {}
            if rollout.wants_attributes(target):
                links["configData"] = {"href": f"{base}/configData"}
            if rollout.is_open(target):
                # The number after c changes when the deployment does: updaters leave one out that they know.
                links["deploymentBase"] = {"href": f"{base}/deploymentBase/1?c={int(rollout.hashes['sha1'][:7], 16)}"}
            self._json({"config": {"polling": {"sleep": self.server.sleep}}, "_links": links})
        elif re.fullmatch(r"/deploymentBase/1", rest):
            if not rollout.is_open(target):
                return self._refuse(404, "no deployment")
            href = f"{base}/softwaremodules/1/artifacts/{rollout.bundle.name}"
            self._json({"id": "1", "deployment": {"download": "forced", "update": "forced", "chunks": [{
                "part": "os", "name": "martlet", "version": rollout.version, "artifacts": [{
                    "filename": rollout.bundle.name, "hashes": rollout.hashes, "size": rollout.size,
                    "_links": {"download-http": {"href": href}}}]}]}})
        elif rest == f"/softwaremodules/1/artifacts/{rollout.bundle.name}":
            self._artifact(target)
        else:
            self._refuse(404, "not here")

    def do_HEAD(self):
        self.do_GET()

    def do_PUT(self):
        parts, body = self._parts(), self._body()
        if parts is None or body is None:
            return
        if parts[1] != "/configData":
            return self._refuse(404, "not here")
        self.rollout.identified(parts[0], body.get("data", {}))
        self._empty()

    def do_POST(self):
        parts, body = self._parts(), self._body()
        if parts is None or body is None:
            return
        if parts[1] != "/deploymentBase/1/feedback":
            return self._refuse(404, "not here")
        try:
            status = body["status"]
            execution, result = status["execution"], status["result"]["finished"]
        except (KeyError, TypeError):
            return self._refuse(400, "no status")
        self.rollout.told(parts[0], execution, result, status.get("details", []))
        self._empty()

    def _parts(self):
        """The target and what follows in the path; None once a refusal is out."""
        match = re.fullmatch(rf"/{TENANT}/controller/v1/([A-Za-z0-9_.-]+)(/.*)?", self.path.partition("?")[0])
        if not match:
            self._refuse(404, "not here")
            return None
        target, rest = match[1], match[2] or ""
        token = self.rollout.tokens.get(target)
        if token is None or self.headers.get("Authorization") != f"TargetToken {token}":
            self.rollout.say("refused", target)
            self._refuse(401, "no such target, or not its token")
            return None
        return target, rest

    def _body(self):
        """The body as an object; None once a refusal is out."""
        try:
            length = int(self.headers.get("Content-Length", "0"))
            if not 0 <= length <= CHUNK:
                raise ValueError
            body = json.loads(self.rfile.read(length))
            if not isinstance(body, dict):
                raise ValueError
            return body
        except ValueError:
            self.close_connection = True
            self._refuse(400, "no object")
            return None

    def _artifact(self, target):
        size = self.rollout.size
        first, last = 0, size - 1
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted:
            first, last = int(wanted[1]), min(int(wanted[2] or last), last)
            if first > last:
                return self._refuse(416, "no such range")
        self.rollout.say("download", target, first=first, last=last)
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(last - first + 1))
        self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        if self.command == "HEAD":
            return
        with open(self.rollout.bundle, "rb") as file:
            file.seek(first)
            left = last - first + 1
            while left > 0 and (block := file.read(min(CHUNK, left))):
                self.wfile.write(block)
                left -= len(block)

    def _json(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/hal+json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _empty(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _refuse(self, status, text):
        data = json.dumps({"message": text}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", type=pathlib.Path, required=True)
    parser.add_argument("--release", required=True, help="the version that the bundle brings")
    parser.add_argument("--targets", type=pathlib.Path, required=True)
    parser.add_argument("--listen", default="127.0.0.1:8080")
    parser.add_argument("--sleep", default="00:05:00", help="from one poll to the next")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--stop-after", type=int, default=1, help="failures after which nobody else begins")
    arguments = parser.parse_args()
    targets = dict(line.split() for line in arguments.targets.read_text().splitlines() if line.strip())
    host, _, port = arguments.listen.rpartition(":")
    server = http.server.ThreadingHTTPServer((host, int(port)), Handler)
    server.sleep = arguments.sleep
    Handler.rollout = Rollout(targets, arguments.bundle, arguments.release, arguments.at_once, arguments.stop_after)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    print(json.dumps({"event": "listening", "port": server.server_address[1]}), flush=True)
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
