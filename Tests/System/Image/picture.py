#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""picture.py TITLE <TEXT >SVG: what a text screen shows, as a picture for the documents."""
import html
import sys

WIDTH, HEIGHT, MARGIN = 8.43, 18, 16


def picture(title, lines):
    columns = max(map(len, lines), default=0)
    width, height = columns * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    rows = "".join(
        f'<text x="{MARGIN}" y="{MARGIN + 13 + number * HEIGHT}" xml:space="preserve" '
        f'textLength="{len(line) * WIDTH:.0f}">{html.escape(line)}</text>\n'
        for number, line in enumerate(lines) if line)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
            f'height="{height}" role="img">\n<title>{html.escape(title)}</title>\n'
            f'<rect width="100%" height="100%" rx="6" fill="#111"/>\n'
            f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#ddd">\n{rows}</g>\n</svg>')


print(picture(sys.argv[1], [line.rstrip() for line in sys.stdin.read().strip("\n").splitlines()]))
