# SPDX-License-Identifier: Apache-2.0
"""What the page shows of a gateway in each scene. Nothing here knows how the scene was made: a page at a base URL is enough.

`empty` no sensors; `well` all is well; `busy` sensors of which some are in trouble, and an entry that waits; `broker-down`;
`radio-off`; `many` 200 sensors; `hostile` names and log lines that are markup; `locked` a password.
"""
from harness import check

import looking

VIEWS = {"overview": "Overview", "air": "In the air", "inside": "Inside", "log": "Log", "setup": "Set up"}


def go(page, view):
    """To a view, by its tab."""
    if page.run("document.querySelector('#tabs a[aria-current]').getAttribute('href')") == f"#{view}":
        return
    page.tap(None, f"#tabs a[href='#{view}']")
    page.wait(f"the view {view}", f"document.querySelector('#tabs a[aria-current]')?.getAttribute('href') === '#{view}'")
    page.wait(f"the heading of {view} to have the focus", "document.activeElement.tagName === 'H1'")


def wait_for_status(page):
    page.wait("the status", "document.querySelector('.headline.busy, .headline.good, .headline.warn, .headline.bad') !== null && "
              "!document.body.innerText.includes('Waiting for the gateway')")


def card_texts(page):
    return page.run("[...document.querySelectorAll('#sensors > li')].map((node) => node.textContent)")


def look_at_all_views(page, scene, found, views=VIEWS):
    for view in views:
        go(page, view)
        if view == "setup":
            page.wait("the settings", "document.querySelector('#host')?.value !== undefined && !document.querySelector('#view .busy-line')")
        looking.audit(page, f"{scene}, {view}", found)
    go(page, "overview")


def open_first_sheet(page):
    """The sheet of the first sensor that has values."""
    page.run("[...document.querySelectorAll('#sensors > li')].find((node) => node.querySelector('.values:not([hidden])'))"
             ".querySelector('.card-foot .button').click()")
    page.wait("the sheet", "document.querySelector('dialog.sheet[open]') !== null")
    page.wait("the answer", "document.querySelector('dialog .answer-text')?.textContent.length > 10")


def empty(page):
    page.see("It works, and has no sensors yet")
    page.see("No sensors yet")
    check(page.run("document.querySelectorAll('#sensors > li').length") == 0, "cards without sensors")
    page.tap("See what is in the air")
    page.wait("the air", "document.querySelector('h1').textContent === 'In the air'")
    page.wait("devices or words", "document.querySelectorAll('#heard > li').length > 0 || document.body.innerText.includes('Nothing is heard')")
    go(page, "overview")


def well(page):
    page.see("Everything works")
    check(page.run("document.querySelector('.todo').hidden && document.querySelector('.badge').hidden"), "something to do is shown")
    tiles = page.run("[...document.querySelectorAll('.tile-value')].map((node) => node.textContent)")
    check(len(tiles) == 4 and tiles[1] == "Connected" and " of " in tiles[0], f"tiles: {tiles}")
    cards = card_texts(page)
    check(cards and all("ago" in text and "dBm" in text for text in cards), f"cards: {cards[:3]}")


def busy(page):
    page.see("to see to")
    check(page.run("document.querySelectorAll('.todo li').length") > 0, "nothing to do is shown")
    check(page.run("document.querySelector('.badge').textContent") != "0", "no number at the tab")
    check(page.run("document.querySelector('#sensors li.state-bad .trouble').textContent.length") > 10, "no words of trouble")
    open_first_sheet(page)
    page.wait("the chart", "document.querySelector('dialog .chart-line, dialog .chart-dot') !== null || document.body.innerText.includes('No values of the last day')")
    page.key("Escape", 27)
    page.wait("the end of the sheet", "document.querySelector('dialog') === null")


def broker_down(page):
    page.see("No connection to the broker")
    check(page.run("document.querySelector('.todo li').classList.contains('bad')"), "a broker that is away does not come first")
    check("Not connected" in page.run("document.querySelector('.tiles').textContent"), "the tile does not say so")
    go(page, "inside")
    page.see("not connected")
    page.see("Buffered on the disk")
    go(page, "overview")


def radio_off(page):
    page.see("The Bluetooth controller does not work")
    check(page.run("document.querySelectorAll('#sensors .state-good').length") == 0, "a sensor that is well without a radio")
    go(page, "air")
    page.see("nothing is heard")
    go(page, "overview")


def many(page):
    page.wait("200 sensors", "document.querySelectorAll('#sensors > li').length >= 200")
    names = page.run("[...document.querySelectorAll('#sensors h3')].map((node) => node.textContent)")
    # The same nodes and the same order while events come, and no more changed than there are new values.
    page.run("""(() => {
      window.nodes = [...document.querySelectorAll('#sensors > li')]; window.added = 0; window.long = 0;
      new MutationObserver((list) => { for (const { addedNodes } of list) for (const node of addedNodes) if (node.nodeType === 1) window.added += 1; })
        .observe(document.querySelector('#sensors'), { childList: true, subtree: true });
      new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.long = Math.max(window.long, duration); })
        .observe({ type: 'longtask' });
      document.querySelector('#sensor-search').focus();
      window.events = 0;
      window.second = new EventSource('/events');
      window.second.addEventListener('status', () => { window.events += 1; });
    })()""")
    page.wait("four events", "window.events >= 4")
    page.run("window.second.close()")
    added = page.run("window.added")
    # Charts come as they are to be seen: each is one drawing of a few shapes.
    check(added <= 40 * 12, f"{added} elements were made for a few events")
    kept = page.run("[...document.querySelectorAll('#sensors > li')].filter((node) => window.nodes.includes(node)).length")
    check(kept >= 200, f"only {kept} of 200 cards are the same")
    page.type("#sensor-search", names[100])
    page.wait("the filter", "[...document.querySelectorAll('#sensors > li')].filter((node) => !node.hidden).length < 20")
    page.see(" fit.")
    page.type("#sensor-search", "")
    page.key("Backspace", 8)
    page.wait("all again", "[...document.querySelectorAll('#sensors > li')].filter((node) => !node.hidden).length >= 200")
    return f"longest task {page.run('window.long'):.0f} ms"


def hostile(page):
    """Markup stays text, wherever it comes from."""
    markup = "<img src=x onerror="
    page.see(markup)

    def is_harmless(where):
        check("owned" not in page.run("document.title").replace("document.title='owned'", ""), f"{where}: a script has run")
        wrong = page.run("[...document.querySelectorAll('img, script, iframe, object, embed')].map((node) => node.outerHTML)"
                         ".filter((html) => !/^<(img src=\"\\/(icon.svg|api\\/label)\"|script (type=\"module\" )?src=\"\\/)/.test(html))")
        check(not wrong, f"{where}: {wrong}")
        turned = page.run("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)")
        check(not turned, f"{where}: characters that turn the direction")
    is_harmless("overview")
    open_first_sheet(page)
    page.see(markup)
    is_harmless("sheet")
    page.key("Escape", 27)
    for view in ("air", "log", "setup"):
        go(page, view)
        page.see(markup)
        is_harmless(view)
    go(page, "overview")


def locked(page, address, password):
    """The form, a wrong password, the right one."""
    page.wait("the form", "location.pathname === '/login' && document.querySelector('#password') !== null")
    check(page.run("document.activeElement.id") == "password", "the password has not the focus")
    page.type("#password", "wrong horse")
    page.key("Enter", 13, "\r")
    page.see("This password is wrong")
    page.type("#password", password)
    page.key("Enter", 13, "\r")
    page.wait("the page", "location.pathname === '/' && document.querySelector('h1')?.textContent === 'Overview'")
    wait_for_status(page)
    page.tap("Sign out", "button")
    page.wait("the form again", "location.pathname === '/login'")
    page.call("Page.navigate", url=address + "/")
    page.wait("no way in", "location.pathname === '/login' && document.querySelector('#password') !== null")


SCENES = {"empty": empty, "well": well, "busy": busy, "broker-down": broker_down, "radio-off": radio_off, "many": many, "hostile": hostile}
