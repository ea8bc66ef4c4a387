#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""supervisor.py PORT TOKEN ANSWER LOG - a Supervisor of Home Assistant that knows one question, /services/mqtt, and whom it
may answer: ANSWER is the JSON of the service, or - where there is none. LOG gets a line a request: path and status.
"""
import http.server
import json
import sys

port, token, answer, log = sys.argv[1:]


class Supervisor(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.headers.get("Authorization") != f"Bearer {token}":
            status, body = 401, {"result": "error", "message": "unauthorized"}
        elif self.path != "/services/mqtt":
            status, body = 404, {"result": "error", "message": "no such path"}
        elif answer == "-":
            status, body = 400, {"result": "error", "message": "Service not enabled"}
        else:
            status, body = 200, {"result": "ok", "data": json.loads(answer)}
        with open(log, "a") as file:
            print(self.path, status, file=file)
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Supervisor).serve_forever()
