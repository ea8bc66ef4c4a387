# SPDX-License-Identifier: Apache-2.0
"""The page of Sources/PhonePage in a browser, with a whole gateway behind it: `martlet run`, reached by `martlet-peer bridge`, a
central of ours on the virtual radio."""
import os
import subprocess
import time

from harness import check, free_ports, program, wait_for
from page import apply, at_the_page, broker, find, no_secrets, one_at_a_time, pair
from peer import PeerGateway
from phone_desk import Desk


def wired(bench):
    """The whole way with a gateway that is one: our host, its service, a broker with passwords, a sensor in the air. Wired:
    NetworkManager is the network tests' part."""
    radio = free_ports()
    bench.start("virtual-radio", [bench.martlet, "virtual-radio", "--listen", f"tcp:{radio}", "--sensors", "2"]).expect(
        str(radio), 30)
    broker_port = password_broker(bench)
    desk = Desk(bench, f"tcp:127.0.0.1:{radio}")
    desk.open()
    phone = PeerGateway(bench, f"tcp:127.0.0.1:{radio}")
    typed = []

    def person():
        """Types what the gateway shows; the first time something else, after a while as people do."""
        passkey = wait_for("the gateway shows a passkey", lambda: desk.window().get("passkey") not in [None, *typed] and
                           desk.window()["passkey"], 60)
        typed.append(passkey)
        time.sleep(3)
        return passkey if len(typed) > 1 else f"{(int(passkey) + 1) % 1_000_000:06}"

    phone.person = person
    with at_the_page(bench, phone) as page:
        find(page)
        page.see("not set up yet")
        page.tap("Pair", "button[type=submit]")
        page.see("Pairing did not succeed")
        pair(page)
        check(len(set(typed)) == 2, "two attempts had the same passkey")
        page.wait("the clock", "/Clock:/.test(document.getElementById('clock').textContent)")
        page.type("#name", "Attic gateway")
        page.pick("#country", "No Wi-Fi, only a cable")
        page.tap("Continue")
        page.title("MQTT broker")
        page.tap("Encrypt with TLS", "label")
        page.type("#port", str(broker_port))
        broker(page, host="127.0.0.1", password="wrong staple")
        apply(page)
        page.see("refused", 120)
        page.see("The former settings hold again")
        page.tap("Mend the broker")
        page.title("MQTT broker")
        page.type("#broker-password", "battery staple")
        page.tap("Continue")
        page.title("Check and apply")
        page.see("127.0.0.1")
        apply(page)
        page.see("It works", 120)
        page.tap("Choose sensors")
        page.title("Sensors")
        name = page.wait("a sensor", "document.querySelector('.card h3')?.textContent")
        page.tap(f"Accept {name}")
        page.see("Accepted")
        page.wait("a value", "document.querySelector('.values:not(.empty)')?.textContent", 120)
        no_secrets(page, "battery staple", "wrong staple", *typed)
        page.tap("Status", "nav button")
        page.title("Status")
        page.see("1 of 1 with values")
        page.tap("Identify", "button")
        page.see("no LED that could blink")
        # The air loses the link, and the bond brings it back without a passkey.
        phone.ask(op="disconnect")
        page.see("Link lost")
        page.see("Connected to")
        check(phone.prompts == 2, f"{phone.prompts} passkeys were asked for")
        statistics = one_at_a_time(page)
    phone.close()
    desk.gateway.stop()
    kept = "".join(path.read_text() for path in (desk.state / "config.d").glob("*.toml"))
    check("Attic gateway" in kept and str(broker_port) in kept, f"not kept: {kept}")
    return f"paired at the second passkey, mended, applied, {name} collected; {statistics['operations']} operations"


def password_broker(bench):
    """The port of a mosquitto that knows one user."""
    port, folder = free_ports(), bench.folder / "broker"
    folder.mkdir()
    subprocess.run([program("mosquitto_passwd"), "-b", "-c", folder / "users", "gw", "battery staple"], check=True,
                   capture_output=True)
    (folder / "mosquitto.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {folder}/users\nlog_dest stderr\n"
        + ("user root\n" if os.getuid() == 0 else ""))
    bench.start("mosquitto", [program("mosquitto"), "-c", folder / "mosquitto.conf"]).expect("running", 30)
    return port
