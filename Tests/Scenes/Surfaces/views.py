# SPDX-License-Identifier: Apache-2.0
"""Pictures of the gateway's own page in headless Chromium, on a phone, as each situation shows it."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Rig" / "browser"), str(HERE.parent / "Web")]
import browser as tool  # noqa: E402
from scenes import wait_for_status  # noqa: E402

WIDTH, HEIGHT = 390, 844


class Views:
    """One Chromium that looks at pages, and a folder of pictures."""

    def __init__(self, folder, bench):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.browser = folder, tool.Browser(bench.folder / "chromium.log")

    def take(self, port, name, text):
        """The first screen of the overview when it shows this text, with the words of each problem."""
        page = tool.Page(self.browser, f"http://127.0.0.1:{port}/", size=(WIDTH, HEIGHT), languages="en")
        try:
            # One pixel of the page is one of the picture: the pictures stay small.
            page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=True)
            wait_for_status(page)
            page.wait("the problem", "document.querySelector('.todo li') !== null")
            page.see(text, 60)
            page.run("document.querySelectorAll('.todo details').forEach((one) => { one.open = true; })")
            page.run("document.activeElement.blur()")
            page.picture(self.folder / f"{name}.png")
        finally:
            page.close()

    def close(self):
        self.browser.close()
