# SPDX-License-Identifier: Apache-2.0
"""`martlet-peer pairing` as a child process: commands go in, and what happens comes out, as JSON lines."""
import json
import subprocess
import threading


class OurEnd:
    """`deliver` is called with each line, and with None at the end, on a thread of its own."""

    def __init__(self, command, log, deliver):
        self.log = open(log, "ab", buffering=0)
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log)
        self.thread = threading.Thread(target=self._read, args=[deliver], daemon=True)
        self.thread.start()

    def _read(self, deliver):
        for line in self.process.stdout:
            self.log.write(b"< " + line)
            deliver(json.loads(line))
        deliver(None)

    def tell(self, do, **fields):
        line = json.dumps({"do": do, **fields}).encode() + b"\n"
        self.log.write(b"> " + line)
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def end(self):
        """Its exit status; it ends with its standard input."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
