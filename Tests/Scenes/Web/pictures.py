# SPDX-License-Identifier: Apache-2.0
"""The pictures of the page in docs/images, with few colours: each below 80 kB."""
import pathlib
import subprocess
import sys

import browser as tool
import mock as stand_in
from harness import ROOT, check

from scenes import go, open_first_sheet, wait_for_status

LIMIT = 80_000
SHOTS = {
    "page-overview": ("twelve", "overview", (1280, 900), False, "en"),
    "page-overview-dark": ("well", "overview", (1280, 900), True, "en"),
    "page-phone": ("four", "overview", (360, 740), False, "en"),
    "page-rooms": ("sixty", "overview", (360, 740), True, "de"),
    "page-sensor": ("well", "sheet", (1280, 900), False, "en"),
    "page-inside": ("busy", "inside", (1280, 900), False, "en"),
}
# Each card that is to be seen has its chart.
CHARTS = ("[...document.querySelectorAll('#sensors .card')].filter((card) => card.getBoundingClientRect().top < innerHeight)"
          ".every((card) => card.querySelector('.chart-line') !== null)")


def take(browser):
    sizes = []
    for name, (scene, view, size, dark, language) in SHOTS.items():
        gateway = stand_in.Mock(scene)
        page = tool.Page(browser, gateway.address, size=size, dark=dark, agent="Mozilla/5.0 Chrome/156.0.0.0", languages=language)
        try:
            wait_for_status(page)
            page.wait("the sensors", "document.querySelector('#sensors .values dd') !== null")
            if scene in ("well", "twelve"):
                page.wait("the charts", CHARTS)
            if view == "sheet":
                open_first_sheet(page)
                page.wait("the chart", "document.querySelector('dialog .chart-line') !== null")
            elif view != "overview":
                go(page, view)
            page.run("document.activeElement.blur()")
            file = ROOT / "docs" / "images" / f"{name}.png"
            page.picture(file)
        finally:
            page.close()
            gateway.close()
        shrink(file)
        check(file.stat().st_size < LIMIT, f"{file.name} has {file.stat().st_size} octets")
        sizes.append(f"{file.name} {file.stat().st_size // 1000} kB")
    return ", ".join(sizes)


def shrink(file, folder=ROOT / ".build" / "web-pictures"):
    """128 colours are enough for what is drawn with so few."""
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(folder),
                        "-r", str(pathlib.Path(__file__).with_name("requirements-pictures.txt"))], check=True)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    from PIL import Image
    with Image.open(file) as picture:
        few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save(file, optimize=True)
