#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nobody waits for a browser that is closed, or whose program is gone: browser.py."""
import contextlib
import os
import pathlib
import signal
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import browser as tool  # noqa: E402
from harness import Failed, wait_for  # noqa: E402


class Waiter(threading.Thread):
    """Asks the browser for what never comes."""

    def __init__(self, browser):
        super().__init__(daemon=True)
        self.browser, self.failure = browser, None
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def run(self):
        try:
            self.browser.call("Runtime.evaluate", self.session, expression="new Promise(() => {})", awaitPromise=True)
        except Failed as failure:
            self.failure = str(failure)


class BrowserTests(unittest.TestCase):
    def setUp(self):
        self.log = tempfile.NamedTemporaryFile()
        self.addCleanup(self.log.close)
        self.browser = tool.Browser(self.log.name)
        self.addCleanup(self.close)
        self.waiters = [Waiter(self.browser) for _ in range(3)]
        for waiter in self.waiters:
            waiter.start()
        wait_for("all have asked", lambda: len(self.browser.answers) == 3, 10)

    def close(self):
        with contextlib.suppress(OSError):
            self.browser.close()

    def nobody_waits(self):
        for waiter in self.waiters:
            waiter.join(tool.PATIENCE / 2)
            self.assertIn("Chromium has ended", waiter.failure or "still waits")
        # The next question is refused at once.
        self.assertRaisesRegex(Failed, "Chromium has ended", self.browser.call, "Browser.getVersion")

    def test_closed_in_order(self):
        self.browser.close()
        self.nobody_waits()

    def test_killed(self):
        os.killpg(self.browser.process.pid, signal.SIGKILL)
        self.nobody_waits()


if __name__ == "__main__":
    unittest.main()
