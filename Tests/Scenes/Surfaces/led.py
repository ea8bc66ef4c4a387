# SPDX-License-Identifier: Apache-2.0
"""The board's LED: a folder that plays one of /sys/class/leds, in this program's own mount namespace."""
import pathlib
import subprocess
import threading
import time

from harness import check, program, wait_for

NAME = "martlet-scene"
FORMER = "mmc0"
# The paces of docs/status.md, in milliseconds of light and of darkness.
FAILURE, SOUGHT = ("500", "1500"), ("100", "100")


class LED:
    """Its trigger reads as the kernel writes it: all triggers, the present one in brackets."""

    TRIGGERS = ("none", FORMER, "timer")

    def __init__(self, folder):
        self.folder = self._mount(folder)
        self.files = {name: self.folder / name for name in ("trigger", "delay_on", "delay_off")}
        for file in self.files.values():
            file.write_text("")
        self.is_over = False
        self._list(FORMER)
        self.thread = threading.Thread(target=self._play, daemon=True)
        self.thread.start()

    @staticmethod
    def _mount(folder):
        """A machine without LEDs has no folder for them, and sysfs takes none: then all classes are shown by links."""
        leds = pathlib.Path("/sys/class/leds")
        here = folder / "class"
        if leds.exists():
            (here / NAME).mkdir(parents=True)
            subprocess.run([program("mount"), "--bind", here, leds], check=True)
        else:
            for link in leds.parent.glob("*/*"):
                if link.is_symlink():
                    (here / link.parent.name).mkdir(parents=True, exist_ok=True)
                    (here / link.parent.name / link.name).symlink_to(link.readlink())
            (here / "leds" / NAME).mkdir(parents=True)
            subprocess.run([program("mount"), "--bind", here, leds.parent], check=True)
        return leds / NAME

    def _list(self, present):
        self.files["trigger"].write_text(" ".join(f"[{name}]" if name == present else name for name in self.TRIGGERS) + "\n")

    def _play(self):
        """The kernel's part: a trigger that was written is the present one of the list."""
        while not self.is_over:
            written = self.files["trigger"].read_text().strip()
            if written in self.TRIGGERS:
                self._list(written)
            time.sleep(0.02)

    def _trigger(self):
        text = self.files["trigger"].read_text().strip()
        return text if text in self.TRIGGERS else text.partition("[")[2].partition("]")[0]

    def pace(self):
        """Milliseconds of light and of darkness; None: the LED shows what it showed before."""
        # The list is written anew by the kernel's part.
        trigger = wait_for("the LED has a trigger", self._trigger, 2)
        if trigger != "timer":
            check(trigger == FORMER, f"the LED has the trigger {trigger!r}")
            return None
        return tuple(self.files[name].read_text().strip() for name in ("delay_on", "delay_off"))

    def close(self):
        self.is_over = True
        self.thread.join()
