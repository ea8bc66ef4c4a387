# SPDX-License-Identifier: Apache-2.0
"""What people do with the page, by taps and keys, and what the gateway is asked for then; needs `mock.Mock`, which keeps that."""
import copy
import json
import re

from harness import check, wait_for

import looking
from mock import DEEP
from scenes import go, open_first_sheet, wait_for_status


def asked(mock, path):
    return [body for each, body in mock.posts if each == path]


def press(page, selector):
    """Enter on what has the focus after it is given it, as after some presses of Tab."""
    page.wait(selector, f"document.querySelector({selector!r})?.checkVisibility()")
    page.run(f"document.querySelector({selector!r}).focus()")
    page.key("Enter", 13, "\r")


def accept(mock, page, found):
    """By keys alone: a device is found, named wrongly, named rightly, refused once, accepted."""
    go(page, "air")
    page.type("#air-search", "fridge")
    page.wait("one device", "[...document.querySelectorAll('#heard > li')].filter((node) => !node.hidden).length === 1")
    press(page, "#heard > li:not([hidden]) .device-do .button")
    page.wait("the dialog", "document.activeElement.id === 'accept-id'")
    looking.audit(page, "accept", found)
    page.call("Input.insertText", text="Fridge!")
    page.key("Enter", 13, "\r")
    page.see("Use 1 to 32 of")
    check(page.run("document.activeElement.id") == "accept-id", "the field that is wrong has not the focus")
    check(not asked(mock, "/api/accept"), "asked with a wrong id")
    page.type("#accept-id", "fridge")
    page.type("#accept-passkey", "123456")
    mock.refusals["/api/accept"] = "The gateway has no room for another sensor: forget one first."
    page.key("Enter", 13, "\r")
    page.see("no room for another sensor")
    page.tap("Accept", "dialog button[type=submit]")
    page.wait("the end of the dialog", "document.querySelector('dialog') === null")
    check(asked(mock, "/api/accept")[-1] == {"address": "C4:7C:8D:00:11:01", "id": "fridge", "passkey": "123456"}, f"{mock.posts}")
    page.type("#air-search", "")
    page.key("Backspace", 8)
    page.run("(() => { const s = document.querySelector('#air-which'); s.value = 'all'; s.dispatchEvent(new Event('change')); })()")
    page.see("Accepted as fridge")
    go(page, "overview")


def key_and_forget(mock, page, found):
    """A sensor that encrypts gets its key; a sensor is forgotten only after a question, which Cancel answers with no."""
    page.tap("Why: kitchen", "#sensors button")
    page.see("What to do:")
    page.type("#sheet-key", "xyz")
    page.tap("Give the key")
    page.see("A key has 32 hexadecimal digits")
    page.type("#sheet-key", "00112233445566778899aabbccddeeff")
    page.tap("Give the key")
    page.see("The gateway has the key")
    check(asked(mock, "/api/key") == [{"sensor": "kitchen", "key": "00112233445566778899aabbccddeeff"}], f"{mock.posts}")
    check(page.run("document.querySelector('#sheet-key').value") == "", "the key is still in the page")
    page.tap("Stop collecting…")
    page.wait("the question", "document.querySelectorAll('dialog[open]').length === 2")
    check(page.run("document.activeElement.textContent") == "Cancel", "what takes away has the focus")
    looking.audit(page, "question", found)
    page.key("Enter", 13, "\r")
    page.wait("no question", "document.querySelectorAll('dialog[open]').length === 1")
    check(not asked(mock, "/api/forget"), "forgotten in spite of Cancel")
    page.tap("Stop collecting…")
    page.wait("the question", "document.querySelectorAll('dialog[open]').length === 2")
    page.run("document.querySelectorAll('dialog')[1].querySelector('.danger').focus()")
    page.key("Enter", 13, "\r")
    page.wait("no dialog", "document.querySelector('dialog') === null")
    check(asked(mock, "/api/forget") == [{"sensor": "kitchen"}], f"{mock.posts}")
    page.wait("no card", "!document.querySelector('#sensors').textContent.includes('kitchen')")


def sheet(mock, page, found):
    """The chart by its own button, another quantity, the table, and the focus that comes back."""
    page.run("document.querySelector('.spark-button:not([hidden])') ?? document.querySelector('#sensors li.card:last-child').scrollIntoView()")
    page.wait("a small chart", "document.querySelector('.spark-button:not([hidden]) .chart-line') !== null")
    page.run("document.querySelector('.spark-button:not([hidden])').scrollIntoView({ block: 'center' })")
    press(page, ".spark-button:not([hidden])")
    page.wait("the chart", "document.querySelector('dialog .chart-line') !== null")
    check(page.run("document.querySelector('#sheet-quantity').value") == "temperature", "the chart does not open on the temperature")
    texts = page.run("[...document.querySelectorAll('dialog svg.chart .chart-text')].map((each) => each.textContent)")
    check("°C" in texts, f"the chart has no unit: {texts}")
    check(page.run("new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(new Date()).find(({ type }) => type === 'timeZoneName').value")
          in texts, f"the chart has no zone: {texts}")
    check(any(re.fullmatch(r"[A-Z][a-z]{2} \d{1,2}|\d{1,2} [A-Z][a-z]{2}", each) for each in texts), f"the chart has no date: {texts}")
    check(page.run("document.querySelectorAll('dialog .chart-limit').length") == 0, "a limit is drawn without one")
    check(page.run("document.querySelectorAll('dialog .chart-gap').length") == 1, "the time without values is not shown as a gap")
    lines = page.run("document.querySelectorAll('dialog .chart-line').length")
    check(lines == 2, f"the line is drawn across the gap: {lines} lines")
    page.tap("As a table")
    page.wait("the table", "document.querySelectorAll('dialog .chart-box tbody tr').length > 100")
    looking.audit(page, "sheet", found)
    for span, seconds in (("1 h", 60), ("7 d", 1_800), ("31 d", 7_200), ("1 d", 300)):
        page.tap(span, ".segments button")
        page.wait(f"the chart of {span}", f"document.querySelector('.segments [aria-pressed=true]').textContent === {span!r}"
                  " && document.querySelector('dialog .chart-line') !== null")
        wait_for(f"the request of {span}", lambda: any(f"range={span.replace(' ', '')}" in each for each in mock.gets), 10)
        page.wait(f"steps of {seconds} s", "(() => { const t = document.querySelector('dialog .chart-box details'); t.open = true;"
                  f" return (t.querySelector('caption')?.textContent ?? '').includes('{seconds // 60} min'); }})()")
    looking.audit(page, "sheet of another range", found)
    with mock.lock:
        mock.status["limits"] = [{"sensor": "cellar", "quantity": "temperature", "side": side, "limit": limit, "is_crossed": False}
                                 for side, limit in (("below", 20.5), ("above", 25.5))]
        mock.tell("status")
    page.tap("7 d", ".segments button")
    page.wait("both limits", "document.querySelectorAll('dialog .chart-limit').length === 2")
    words = page.run("document.querySelector('.chart-readout').textContent")
    check("20.5 °C" in words and "25.5 °C" in words, f"the limits are not said: {words}")
    low, high, top, bottom = page.run(
        "(() => { const [low, high] = [...document.querySelectorAll('dialog .chart-limit')].map((line) => Number(line.getAttribute('y1')));"
        " const frame = document.querySelector('dialog svg.chart .chart-gap'); const top = Number(frame.getAttribute('y'));"
        " return [low, high, top, top + Number(frame.getAttribute('height'))]; })()")
    check(top < high < low < bottom, f"the limits are at {low} and {high} between {top} and {bottom}")
    page.run("(() => { const s = document.querySelector('#sheet-quantity'); s.value = 'humidity'; s.dispatchEvent(new Event('change')); })()")
    page.wait("the other quantity", "document.querySelector('.chart-readout').textContent.startsWith('Humidity')")
    csv = page.run("(async () => { const { csvOf } = await import('/chart.js');"
                   " const answer = await (await fetch('/api/chart?sensor=cellar&range=7d')).json(); return csvOf(answer); })()")
    rows = csv.split("\r\n")
    check(rows[0].split(",")[0] == "time" and "temperature mean (°C)" in rows[0].split(","), f"the first row is {rows[0]}")
    check(len(rows) > 300 and all(len(row.split(",")) == len(rows[0].split(",")) for row in rows[:-1]), f"{len(rows)} rows: {rows[:3]}")
    check(rows[1].split(",")[0].endswith("Z") and float(rows[1].split(",")[2]), f"a row is {rows[1]}")
    check(page.run("(async () => { const { csvOf } = await import('/chart.js'); return csvOf({ series: [{ quantity: '=1+1,\"x\"', points: [[0, 1, 2, 3]] }] }); })()")
          .startswith('time,"\'=1+1,""x"" low"'), "a name in the file may be a formula")
    both = page.run("(async () => { const { csvOf } = await import('/chart.js'); return csvOf({ series: ["
                    "{ quantity: 'a', points: [[120000, 1, 2, 3]] }, { quantity: 'b', unit: '%', points: [[60000, 4, 5, 6]] }] }); })()")
    check(both.split("\r\n") == ["time,a low,a mean,a high,b low (%),b mean (%),b high (%)", "1970-01-01T00:01:00.000Z,,,,4,5,6",
                                  "1970-01-01T00:02:00.000Z,1,2,3,,,", ""], f"quantities of other times are in no order: {both!r}")
    page.run("(() => { window.saved = []; URL.createObjectURL = (blob) => { blob.text().then((words) => window.saved.push([blob.type, words])); return 'blob:x'; };"
             " HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); }; })()")
    page.tap("CSV", "dialog button")
    page.wait("the file", "window.saved.length === 2")
    saved = page.run("window.saved")
    check(saved[0] == "cellar-7d.csv" and saved[1][0].startswith("text/csv") and saved[1][1].startswith("time,"), f"saved: {str(saved)[:200]}")
    page.run("document.querySelector('#sheet-label').closest('details').open = true")
    page.type("#sheet-label", "Keller „links“")
    page.type("#sheet-room", "Cellar")
    page.tap("Rename", "dialog button")
    page.see("The sensor has its name and its room.")
    check(asked(mock, "/api/rename") == [{"sensor": "cellar", "label": "Keller „links“", "room": "Cellar"}], f"{asked(mock, '/api/rename')}")
    page.key("Escape", 27)
    page.wait("the focus back", "document.activeElement.classList.contains('spark-button')")


def history(mock, page):
    go(page, "inside")
    for label, verb, words in (("Pause", "pause", "History is paused"), ("Drain", "drain", "History is draining"),
                               ("Resume", "resume", "at the configured pace")):
        page.tap(label, "button")
        page.see(words)
        check(asked(mock, f"/api/buffer-{verb}"), f"{mock.posts}")
        page.wait("the pressed button", f"document.querySelector('.row [aria-pressed=true]').textContent === '{label}'")


def log(mock, page):
    """Filtered by level and by words; bounded; follows until somebody scrolls up."""
    go(page, "log")
    page.see("collector:")
    page.run("(() => { const s = document.querySelector('#log-level'); s.value = 'warning'; s.dispatchEvent(new Event('change')); })()")
    shown = page.run("[...document.querySelectorAll('#log-lines > li:not([hidden])')].map((node) => node.className)")
    check(shown and set(shown) <= {"warning", "error", "critical"}, f"levels {set(shown)}")
    page.type("#log-search", "no line has this")
    page.see("No line fits.")
    page.type("#log-search", "")
    page.key("Backspace", 8)
    page.run("(() => { const s = document.querySelector('#log-level'); s.value = 'trace'; s.dispatchEvent(new Event('change')); })()")
    for part in range(15):
        mock.tell("log", {"lines": [f"2026-11-24T13:00:00.000 info     test: line {part * 100 + number}" for number in range(100)]})
    page.see("line 1499")
    lines = page.run("document.querySelectorAll('#log-lines > li').length")
    check(lines == 1_000, f"{lines} lines are kept")
    page.wait("the end is shown", "(() => { const l = document.querySelector('#log-lines'); return l.scrollHeight - l.scrollTop - l.clientHeight < 30; })()")
    page.run("document.querySelector('#log-lines').focus()")
    page.key("Home", 36)
    page.wait("no more following", "!document.querySelector('#log-follow').checked && document.querySelector('#log-lines').scrollTop === 0")
    mock.tell("log", {"lines": ["2026-11-24T13:00:01.000 error    test: while somebody reads"]})
    page.wait("the new line", "document.querySelector('#log-lines').lastChild.textContent.includes('while somebody reads')")
    check(page.run("document.querySelector('#log-lines').scrollTop") == 0, "the log ran away under the reader")


def settings(mock, page):
    """Only what is changed is sent; a refusal is said; a password does not stay in the page; undo asks."""
    go(page, "setup")
    page.wait("the settings", "document.querySelector('#host')?.value === 'broker.local'")
    page.tap("Apply", "button")
    page.see("Nothing is changed.")
    page.type("#port", "99999")
    page.tap("Apply", "button")
    page.see("A port is a number")
    page.type("#port", "8883")
    page.tap("Encrypt the connection (TLS)", "label")
    page.type("#broker-password", "battery staple")
    page.run("document.querySelector('#port').closest('form').querySelector('.actions .plain').focus()")
    page.key("Enter", 13, "\r")
    page.see("The settings are in order.")
    check(asked(mock, "/api/settings-check") == [{"port": 8883, "uses_tls": True, "password": "battery staple"}], f"{mock.posts}")
    mock.refusals["/api/settings-apply"] = "The broker refused user and password."
    page.tap("Apply", "button")
    page.see("The broker refused user and password.")
    page.tap("Apply", "button")
    page.see("Connecting to the broker")
    page.see("The broker has taken it.")
    content = page.run("document.documentElement.outerHTML + [...document.querySelectorAll('input')].map((node) => node.value)")
    check("battery staple" not in content, "the password is still in the page")
    page.tap("Undo…")
    page.tap("Undo", "dialog .danger")
    page.see("The former settings hold again.")


def paths(page):
    """A long path is shortened as far as the screen needs it; the whole path is below, and the file is the same."""
    shown = "document.querySelector('#file').selectedOptions[0].textContent"
    whole = f"{DEEP}/martlet.toml"
    former = page.size
    for size, is_short in (((320, 640), True), (former, False)):
        page.look(size)
        page.wait(f"the path at {size[0]} px", f"{shown}.includes('…') === {json.dumps(is_short)}")
        text = page.run(shown)
        check(text.endswith("/martlet.toml") and (text == whole) != is_short, f"at {size[0]} px the path is {text}")
        below = page.run("document.querySelector('#file').closest('.field').nextElementSibling.textContent")
        check(below == (whole if is_short else ""), f"at {size[0]} px below the list is {below!r}")
        check(page.run("document.querySelector('#file').value") == whole, "another file is chosen")


def loaded(page, name):
    """How often the page has asked for a file."""
    return page.run(f"performance.getEntriesByName(new URL({name!r}, location).href).length")


def names(mock, page):
    """An entry that waits has the operator's label or id in its card and its sheet, and not the name that it asks for."""
    card = "[...document.querySelectorAll('#sensors .card')].find((each) => each.textContent.includes('Frigde'))"
    title = f"{card}?.querySelector('h4')"
    page.wait("the id", f"{title}?.textContent === 'fridge'")
    with mock.lock:
        mock.status["collector"]["awaited"][0]["label"] = "Kühlschrank „unten“"
        mock.tell("status")
    page.wait("the label", f"{title}?.textContent === 'Kühlschrank „unten“'")
    page.run(f"{card}.querySelector('.card-foot button').click()")
    page.wait("the sheet", "document.querySelector('dialog h2')?.textContent === 'Kühlschrank „unten“'")


def findings(mock, page):
    """A check in a German browser: the page asks for the German findings when there is one, and not before."""
    go(page, "setup")
    page.wait("the text", "document.querySelector('#configuration')?.value.includes('[bluetooth]')")
    button = "document.querySelector('#configuration').closest('section').querySelector('.row .button')"
    page.run(f"{button}.click()")
    page.see("Der Text ist gut.")
    check(loaded(page, "findings.de.js") == 0, "the findings are loaded without a finding")
    page.type("#configuration", "[bluetooth]\ncontroler = \"hci0\"\n")
    page.run(f"{button}.click()")
    page.see('unbekannter Schlüssel "bluetooth.controler" – meinten Sie "controller"?')
    page.run(f"{button}.click()")
    check(loaded(page, "findings.de.js") == 1, "the findings are not loaded once")


def configuration(mock, page):
    go(page, "setup")
    page.wait("the text", "document.querySelector('#configuration')?.value.includes('[bluetooth]')")
    paths(page)
    check("# the one in the cellar" in page.run("document.querySelector('#configuration').value"), "the comments are gone")
    page.run("document.querySelector('#configuration').closest('section').querySelector('.row .button').focus()")
    page.key("Enter", 13, "\r")
    page.see("The text is good.")
    sent = asked(mock, "/api/check-config")[-1]
    check(sent["path"] == f"{DEEP}/martlet.toml" and 'password = "…"' in sent["text"], f"{sent}")
    page.type("#configuration", "[bluetooth]\ncontroler = \"hci0\"\n")
    page.run("document.querySelector('#configuration').closest('section').querySelector('.row .button').focus()")
    page.key("Enter", 13, "\r")
    page.see('unknown key "bluetooth.controler"')
    check(not loaded(page, "findings.de.js"), "an English page has loaded German findings")
    page.tap("Line 2")
    selected = page.run("(() => { const t = document.querySelector('#configuration'); return t.value.slice(t.selectionStart, t.selectionEnd); })()")
    check(selected == 'controler = "hci0"', f"selected: {selected!r}")
    check(page.run("document.activeElement.id") == "configuration", "the text has not the focus")


def machine(mock, page, found):
    """Unpair, the window for phones, the label, an update and a restart: each asks first where something is taken away."""
    go(page, "setup")
    page.tap("Unpair Pixel 9", "button")
    page.see("before it can set the gateway up")
    page.tap("Unpair", "dialog button.danger")
    page.see("The keys of Pixel 9 are forgotten.")
    check(asked(mock, "/api/unpair") == [{"sensor": "5C:33:7B:11:90:0E"}], f"{mock.posts}")
    page.tap("Open the window")
    page.see("482 913")
    page.tap("Label of the gateway")
    page.wait("the label", "document.querySelector('img.label')?.complete && document.querySelector('img.label').naturalWidth > 0")
    page.see("Version 0.2.0 is there")
    page.tap("Install", "button")
    page.tap("Install", "dialog button.primary")
    page.see("Downloading…")
    page.wait("the bar", "document.querySelector('progress').value === 40")
    looking.audit(page, "set up, under way", found)
    # A gateway that may not install tells how far an update is, and how one is installed.
    mock.tell("session", {"gateway": "gw-3f2a1c", "name": "Attic", "version": "0.1.0", "update": False, "provisioning": True,
                          "commands": {"machine update": "martlet update"}})
    mock.tell("update", {"state": "installing", "progress": 0.6, "installed": "0.1.0", "available": "0.2.0"})
    page.see("Installing…")
    page.wait("the bar", "document.querySelector('progress').value === 60")
    mock.tell("update", {"state": "installed", "installed": "0.1.0", "available": "0.2.0"})
    page.see("It starts with the next restart of the machine.")
    mock.tell("update", {"state": "failed", "error": "the disk is full", "installed": "0.1.0", "available": "0.2.0"})
    page.see("the disk is full")
    page.see("martlet update URL")
    page.wait("no button", "![...document.querySelectorAll('button')].some((each) => !each.hidden && each.textContent === 'Install')")
    page.tap("Restart the gateway…")
    page.key("Escape", 27)
    page.wait("no question", "document.querySelector('dialog') === null")
    check(not asked(mock, "/api/restart"), "restarted in spite of Escape")
    page.tap("Restart the gateway…")
    page.tap("Restart", "dialog button.danger")
    page.see("The gateway starts again.")
    check(len(asked(mock, "/api/restart")) == 1, f"{mock.posts}")


def theme(mock, page):
    """The switch is kept; what the system wants holds again after it."""
    page.tap("Theme: system. Change it", "#theme")
    page.wait("light", "document.documentElement.dataset.theme === 'light'")
    page.tap("Theme: light. Change it", "#theme")
    page.wait("dark", "getComputedStyle(document.body).backgroundColor === 'rgb(16, 23, 26)'")
    page.call("Page.reload")
    page.wait("dark after a reload", "document.querySelector('#theme') !== null && getComputedStyle(document.body).backgroundColor === 'rgb(16, 23, 26)'")
    wait_for_status(page)
    page.tap("Theme: dark. Change it", "#theme")
    page.wait("as the system", "document.documentElement.dataset.theme === undefined")


def keyboard(mock, page):
    """The skip link, the tabs, what is to do, the tools, the cards: in this order, each to be seen."""
    page.run("document.activeElement.blur()")
    page.key("Tab", 9)
    check(page.run("document.activeElement.id") == "skip", "the first stop is not the skip link")
    page.key("Enter", 13, "\r")
    check(page.run("document.activeElement.id") == "main", "the skip link does not lead to the content")
    check(page.run("document.querySelector('h1').textContent") == "Overview", "the skip link has led to another view")
    page.call("Page.reload")
    wait_for_status(page)
    page.wait("cards", "document.querySelectorAll('#sensors li.card').length > 0")
    names = looking.tab_through(page)
    order = [next((index for index, name in enumerate(names) if name.startswith(beginning)), None)
             for beginning in ("Skip", "Hall", "Theme", "Overview", "Nearby", "The disk is", "Find a sensor", "Order", "Why: ")]
    check(None not in order and order[:8] == sorted(order[:8]), f"stops: {names}")


def stays_put(mock, page):
    """While somebody has the focus in the list of what is heard, new devices come last and nothing moves."""
    go(page, "air")
    page.run("document.querySelectorAll('#heard > li:not([hidden]) .device-do .button:not([hidden])')[1].focus()")
    before = page.run("[...document.querySelectorAll('#heard .card-id')].map((node) => node.textContent)")
    with mock.lock:
        heard = mock.events["heard"]
        heard[0]["rssi"] = -99
        heard.insert(0, {"address": "F0:00:00:00:00:99", "rssi": -20, "is_accepted": False, "is_connectable": True, "values": [],
                         "age_ms": 3, "name": "Newcomer"})
        gone = heard.pop(4)
        mock.tell("heard")
    page.see("Newcomer")
    page.see("The order stays while you read.")
    after = page.run("[...document.querySelectorAll('#heard .card-id')].map((node) => node.textContent)")
    check(after == before + ["F0:00:00:00:00:99"], f"{before} became {after}")
    check(page.run("document.activeElement.closest('li') !== null"), "the focus was lost")
    page.run("(() => { document.activeElement.blur(); const s = document.querySelector('#air-which'); s.value = 'all'; s.dispatchEvent(new Event('change')); })()")
    go(page, "overview")
    go(page, "air")
    check(page.run("document.querySelector('#heard h2').textContent") == "Newcomer", "the strongest does not come first")
    check(gone["address"] not in page.run("document.querySelector('#heard').textContent"), "what is gone is still there")
    go(page, "overview")


def gone(mock, page, found):
    """The gateway goes away: the page says so, how old what it shows is, and that it is back."""
    wait_for_status(page)
    mock.go_away()
    page.see("The gateway does not answer.")
    page.wait("the age", "/shown values are \\d+ s old/.test(document.body.innerText)")
    page.wait("the chip", "/^Not live: \\d+ s old$/.test(document.querySelector('#connection').innerText.trim())")
    first = page.run("document.querySelector('#sensors .card-facts').textContent")
    page.wait("values that age", f"document.querySelector('#sensors .card-facts').textContent !== {first!r}")
    looking.audit(page, "gone", found)
    mock.come_back()
    page.wait("the end of the words", "!document.body.innerText.includes('The gateway does not answer.')", 40)
    page.see("Live")


def signed_out(mock, page, password):
    """A session that has ended leads to the password, from the stream alone."""
    page.wait("the form", "document.querySelector('#password') !== null")
    page.type("#password", password)
    page.key("Enter", 13, "\r")
    wait_for_status(page)
    mock.sign_everybody_out()
    page.wait("the form", "location.pathname === '/login'", 30)


def no_polling(mock, page):
    """One stream, and nothing else is asked for while events come."""
    page.wait("the charts", "document.querySelectorAll('.spark-button:not([hidden])').length > 0")
    ticks = mock.status["uptime_s"]
    wait_for("the requests to end", lambda: not page.run("document.querySelector('.busy-line')"), 30)
    before = None
    while before != len(mock.gets):
        before = len(mock.gets)
        wait_for("an event", lambda: mock.status["uptime_s"] > ticks, 30)
        ticks = mock.status["uptime_s"]
    wait_for("three more events", lambda: mock.status["uptime_s"] > ticks + 5, 30)
    check(len(mock.gets) == before, f"asked for without need: {mock.gets[before:]}")
    check(mock.gets.count("/events") == 1, f"{mock.gets.count('/events')} streams")
    check(all(mock.gets.count(each) == 1 for each in mock.gets), f"asked for twice: {sorted(mock.gets)}")


def incomplete(mock, page):
    """Parts of the status that are missing, as after an update or of a part that does not answer, break nothing."""
    for status in ({}, {"gateway": "gw-1", "collector": {"sensors": [{"id": "bare", "link": "collecting", "values": [{"value": "00"}]}]}},
                   {"controller": {}, "mqtt": {}, "journal": {}, "time": {}, "system": {}, "collector": {}}):
        mock.status = status
        with mock.lock:
            mock.tell("status", status)
        mock.tell("heard", [None, 3, {}, {"address": "F0:00:00:00:00:01"}])
        mock.tell("log", {})
        mock.tell("update", {})
        for view in ("air", "inside", "log", "setup", "overview"):
            go(page, view)


def known_problems(mock, page):
    """The gateway judges: a broker that is away, and a sensor without a key, look as bad as the problems that the gateway tells of them."""
    status = copy.deepcopy(mock.status)
    sensor = next(each for each in status["collector"]["sensors"] if each["values"])
    sensor.update(trouble="its values are encrypted, and its entry has no key", health="silent", last_failure="gone")
    status["collector"].update(sensors=[sensor], awaited=[])
    unreachable = next(problem for problem in status["problems"] if problem["code"] == "broker-unreachable")

    def own(code, severity, text, **arguments):
        return {"code": code, "severity": severity, "part": "sensors", "sensor": sensor["id"], "title": sensor["id"], "text": text, "age_ms": 90_000,
                "arguments": {"subject": sensor["id"], **arguments}}
    trouble = own("sensor-trouble", "warning", sensor["trouble"], cause=sensor["trouble"])
    silent = own("sensor-silent", "warning", "Silent: no value comes", **{"martlet why": "martlet why a"})
    maintenance = own("sensor-maintenance", "notice", "in maintenance, for 1 h more", time="1 h", **{"martlet maintenance": "martlet maintenance a --end"})

    def look(*problems):
        """The words and the looks of the tiles, the card and the view inside, while these are the problems."""
        nonlocal status
        status = {**status, "problems": list(problems), "uptime_s": status["uptime_s"] + 1}
        mock.status = status
        with mock.lock:
            mock.tell("status", status)
        go(page, "inside")
        notices = page.run("[...document.querySelectorAll('.columns .notice')].map((node) => node.className)")
        go(page, "overview")
        tiles = page.run("[...document.querySelectorAll('.tile')].map((node) => node.className.trim())")
        return tiles, page.run("document.querySelector('#sensors li.card').className"), page.run(
            "[...document.querySelectorAll('#sensors .trouble:not([hidden])')].map((node) => node.textContent).join()"), notices, page.run(
            "document.querySelector('.headline').className")

    page.wait("one card", "document.querySelectorAll('#sensors li.card').length > 0")
    for problems, tiles, state, words, notices, headline in (
            # In its first seconds an outage is no problem yet.
            ([silent], ["tile warn", "tile", "tile", "tile"], "bad", "", [], "warn"),
            ([unreachable, trouble], ["tile warn", "tile bad", "tile", "tile"], "bad", "has no key", ["notice error"], "bad"),
            ([{**unreachable, "severity": "notice"}, maintenance], ["tile", "tile", "tile", "tile"], "quiet", "maintenance", ["notice info"], "good"),
            ([{**unreachable, "severity": "notice"}, {**silent, "severity": "notice"}], ["tile", "tile", "tile", "tile"], "quiet", "",
             ["notice info"], "good")):
        seen = look(*problems)
        codes = [(problem["code"], problem["severity"]) for problem in problems]
        check(seen[0] == tiles, f"{codes}: tiles {seen[0]}")
        check(f"state-{state}" in seen[1].split(), f"{codes}: the card is {seen[1]}")
        check(words in seen[2] and bool(words) == bool(seen[2]), f"{codes}: the card says {seen[2]!r}")
        check(seen[3] == notices, f"{codes}: inside {seen[3]}")
        check(headline in seen[4].split(), f"{codes}: the headline is {seen[4]}")
    check("Not connected" in page.run("document.querySelector('.tiles').textContent"), "what is so is not hidden")
    # The states of sensors wait half a minute for a controller that is set up again.
    sensor["health"] = "fresh"
    look({"code": "radio-down", "severity": "failure", "part": "radio", "title": "The Bluetooth controller does not work", "text": "hci0 is gone",
          "age_ms": 10_000, "arguments": {"state": "hci0 is gone"}})
    lead = page.run("document.querySelector('.headline').textContent")
    check("No values come from the sensor." in lead, f"a controller that does not work: {lead}")


def wait_to_sign_in(mock, page):
    """After too many tries the form waits, and says how long."""
    page.call("Page.navigate", url=mock.address + "/login?wait=3")
    page.see("Too many tries. Wait 3 s")
    page.type("#password", "correct horse")
    page.key("Enter", 13, "\r")
    page.see("Wait 1 s")
    check(page.run("location.search") == "?wait=3", "sent in spite of the pause")
    page.see("You can try again now.")
    page.key("Enter", 13, "\r")
    page.wait("the page", "location.pathname === '/'")


def update_while_it_runs(mock, page):
    """Another version after an update: the page offers to be loaded again."""
    mock.tell("session", {**mock.events["session"], "version": "0.2.0"})
    page.see("The gateway has version 0.2.0 now.")
    page.tap("Load this page again")
    wait_for_status(page)
    wait_for("the page is loaded", lambda: "The gateway has version" not in page.text(), 30)
