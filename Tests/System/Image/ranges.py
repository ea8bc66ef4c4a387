#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ranges.py FOLDER PORT: serves a folder over HTTP on loopback with range requests, which RAUC's streaming wants and Python's
own server does not know."""
import functools
import http.server
import re
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send_head(self):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            return super().send_head()
        try:
            file = open(self.translate_path(self.path), "rb")
        except OSError:
            self.send_error(404)
            return None
        size = file.seek(0, 2)
        first = int(wanted[1])
        last = min(int(wanted[2] or size - 1), size - 1)
        if first > last:
            file.close()
            self.send_error(416)
            return None
        file.seek(first)
        self.left = last - first + 1
        self.send_response(206)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(self.left))
        self.end_headers()
        return file

    def copyfile(self, source, outputfile):
        left = getattr(self, "left", None)
        self.left = None
        if left is None:
            super().copyfile(source, outputfile)
            return
        while left > 0 and (data := source.read(min(left, 1 << 16))):
            outputfile.write(data)
            left -= len(data)


def server(folder, port):
    handler = functools.partial(Handler, directory=str(folder))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


if __name__ == "__main__":
    server(sys.argv[1], int(sys.argv[2])).serve_forever()
