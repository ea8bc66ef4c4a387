# SPDX-License-Identifier: Apache-2.0
"""The languages of the page: each text is in each of them, the browser chooses, and nothing is left in English."""
import json

from harness import check

import looking
import scenes

# What is the same in both languages: names, units and words of a trade.
SAME = {
    "Martlet", "Live", "TVOC", "CO₂", "PM10", "Radon", "Id", "Signal", "Port", "Broker", "Name", "Journal", "Controller", "Text", "1 h", "d", "CSV",
    "0", "Sensor", "systemd-timesyncd", "WEP", "WPA", "WPA2", "WPA3", "TLS", "Status", "Gateway", "Terminal"}
# The texts of problems: in English the gateway's own stand. Tests/Unit/PageTests/GermanProblemTests.swift compares the others.
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

# The gateway's own sentences that are to be seen in English, where they are more than a value that the gateway has from elsewhere.
PROBLEMS = r"""
((problems) => {
  const shown = document.querySelector('#view').textContent.toLowerCase();
  return problems.flatMap(({ text, remedy, arguments: named }) => [text, remedy].filter(Boolean))
    .filter((words) => shown.includes(words.toLowerCase()));
})"""


def alike(page):
    """Each key of one language is in the other, as a text or as a function of as many arguments."""
    same = "new Set(" + repr(sorted(SAME)) + ")"
    wrong = page.run(COMPARE.replace("OWN", repr(OWN[0])).replace("SAME", same))
    check(not wrong, f"{len(wrong)} texts:\n" + "\n".join(wrong[:40]))


def complete(page):
    alike(page)
    return "each text is in both"


# The title, the text and the remedy that the page has for a problem of the gateway.
SAID = r"""
(async (problem) => {
  const { wordsOf } = await import(new URL('problems.js', location));
  const { title, text, remedy } = wordsOf(problem);
  return [title, text, remedy ?? null];
})"""

LIMIT = {"code": "limit-above", "title": "a", "text": "Temperature went above 8.5 °C: 9.5 °C; acknowledged", "arguments": {"subject": "a"},
         "parts": [{"phrase": "above-value",
                    "arguments": {"quantity": "Temperature", "key": "temperature", "limit": "8.5 °C", "value": "9.5 °C"}}],
         "notes": [{"phrase": "known", "arguments": {}}]}
DROPPED = {"code": "readings-dropped", "title": "a", "text": "1200 readings dropped: 1200 refused", "arguments": {"subject": "a", "count": "1200"},
           "parts": [{"phrase": "dropped", "arguments": {"count": "1200", "drop": "refused"}}]}
SILENT = {"code": "radio-silent", "title": "The radio hears nothing", "text": "it has heard no device for 2 d", "remedy": "Is it near?",
          "arguments": {"subject": "", "time": "2 d"}}
AWAITED = {"code": "sensor-awaited", "variant": "unheard", "title": "a", "text": "not seen yet", "remedy": "Nothing like it was heard lately",
           "arguments": {"subject": "a", "wants": 'the name "x and the name y" and the address C4:7C:8D:00:11:01'}}
CLOSED = {"code": "sensor-trouble", "title": "{cause}", "text": "{subject} {", "arguments": {"subject": "{cause}", "cause": "{subject} {"}}


# What the page says for a sentence of the gateway.
SENTENCE = r"""
(async (sentence) => (await import(new URL('problems.js', location))).said(sentence))"""

SENTENCES = {
    "log in first": "Melden Sie sich zuerst an",
    "another client is reading or writing {2}: ask again in a moment": "Jemand anders liest oder schreibt gerade {2}: Versuchen Sie es gleich noch einmal",
    "2A6E cannot be subscribed to: Reading is not permitted. (ATT error 2.) The gateway listens all the same; 180F/2A19 is not there":
        "2A6E kann nicht abonniert werden: Lesen ist nicht erlaubt. (ATT-Fehler 2.) Das Gateway hört trotzdem zu; 180F/2A19 ist nicht vorhanden",
    "The device is not connected": "Das Gerät ist nicht verbunden",
    "no sensor is called \"log in first\"": 'Kein Sensor heißt "log in first"',
    "toString": "toString",
    "a sentence of the next version: {1}": "a sentence of the next version: {1}"}


REFUSED = r"""
(async () => {
  const { Gateway, wordsOf } = await import(new URL('gateway.js', location));
  try {
    await new Gateway().post('/api/forget', { sensor: 'fridge' });
  } catch (error) {
    return wordsOf(error);
  }
})()"""


def said(page, gateway):
    """Problems in German, and in English where a template or a value is missing; sentences of the gateway and refusals as well."""
    own = [SILENT["title"], SILENT["text"], SILENT["remedy"]]
    for problem, expected in (
            (LIMIT, ["a", "Temperatur stieg über 8,5 °C: 9,5 °C; zur Kenntnis genommen", None]),
            (DROPPED, ["a", "1.200 Messwerte verworfen: 1.200 × zu groß für den Broker", None]),
            (SILENT, ["Der Funk hört nichts", "Das Gateway sucht und hat seit 2 T kein Gerät gehört", "Ist die Antenne angeschlossen, und ist ein "
                      "Sensor in der Nähe? Metall um das Gateway hält alle Signale ab."]),
            (AWAITED, ["a", 'Noch nicht gesehen; sein Eintrag verlangt den Namen "x and the name y" und die Adresse C4:7C:8D:00:11:01',
                       "Nichts dergleichen war zuletzt zu hören: Ist er eingeschaltet und in der Nähe?"]),
            (CLOSED, ["{cause}", "{subject} {", None]),
            ({**SILENT, "code": "new-in-the-next-version"}, own), ({**SILENT, "variant": "new"}, own), ({**SILENT, "arguments": {}}, own),
            ({**SILENT, "notes": [{"phrase": "new", "arguments": {}}]}, own), ({**SILENT, "code": "toString"}, own),
            ({key: value for key, value in SILENT.items() if key != "arguments"}, ["Der Funk hört nichts", *own[1:]])):
        words = page.run(f"{SAID}({json.dumps(problem)})")
        check(words == expected, f"{problem['code']}: {words}, not {expected}")
    for sentence, expected in SENTENCES.items():
        words = page.run(f"{SENTENCE}({json.dumps(sentence)})")
        check(words == expected, f"{sentence}: {words}, not {expected}")
    gateway.refusals["/api/forget"] = "another change is being tried out: wait for its end"
    words = page.run(REFUSED)
    check(words == "Eine andere Änderung wird gerade ausprobiert: Warten Sie, bis sie fertig ist", f"refused: {words}")
    return "German where there is a template, English otherwise"


def german(page, found, views, scene, problems):
    """All views in German, audited; no text of the page is left in English."""
    check(page.run("document.documentElement.lang") == "de", "the page does not say that it is German")
    for view, title in views.items():
        scenes.go(page, view)
        if view == "setup":
            page.wait("the settings", "document.querySelector('#host')?.value !== undefined && !document.querySelector('#view .busy-line')")
        check(page.run("document.querySelector('h1').textContent") == title, f"the heading of {view} is not {title}")
        left = page.run(LEFT)
        check(not left, f"{scene}, {view}: left in English: {sorted(set(left))}")
        if view == "overview":
            many = page.run("document.querySelectorAll('.todo > li').length")
            check(bool(many) == bool(problems), f"{scene}: {many} problems on the page, {len(problems)} of the gateway")
            left = page.run(f"{PROBLEMS}({json.dumps(problems)})")
            check(not left, f"{scene}: problems in English: {left}")
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
