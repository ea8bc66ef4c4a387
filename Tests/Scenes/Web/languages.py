# SPDX-License-Identifier: Apache-2.0
"""The languages of the page: each text is in each of them, the browser chooses, and nothing is left in English."""
import re

from harness import ROOT, check

import looking
import scenes

# What is the same in both languages: names, units and words of a trade.
SAME = {
    "Martlet", "Live", "TVOC", "CO₂", "PM10", "Radon", "Id", "Signal", "Port", "Broker", "Name", "Journal", "Controller", "Text", "1 h", "d", "CSV",
    "0", "Sensor", "systemd-timesyncd", "WEP", "WPA", "WPA2", "WPA3", "TLS", "Status", "Gateway", "Terminal"}
# Titles of problems: in English the gateway's own stand.
OWN = ("problems",)

COMPARE = r"""
(async () => {
  const { text: english } = await import(new URL('strings.en.js', location));
  const { text: german } = await import(new URL('strings.de.js', location));
  const wrong = [];
  const kind = (value) => (Array.isArray(value) ? 'list' : typeof value);
  const compare = (one, other, path) => {
    if (path === OWN) return;
    if (kind(one) !== kind(other)) wrong.push(`${path}: ${kind(one)} in English, ${kind(other)} in German`);
    else if (kind(one) === 'function') { if (one.length !== other.length) wrong.push(`${path}: takes ${one.length} and ${other.length}`); }
    else if (kind(one) === 'string') {
      if (!one.trim() || !other.trim()) wrong.push(`${path}: empty`);
      if (one === other && !SAME.has(one) && one !== 'en') wrong.push(`${path}: “${one}” in both`);
    } else {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) compare(one[key], other[key], path ? `${path}.${key}` : key);
    }
  };
  compare(english, german, '');
  return wrong;
})()"""

# The English texts of the page that are to be seen word for word.
LEFT = r"""
(async () => {
  const { text: english } = await import(new URL('strings.en.js', location));
  const { text: german } = await import(new URL('strings.de.js', location));
  const words = (value) => (typeof value === 'string' ? [value] : value && typeof value === 'object' ? Object.values(value).flatMap(words) : []);
  const other = new Set(words(german));
  const known = new Set(words(english).filter((text) => text.length > 3 && !other.has(text)));
  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    if (known.has(text)) seen.push(text);
  }
  for (const node of document.querySelectorAll('[aria-label], [placeholder], [alt]')) {
    for (const name of ['aria-label', 'placeholder', 'alt']) if (known.has(node.getAttribute(name))) seen.push(node.getAttribute(name));
  }
  return seen;
})()"""


def alike(page):
    """Each key of one language is in the other, as a text or as a function of as many arguments."""
    same = "new Set(" + repr(sorted(SAME)) + ")"
    wrong = page.run(COMPARE.replace("OWN", repr(OWN[0])).replace("SAME", same))
    check(not wrong, f"{len(wrong)} texts:\n" + "\n".join(wrong[:40]))


def complete(page):
    alike(page)
    # A title of a problem that says more than the sensor's name has to be translated.
    table = (ROOT / "Sources" / "Health" / "ProblemTable.swift").read_text()
    names = dict(re.findall(r'case (\w+)(?: = "([\w-]+)")?', (ROOT / "Sources" / "Health" / "ProblemCode.swift").read_text()))
    codes = {names.get(code) or code for code, title in re.findall(r'code: \.(\w+),.*?title:\s*"([^"]*)"', table, re.S) if "{subject}" not in title}
    found = set(page.run("import('/strings.de.js').then(({ text }) => Object.keys(text.problems))"))
    check(found == codes, f"titles of problems: {sorted(found ^ codes)}")
    return "each text is in both"


def german(page, found, views, scene):
    """All views in German, audited; no text of the page is left in English."""
    check(page.run("document.documentElement.lang") == "de", "the page does not say that it is German")
    for view, title in views.items():
        scenes.go(page, view)
        if view == "setup":
            page.wait("the settings", "document.querySelector('#host')?.value !== undefined && !document.querySelector('#view .busy-line')")
        check(page.run("document.querySelector('h1').textContent") == title, f"the heading of {view} is not {title}")
        left = page.run(LEFT)
        check(not left, f"{scene}, {view}: left in English: {sorted(set(left))}")
        looking.audit(page, f"German, {scene}, {view}", found)
    scenes.go(page, "overview")


def phone(page, found):
    """The set-up page in German: its texts are complete, and those that are to be seen are German."""
    page.wait("the page", "document.querySelector('h1')?.textContent.length > 3")
    check(page.run("document.documentElement.lang") == "de", "the set-up page does not say that it is German")
    check(page.run("document.title") == "Ein Martlet-Gateway einrichten", f"its title is {page.run('document.title')}")
    alike(page)
    left = page.run(LEFT)
    check(not left, f"left in English: {sorted(set(left))}")
    for size in (looking.PHONE, looking.DESKTOP, looking.NARROW):
        page.look(size)
        found += [f"set-up page, German, {size[0]} px: {line}" for line in page.run(looking.MEASURE)]


VIEWS = {"overview": "Übersicht", "air": "Geräte in der Nähe", "inside": "Diagnose", "log": "Protokoll", "setup": "Einstellungen"}
