# SPDX-License-Identifier: Apache-2.0
"""The languages of the page: each text is in each of them, the browser chooses, and nothing is left in English."""
import json
import pathlib
import re

from harness import check

import looking
import scenes

# What is the same in both languages: names, units and words of a trade.
SAME = {
    "Martlet", "Live", "TVOC", "CO₂", "PM10", "Radon", "Id", "Signal", "Port", "Broker", "Name", "Journal", "Controller", "Text", "1 h", "d", "CSV",
    "0", "Sensor", "systemd-timesyncd", "WEP", "WPA", "WPA2", "WPA3", "TLS", "Status", "Gateway", "Terminal",
    "Home Assistant"}
# The texts of problems, and other sentences: in English the gateway's own stand. GermanProblemTests and GermanSentenceTests
# (Tests/Unit/PageTests) compare the others.
OWN = ("problems", "sentences", "values")

COMPARE = r"""
(async () => {
  const { text: english } = await import(new URL('strings.en.js', location));
  const { text: german } = await import(new URL('strings.de.js', location));
  const wrong = [];
  const kind = (value) => (Array.isArray(value) ? 'list' : typeof value);
  const compare = (one, other, path) => {
    if (OWN.has(path)) return;
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
    wrong = page.run(COMPARE.replace("OWN", "new Set(" + repr(list(OWN)) + ")").replace("SAME", same))
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


# Answers of martlet why, made by Tests/Unit/CollectorTests/ExplanationTextTests.swift, and such as need more than facts of one sensor.
EXPLANATIONS = json.loads((pathlib.Path(__file__).parent / "data" / "explanations.json").read_text())["sentences"] + [
    'The sensor has not been seen since the gateway started; its entry asks for the name "the fridge" and the address C4:7C:8D:00:11:01.',
    "The sensor is heard, but takes no connection; last heard 3 s ago at -60 dBm.",
    'Is the sensor among these devices, by another name or address? In the air: "Fridge" (C4:7C:8D:00:11:01, -62 dBm, has the service, takes no '
    'connection); a device without a name (C4:7C:8D:00:11:02, -70 dBm, takes no connection).',
    "No similar device was heard lately: is the sensor switched on, near, and not connected to a phone or another gateway?",
    "The device takes no connection, and no decoder here knows its data. For a decoder of your own: its advertisement 020106, its scan response 04.",
    "The gateway let the sensor go 3 d ago: no entry accepts the sensor any more.",
    "The gateway let the sensor go less than 1 s ago: unpaired, looked for again.",
    "To collect from the sensor again: write a [[sensor]] entry, or run martlet accept C4:7C:8D:00:11:01.",
    "The gateway collects nothing from the device: no [[sensor]] entry accepts the device; last heard 3 s ago at -60 dBm.",
    "To collect from the device, write an entry with its name: its address changes every few minutes.",
    # The first sentence of a controller's trouble is the answer, the rest is the advice.
    "The sensor is not connected: the controller is not ready (hci0 is busy: bluetoothd uses the adapter).",
    "Run «systemctl disable --now bluetooth», or set AutoEnable=false in /etc/bluetooth/main.conf and start the machine again.",
    "The sensor is not connected: the controller is not ready (hci0: not permitted to take the adapter over: CAP_NET_ADMIN is missing).",
    "The sensor is not connected: the controller is not ready (unix:/tmp/c: connect failed: No such file or directory).",
    "No program listens there: start the controller's program, or name another place.",
    # The gateway cuts long details of events.
    "the counter of its packets went back, and the gateway refuses the packets: after a change of the battery, run martlet trust kitchen; else perhaps an att…",
    "its passkey has failed 3 times, and the gateway does not ri…"]
# Words of English that no German sentence has, and no name of the specification.
ENGLISH = re.compile(r"\b(?:the|is|are|of|and|or|has|have|came|not|no|for|with|from|its|ago|every|this|been|when|run|then)\b")

SENTENCES_OF = r"""
(async (sentences) => {
  const { said } = await import(new URL('problems.js', location));
  return sentences.map(said);
})"""


# Findings of configurations, made by Tests/Unit/GatewayTests/FindingTextTests.swift, and such as need files or another machine.
FINDINGS = json.loads((pathlib.Path(__file__).parent / "data" / "findings.json").read_text())["sentences"] + [
    '/etc/martlet/martlet.toml:3: this [[sensor]] has a bindkey, and others can read the file; run chmod 600 on it, or keep the key in a bindkey_file',
    '/etc/martlet/conf.d/a.toml:7: mqtt.retain has no effect any more: remove it, for the next release does not know it',
    '/etc/martlet/martlet.toml:2: mqtt.tls.ca_file "/etc/x": there is no such file', 'sensor.passkey_file "/x": its first line is not six digits',
    'the file is a folder; write the path of a file, like "/etc/martlet.toml/martlet.toml"', "the file is not UTF-8 in line 2; save it as UTF-8",
    "this machine has no id in /etc/machine-id, so the gateway is gw-1 from now on, which is kept in /v/name; gateway.id in the configuration sets one",
    "this machine has no id in /etc/machine-id, and what was kept of one is damaged, so the gateway is gw-1 from now on, which is kept in /v/name; "
    "gateway.id in the configuration sets one",
    "this gateway is a copy of gw-1 in another machine, and its name is gw-2 now. Buffered readings keep the name gw-1",
    "this gateway is a copy of gw-1 in another machine, and its name is gw-2 now, until the next start: /x cannot be written (Read-only file system). "
    "Buffered readings keep the name gw-1",
    "the file of mqtt.password_file was not looked at: «martlet check-config», at the gateway, looks at it",
    'mqtt.port is 0; allowed are 1 to 65535; mqtt.host is an empty string; mqtt.topic_prefix is "a/#"; a topic has no +, # or $, and no / at its ends']
TOLD_FINDINGS = {
    'mqtt.port is 0; allowed are 1 to 65535; mqtt.host is an empty string': "mqtt.port ist 0; erlaubt ist 1 bis 65535; mqtt.host ist ein leerer Text",
    'sensor.family is "RuuviTag", which is no family that is known – did you mean "ruuvi"?':
        'sensor.family ist "RuuviTag"; diese Familie ist nicht bekannt – meinten Sie "ruuvi"?',
    'mqtt.host is "mqtts://a:8883"; wanted is a name or an address, without scheme and port: write host = "a" and port = 8883, and below [mqtt.tls] '
    'enabled = true': 'mqtt.host ist "mqtts://a:8883"; verlangt ist ein Name oder eine Adresse, ohne Schema und Port: Schreiben Sie host = "a" und '
                      'port = 8883, und unter [mqtt.tls] enabled = true'}

FINDINGS_OF = r"""
(async (sentences) => {
  const { learnFindings, said } = await import(new URL('problems.js', location));
  await learnFindings();
  return sentences.map(said);
})"""


def findings(page):
    """No word of a finding is left in English."""
    told = page.run(f"{FINDINGS_OF}({json.dumps(FINDINGS + list(TOLD_FINDINGS))})")
    left = [f"{english}\n  {german}" for english, german in zip(FINDINGS, told)
            if german == english or ENGLISH.search(re.sub(r'"[^"]*"', "", german))]
    check(not left, f"{len(left)} of {len(FINDINGS)} findings:\n" + "\n".join(left[:40]))
    for expected, words in zip(TOLD_FINDINGS.values(), told[len(FINDINGS):]):
        check(words == expected, f"{words}, not {expected}")


def explanations(page):
    """No word of an answer is left in English."""
    told = page.run(f"{SENTENCES_OF}({json.dumps(EXPLANATIONS)})")
    left = [f"{english}\n  {german}" for english, german in zip(EXPLANATIONS, told)
            if ENGLISH.search(re.sub(r'"[^"]*"|0x[0-9A-F]{2} [^–]* –', "", german))]
    check(not left, f"{len(left)} of {len(told)} answers:\n" + "\n".join(left[:40]))


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
    explanations(page)
    findings(page)
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


# What the set-up page says for the words of a gateway.
TOLD = r"""
(async (statuses, sentences) => {
  const { problemOf, said } = await import(new URL('told.js', location));
  return [...statuses.map(problemOf), ...sentences.map(said)];
})"""
STATUSES = {
    "Der Speicher ist voll": {"problem": "The disk is full: readings cannot be written", "problem_code": "disk-full"},
    "Keller {sensor}: gibt keine Werte": {"problem": "Keller {sensor}: it …", "problem_code": "sensor-trouble", "problem_about": "Keller {sensor}"},
    "A new problem: of the next version": {"problem": "A new problem: of the next version", "problem_code": "new"},
    "Der Broker spricht TLS": {"problem": "the broker speaks TLS"}, None: {}}
TOLD_SENTENCES = {
    "Ein anderes Telefon hat Änderungen, die auf „Anwenden“ warten.": "Another phone has changes that wait for Apply.",
    "Vom CA-Zertifikat sind 512 von 900 Bytes da: Schreiben Sie den Rest.": "The CA certificate has 512 of 900 octets so far: write the rest.",
    "Gerade kann kein Telefon koppeln: das Einrichtungsfenster ist zu.": "No phone can pair now: the window is closed.",
    "Der Sensor will gekoppelt werden: Führen Sie martlet pair k… aus, oder setzen Sie pair = true in seinem Eintrag":
        "the sensor wants to be paired: run martlet pair k…"}


def phone(page, found):
    """The set-up page in German: its texts are complete, and those that are to be seen are German."""
    page.wait("the page", "document.querySelector('h1')?.textContent.length > 3")
    check(page.run("document.documentElement.lang") == "de", "the set-up page does not say that it is German")
    check(page.run("document.title") == "Ein Martlet-Gateway einrichten", f"its title is {page.run('document.title')}")
    alike(page)
    left = page.run(LEFT)
    check(not left, f"left in English: {sorted(set(left))}")
    told = page.run(f"{TOLD}({json.dumps(list(STATUSES.values()))}, {json.dumps(list(TOLD_SENTENCES.values()))})")
    for expected, words in zip([*STATUSES, *TOLD_SENTENCES], told):
        check(words == expected, f"{words}, not {expected}")
    for size in (looking.PHONE, looking.DESKTOP, looking.NARROW):
        page.look(size)
        found += [f"set-up page, German, {size[0]} px: {line}" for line in page.run(looking.MEASURE)]


VIEWS = {"overview": "Übersicht", "air": "Geräte in der Nähe", "inside": "Diagnose", "log": "Protokoll", "setup": "Einstellungen"}
