# SPDX-License-Identifier: Apache-2.0
"""The page of Sources/PhonePage in headless Chromium, driven by taps and keys, with a navigator.bluetooth of the tests' own.

Chromium's own emulation of Bluetooth can neither notify nor refuse nor pair. Behind the substitute is a gateway that is
only its configuration service, for what goes wrong at a chosen moment.
"""
import contextlib
import hashlib
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Rig" / "browser"))
import browser as tool  # noqa: E402
from fake_gateway import FakeGateway, some_sensors  # noqa: E402
from harness import check, wait_for  # noqa: E402

AUDIT = pathlib.Path(tool.__file__).with_name("audit.js").read_text()
AGENTS = {
    "iphone": ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
               "Version/18.5 Mobile/15E148 Safari/604.1"),
    "chrome on iphone": ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                         "CriOS/148.0.7778.47 Mobile/15E148 Safari/604.1"),
    "safari": ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
               "Version/18.5 Safari/605.1.15"),
    "firefox": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "linux": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
}


@contextlib.contextmanager
def at_the_page(bench, *arguments, host="localhost", **options):
    """The page; in the end nothing may have gone wrong in it that nobody saw, and it may have asked nobody else."""
    server = tool.Server()
    browser = tool.Browser(bench.folder / "chromium.log")
    try:
        address = server.address.replace("localhost", host)
        page = tool.Page(browser, address, *arguments, **options)
        try:
            yield page
            check(not page.mistakes, f"errors in the page: {page.mistakes}")
            elsewhere = [url for url in page.urls if not url.startswith((address, "about:"))]
            check(not elsewhere, f"the page asked somebody else: {elsewhere}")
        except Exception:
            with contextlib.suppress(Exception):
                page.picture(bench.folder / "failed.png")
            raise
        finally:
            page.close()
    finally:
        browser.close()
        server.close()


def audit(page, where, found, pictures=None):
    """Notes what is wrong with the page as it is, on screens of three widths, by day and by night; and takes pictures."""
    former = page.size
    for size in (tool.NARROW, tool.PHONE, tool.DESKTOP):
        for light in ("light", "dark"):
            page.look(size, light == "dark")
            found += [f"{where}, {size[0]} px, {light}: {line}" for line in page.run(AUDIT)]
            if pictures and size != tool.NARROW:
                kind = "phone" if size == tool.PHONE else "desktop"
                page.picture(pictures / f"{where}-{kind}-{light}.png")
    page.look(former)


# The way through the steps

def find(page):
    page.title_without_focus("Find your gateway")
    page.tap("Find gateway")
    page.title("Pair this phone")


def pair(page, title="Name and place"):
    page.tap("Pair", "button[type=submit]")
    page.title(title)


def place(page):
    page.see("Set from this phone")
    page.tap("Continue")
    page.title("Network")


def network(page, name="Attic", password="correct horse", title="MQTT broker"):
    page.see("Look again")
    page.tap(name, "bdi")
    page.type("#wifi-password", password)
    page.tap("Continue")
    page.title(title)


def broker(page, host="broker.local", password="battery staple"):
    page.type("#host", host)
    page.type("#username", "gw")
    page.type("#broker-password", password)
    page.tap("Continue")
    page.title("Check and apply")
    page.see(host)


def apply(page):
    page.tap(None, "#apply")


def no_secrets(page, *secrets):
    """No field, no text and no attribute of the page has a password any more."""
    content = page.run("document.documentElement.outerHTML + [...document.querySelectorAll('input')].map((i) => i.value)")
    left = [secret for secret in secrets if secret in content]
    check(not left, f"still in the page: {left}")


def one_at_a_time(page):
    statistics = page.run("bluetoothOfTests.statistics")
    check(statistics["refused"] == 0, f"{statistics['refused']} operations began while another one was under way")
    return statistics


# The tests

def steps(bench):
    """Every step by taps, with an ATT_MTU of 23; each looked over for what makes a page hard to use."""
    gateway, found = FakeGateway(mtu=23), []
    gateway.sensors = some_sensors()
    pictures = bench.folder / "pictures"
    pictures.mkdir()
    with at_the_page(bench, gateway) as page:
        page.title_without_focus("Find your gateway")
        audit(page, "find", found, pictures)
        find(page)
        page.see("Martlet 1.0.0 on Raspberry Pi 4 Model B")
        audit(page, "pair", found, pictures)
        pair(page)
        check(gateway.asked[[number for _, number in gateway.asked].index("0026")][0] == "read",
              "the first protected request is no read")
        audit(page, "place", found, pictures)
        check(page.run("document.querySelector('#country').value") == "GB", "the country is not guessed from en-GB")
        page.type("#name", "Attic gateway")
        place(page)
        page.see("Café Größe Ω €")
        page.see("Office")
        audit(page, "network", found, pictures)
        page.tap("Attic", "bdi")
        audit(page, "network-chosen", found, pictures)
        network(page)
        check(gateway.wifi["ssid"] == "Attic" and gateway.wifi_password == "correct horse", f"staged: {gateway.wifi}")
        no_secrets(page, "correct horse")
        audit(page, "broker", found, pictures)
        check(page.run("document.querySelector('#home-assistant').checked"), "a new gateway does not offer Home Assistant")
        broker(page)
        page.see("shows the sensors")
        check(gateway.broker["home_assistant"] is True, f"staged: {gateway.broker}")
        no_secrets(page, "correct horse", "battery staple")
        check((gateway.name, gateway.country) == ("Attic gateway", "GB"), f"{gateway.name} in {gateway.country}")
        page.see("United Kingdom")
        audit(page, "review", found, pictures)
        gateway.holds["tls"] = threading.Event()
        apply(page)
        page.see("Agreeing on encryption")
        page.see("s at most")
        audit(page, "applying", found, pictures)
        gateway.holds["tls"].set()
        page.see("It works")
        check(page.run("document.activeElement.textContent") == "Choose sensors", "the way on has not the focus")
        audit(page, "applied", found, pictures)
        page.tap("Choose sensors")
        page.title("Sensors")
        page.tap("Accept Polar H10")
        page.see("72 bpm")
        page.see("Polar H10 is accepted.")
        card = "[...document.querySelectorAll('.card')].find((each) => each.textContent.includes('Polar H10'))"
        page.run(f"(() => {{ const card = {card}; card.querySelector('details').open = true; const [, label, room] = card.querySelectorAll('details input'); "
                 "label.dataset.test = 'label'; room.dataset.test = 'room'; })()")
        page.type("[data-test=label]", "Brustgurt „Anna“")
        page.type("[data-test=room]", "Gym")
        page.tap("Rename", "button")
        wait_for("the new name", lambda: gateway.renamed == [
            {"address": "C4:7C:8D:00:11:22", "label": "Brustgurt „Anna“", "room": "Gym"}], 30)
        page.see("Brustgurt „Anna“")
        page.tap("Accept BP cuff")
        page.see("It asks for a passkey")
        page.run(f"(() => {{ const card = {card.replace('Polar H10', 'BP cuff')}; card.querySelector('input[inputmode=numeric]').dataset.test = 'passkey'; "
                 "[...card.querySelectorAll('button')].find((each) => each.textContent === 'Send the passkey').dataset.test = 'send'; })()")
        page.type("[data-test=passkey]", "019655")
        audit(page, "sensors", found, pictures)
        page.tap(None, "[data-test=send]")
        page.see("118 mmHg")
        check(gateway.passkeys == [{"address": "C4:7C:8D:00:11:24", "passkey": "019655"}], f"{gateway.passkeys}")
        no_secrets(page, "019655")
        page.tap("Forget Brustgurt „Anna“")
        audit(page, "confirmation", found, pictures)
        page.tap("Forget", "dialog button")
        wait_for("the sensor is forgotten", lambda: not gateway.sensors["C4:7C:8D:00:11:22"]["accepted"], 30)
        page.tap("Status", "nav button")
        page.title("Status")
        page.see("Everything works")
        page.tap("Identify", "button")
        page.see("blinks for ten seconds.")
        audit(page, "status", found, pictures)
        page.tap("More", "nav button")
        page.title("More")
        page.tap("Let another phone in")
        page.see("482913")
        page.tap("Show the log")
        page.see("line 5 of the log")
        wait_for("the page's subscription to the log", lambda: "0041" in gateway.notifying, 30)
        gateway.tell("0041", "martlet[612]: a new line <b>of</b> the log")
        page.see("a new line <b>of</b> the log")
        audit(page, "more", found, pictures)
        page.tap("Erase everything…")
        page.type("#confirm-word", "ERAS")
        page.tap("Erase now")
        page.type("#confirm-word", "ERASE")
        check(gateway.resets == 0, "erased without the whole word")
        audit(page, "reset", found, pictures)
        page.tap("Erase now")
        page.see("is like a new one")
        check(gateway.resets == 1 and gateway.identified == 1, f"{gateway.resets} resets, {gateway.identified} blinks")
        statistics = one_at_a_time(page)
    check(not found, "\n".join(found))
    return f"{statistics['operations']} operations one at a time, nothing found in 15 views of 6 looks; pictures in {pictures.name}/"


def refusals(bench):
    """What goes wrong is said, and can be mended: adapter, chooser, passkey, values, Wi-Fi, broker."""
    gateway = FakeGateway(mtu=185)
    gateway.adapter, gateway.chooser = False, False
    with at_the_page(bench, gateway) as page:
        page.see("Bluetooth is off, or not allowed")
        gateway.adapter = True
        page.run("bluetoothOfTests.availabilityChanged()")
        page.title("Find your gateway")
        page.tap("Find gateway")
        page.see("No gateway was chosen")
        gateway.chooser, gateway.unreachable = True, 3
        page.tap("Find gateway")
        page.see("did not answer")
        page.tap("Find gateway")
        page.title("Pair this phone")

        # Somebody types the wrong digits, and sees why; the next attempt is theirs.
        def slowly_wrong():
            time.sleep(3)
            return "000000"
        gateway.person = slowly_wrong
        page.tap("Pair", "button[type=submit]")
        page.see("Pairing did not succeed")
        check(gateway.prompts == 1, f"{gateway.prompts} dialogs of one attempt")
        # A read that fails at once, as on Windows while the dialog is open, is asked again by itself.
        answers = [None, gateway.passkey]
        gateway.person = lambda: answers.pop(0)
        pair(page)
        check(gateway.prompts == 3, f"{gateway.prompts} dialogs")

        page.type("#name", " ")
        page.tap("Continue")
        page.see("Give it a name")
        check(page.run("document.activeElement.id") == "name", "the field that is wrong has not the focus")
        page.type("#name", "Attic")
        place(page)
        page.see("Look again")
        page.tap("Continue")
        page.see("Choose a network, or the cable.")
        page.tap("Attic", "bdi")
        page.type("#wifi-password", "short")
        page.tap("Continue")
        page.see("A password has 8 to 63 characters")
        network(page, password="wrong horse")
        page.type("#host", "not.valid")
        page.tap("Continue")
        page.see("The broker's address cannot be “not.valid”.")
        broker(page, password="wrong staple")
        gateway.holds["back"] = threading.Event()
        apply(page)
        page.see("The Wi-Fi password is wrong.")
        page.see("goes back to what was before")
        gateway.holds["back"].set()
        page.see("The former settings hold again")
        page.tap("Mend the network")
        page.title("Network")
        network(page, title="Check and apply")
        apply(page)
        page.see("The broker refused user and password.")
        page.tap("Mend the broker")
        page.title("MQTT broker")
        kept = page.run("['host', 'username'].map((id) => document.getElementById(id).value).join()")
        check(kept == "broker.local,gw", f"what was typed is not kept: {kept}")
        page.type("#broker-password", "battery staple")
        page.tap("Continue")
        page.title("Check and apply")
        page.see("broker.local")
        apply(page)
        page.see("It works")
        check(gateway.applies == 3, f"{gateway.applies} times applied")

        # Once more: the network stays as it is, and a password is for the broker that it was typed for.
        page.tap("Set up", "nav button")
        page.title("Name and place")
        page.tap("Continue")
        page.title("Network")
        page.see("Look again")
        writes = gateway.asked.count(("write", "0022"))
        page.tap("Continue")
        page.title("MQTT broker")
        check(gateway.asked.count(("write", "0022")) == writes, "the network was written although nothing of it changed")
        page.type("#host", "other.local")
        page.tap("Continue")
        page.see("type the password again")
        broker(page, host="other.local")

        # A gateway without Wi-Fi has no use for a country.
        writes = gateway.asked.count(("write", "0020"))
        page.tap("Change: Country")
        page.title("Name and place")
        page.pick("#country", "No Wi-Fi, only a cable")
        page.tap("Continue")
        page.title("Check and apply")
        check(gateway.asked.count(("write", "0020")) == writes, "a country was written for a cable")
        one_at_a_time(page)
    return "adapter, chooser, connection, passkey, fields, values, Wi-Fi and broker: said and mended"


def links(bench):
    """The link is lost while a certificate is sent, while the gateway applies, while the page subscribes, while nobody does
    anything, and for good."""
    gateway = FakeGateway(mtu=23)
    pem = bench.folder / "authority.pem"
    lines = [hashlib.sha256(bytes([number])).hexdigest() for number in range(48)]
    pem.write_text("\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""]))
    with at_the_page(bench, gateway) as page:
        find(page)
        pair(page)
        place(page)
        network(page)

        # Once before the answer to a chunk, which has arrived: it must not arrive twice.
        def lose(offset):
            if offset == 1016:
                gateway.drop(unreachable=2)
        gateway.after_chunk = lose
        page.choose_file("#authority", pem)
        broker(page, password="wrong staple")
        check(gateway.pem == pem.read_bytes() and gateway.authority["state"] == "complete",
              f"{len(gateway.pem)} of {pem.stat().st_size} octets have arrived")
        chunks = [request for request in gateway.asked if request == ("write", "0025")]
        check(len(chunks) == -(-pem.stat().st_size // 508), f"{len(chunks)} chunks of {pem.stat().st_size} octets")
        page.see("your own authority")

        gateway.holds["associate"] = threading.Event()
        gateway.holds["broker"] = threading.Event()
        apply(page)
        page.see("Joining the network")
        gateway.drop(unreachable=2)
        page.see("Link lost")
        gateway.holds["associate"].set()
        page.see("Connected to")
        # What was told while the link was away is made up for by what is read, which is none of what is told.
        page.see("Logging in at the broker")
        gateway.holds["broker"].set()
        page.see("The broker refused user and password.")
        gateway.holds["broker"] = threading.Event()
        page.tap("Mend the broker")
        page.type("#broker-password", "battery staple")
        page.tap("Continue")
        page.title("Check and apply")
        page.see("broker.local")
        apply(page)
        page.see("Logging in at the broker")
        gateway.drop(unreachable=1)
        page.see("Link lost")
        gateway.holds["broker"].set()
        page.see("It works")
        check(gateway.applies == 2, f"{gateway.applies} times applied")

        # Once while the page subscribes: it must not do so twice on the next link, and hear every piece twice. The sensors
        # are told when it subscribes anew, by the thread that answers it: two would mix their lines.
        def lose_subscription(number):
            if number == "0030":
                gateway.before_subscription = lambda number: None
                gateway.sensors = some_sensors()
                gateway.drop()
        gateway.before_subscription = lose_subscription
        page.tap("Choose sensors")
        page.title("Sensors")
        page.see("Link lost")
        page.see("Connected to")
        page.tap("Accept Polar H10")
        page.see("72 bpm")
        subscriptions = gateway.asked.count(("subscribe", "0030"))
        check(subscriptions == 2, f"subscribed to the sensors {subscriptions} times, one of which was lost")
        gateway.drop()
        page.see("Link lost")
        page.see("Connected to")
        page.tap("Accept Attic climate")
        page.see("21.4 °C")

        # The gateway has forgotten this phone: it says so, and pairs again.
        gateway.is_bonded, gateway.person = False, lambda: None
        gateway.drop()
        page.title("Pair this phone")
        page.see("does not know this phone any more")
        gateway.person = lambda: gateway.passkey
        pair(page, title="Status")
        one_at_a_time(page)
    return f"six links lost; {len(chunks)} chunks of a certificate, each once; no apply lost or repeated"


def queue(bench):
    """Two taps while the gateway is slow: their operations wait for each other."""
    gateway = FakeGateway(mtu=23)
    with at_the_page(bench, gateway) as page:
        find(page)
        pair(page)
        page.see("Set from this phone")
        page.tap("More", "nav button")
        page.title("More")
        page.see("The pairing window is closed.")
        gate, value = threading.Event(), gateway.value

        def slowly(number):
            if number in ("0041", "0060"):
                gate.wait(60)
            return value(number)
        gateway.value = slowly
        page.tap("Show the log")
        page.tap("Let another phone in")
        page.tap("Drop changes that were not applied")
        asked = len(gateway.asked)
        wait_for("the first of them is asked", lambda: ("read", "0041") in gateway.asked, 30)
        time.sleep(0.5)
        check(len(gateway.asked) <= asked + 1, f"asked at once: {gateway.asked[asked:]}")
        gate.set()
        page.see("line 5 of the log")
        page.see("482913")
        page.see("The gateway has what it had before")
        statistics = one_at_a_time(page)
    return f"{statistics['operations']} operations, none while another was under way"


def browsers(bench):
    """Where something is missing, the page says what, and what to do, before anybody tries."""
    wanted = {
        "iphone": ["Browsers on iPhone and iPad have no Web Bluetooth", "Bluefy"],
        "chrome on iphone": ["Browsers on iPhone and iPad have no Web Bluetooth", "Bluefy"],
        "safari": ["Safari has no Web Bluetooth", "Chrome or Edge"],
        "firefox": ["Firefox has no Web Bluetooth", "Chrome or Edge"],
        "linux": ["Web Bluetooth is off in Chrome on Linux", "enable-web-bluetooth", "bluetoothctl", "martlet configure"]}
    for name, texts in wanted.items():
        with at_the_page(bench, agent=AGENTS[name]) as page:
            for text in texts:
                page.see(text)
            check("Find gateway" not in page.text(), f"{name} may try all the same")
            found = []
            audit(page, name, found)
            check(not found, "\n".join(found))
    with at_the_page(bench, FakeGateway(), agent=AGENTS["linux"]) as page:
        page.title_without_focus("Find your gateway")
        page.see("Chrome on Linux cannot enter a passkey")
        page.see("bluetoothctl")
    # A name that is not localhost, by HTTP.
    with at_the_page(bench, host="gateway.test") as page:
        page.see("This page was not loaded securely")
        page.see("https://")
    with at_the_page(bench, FakeGateway(), agent=AGENTS["iphone"]) as page:
        page.see("Find gateway")
    return "iOS, Safari, Firefox, Linux with and without, an insecure address; Bluefy goes on"
