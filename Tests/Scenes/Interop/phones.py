# SPDX-License-Identifier: Apache-2.0
"""A gateway that nobody has set up, and Bumble as the phone that does it, over RootCanal.

`setup`: from the first look to readings at the broker, with mistakes, restarts and lost bonds in between.
`interrupted`: the phone stops at each step and comes back; somebody types slower than SMP waits.
`strangers`: whatever a phone without the key asks for, nothing that is an owner's is read, written or sent.
`label`: its code can be scanned; its passkey is good for one phone, also after a restart.
`improv`: Home Assistant's own client at Improv's door.
"""
import json
import re
import subprocess
import time

from captures import SENT, tshark
from harness import FEEDS, PYTHON, RIG_SOURCES, Sensor, check, program, wait_for
from phone_desk import (ACCEPT, APPLY, BROKER, COUNTRY, INSUFFICIENT_AUTHENTICATION, NAME, NETWORKS, NEXT_STEP,
                        NOTIFIES, PATIENCE, READS, SENSORS, STATE, STATUS, TABLE, WIRELESS, WRITES, Desk, Phone,
                        requests_for)

WIFI = {"ssid": "Attic", "password": "12345678"}
# Of a peer whose key is known here, and who does not use it: Core 5.4, Vol 3, Part C, 10.3.1.
REFUSED_WITH_BOND = {INSUFFICIENT_AUTHENTICATION, 0x0F}


def desk_and_phone(bench, **options):
    radio = bench.radio()
    desk = Desk(bench, f"tcp:127.0.0.1:{radio}", **options)
    return desk, Phone(bench, f"tcp-client:127.0.0.1:{radio}"), radio


def pair(desk, phone, **options):
    ended = phone.pair(desk.passkey, **options)
    check(ended["event"] == "paired" and ended["authenticated"] and ended["sc"], f"the phone did not pair: {ended}")


def check_no_security_request(desk):
    """Of no run of the gateway: phones pair when they are refused, not when they are asked."""
    for number in range(1, desk.starts + 1):
        capture = desk.bench.folder / f"gateway-{number}.btsnoop"
        asked = tshark(capture, "-Y", f"{SENT} && btsmp.opcode == 0x0b")
        check(not asked, f"the gateway has asked for security:\n{asked[:500]}")


def setup(bench):
    desk, phone, radio = desk_and_phone(bench)
    broker = bench.broker()
    consumer = bench.consumer(broker)
    # Nobody has set it up: it is found, and says what to do.
    phone.connect()
    check(set(phone.items) == set(TABLE), f"the table has {sorted(phone.items)}")
    check(phone.text(STATE) == "unprovisioned", f"the state is {phone.text(STATE)}")
    check(phone.text(NEXT_STEP), "it does not say what to do")
    for item in READS:
        answer = phone.ask("read", item=item)
        check(answer.get("code") == INSUFFICIENT_AUTHENTICATION, f"a stranger reads {item}: {answer}")
    for item in WRITES:
        check(phone.write(item, "x") == INSUFFICIENT_AUTHENTICATION, f"a stranger writes {item}")
    for item in NOTIFIES:
        pdu = b"\x12" + phone.items[item]["configuration"].to_bytes(2, "little") + b"\x01\0"
        answer = phone.ask("request", pdu=pdu.hex())["answer"]
        check(answer[:2] == "01" and answer[8:] == "05", f"a stranger subscribes to {item}: {answer}")

    desk.open()
    pair(desk, phone)
    for item in NOTIFIES:
        check("code" not in phone.ask("subscribe", item=item), f"an owner does not subscribe to {item}")
    phone.must_write(COUNTRY, "DE")
    phone.must_write(NETWORKS, "scan")
    heard = wait_for("the networks are told", lambda: any(
        "end" in line for line in phone.received(NETWORKS)) and phone.received(NETWORKS), PATIENCE)
    check([line.get("ssid") for line in heard][:1] == ["Attic"], f"the networks are {heard}")

    # A mistyped password: told as what it is, and what was before holds again.
    phone.must_write(BROKER, {"host": "127.0.0.1", "port": broker.port, "tls": False})
    phone.must_write(WIRELESS, {**WIFI, "password": "87654321"})
    lines = phone.apply()
    failed = [line for line in lines if line["state"] == "failed"]
    check([(line["step"], line["reason"]) for line in failed] == [("associate", "wrong-password")], f"{lines}")
    check(lines[-1] == {"step": "rolled-back", "state": "done"}, f"the last line is {lines[-1]}")
    check(desk.joined() is None and phone.text(STATE) == "staged", "something of it was kept")
    phone.must_write(WIRELESS, WIFI)
    lines = phone.apply()
    check(lines[-1] == {"step": "done", "state": "done"}, f"applying ended so: {lines}")
    check(desk.joined() == "Attic", f"the next start joins {desk.joined()}")
    check("12345678" not in phone.text(WIRELESS), "a password is read back")
    wait_for("the status says that the broker is there", lambda: any(
        line.get("broker_connected") for line in phone.received(STATUS)), PATIENCE)

    # A sensor that is heard, accepted from the phone, arrives at the broker.
    sensor = Sensor(bench, radio, 1, "heart-rate", 5)
    wait_for("the sensor is heard", lambda: any(
        line["address"] == sensor.address for line in phone.received(SENSORS)), PATIENCE)
    phone.must_write(ACCEPT, {"address": sensor.address, "id": "attic", "subscribe": FEEDS["heart-rate"]})
    wait_for("its readings arrive", lambda: any(
        reading["dev"] == "attic" for reading in consumer.readings()), PATIENCE)

    # It comes back bonded, after a restart and outside the window; without pairing.
    desk.close()
    phone.gone()
    desk.restart()
    phone.connect()
    check("code" not in phone.ask("encrypt"), "the bond is of no use")
    check(phone.text(STATE) == "provisioned" and phone.json(BROKER)["port"] == broker.port, "the settings are others")
    wait_for("readings arrive after the restart", lambda: any(
        reading["dev"] == "attic" for reading in consumer.readings()[-5:]), PATIENCE)
    forgotten = lost_bonds(bench, desk, phone, radio)
    check_no_security_request(desk)
    sensor.stop()
    desk.gateway.stop()
    return f"{len(consumer.readings())} readings of a sensor that the phone accepted; {forgotten}"


def lost_bonds(bench, desk, phone, radio):
    """Either side forgets, inside and outside the window."""
    phone.gone()
    check(len(desk.phones()) == 1, f"the phones are {desk.phones()}")
    desk.martlet("provision", "forget", desk.phones()[0])
    check(not desk.phones(), f"the phones are still {desk.phones()}")
    # The gateway has no key any more: the phone is told so by the controller, and nothing is read.
    desk.open()
    phone.connect()
    check("code" in phone.ask("encrypt"), "a forgotten key encrypts")
    phone.gone()
    phone.ask("forget")
    phone.connect()
    check(phone.ask("read", item=BROKER).get("code") in REFUSED_WITH_BOND, "a forgotten phone reads")
    pair(desk, phone)
    check(phone.json(BROKER), "a phone that has paired anew does not read")
    # The phone has lost its keys: it may pair anew, but only inside the window.
    phone.gone()
    phone.ask("forget")
    desk.close()
    address = wait_for("the gateway is found", lambda: phone.ask("find")["found"], PATIENCE)
    phone.connect(address=address)
    check(phone.ask("read", item=BROKER).get("code") in REFUSED_WITH_BOND, "a phone without its key reads")
    ended = phone.pair(None)
    check(ended["event"] == "pairing failed", f"outside the window it pairs: {ended}")
    check(phone.process.alive(), "the phone has died")
    phone.gone()
    desk.open()
    phone.connect()
    pair(desk, phone)
    check(phone.json(BROKER), "inside the window it does not come back")
    return "bonds forgotten on either side"


def interrupted(bench):
    desk, phone, _ = desk_and_phone(bench)
    broker = bench.broker()
    # Somebody looks for the passkey longer than SMP waits: the pairing ends, and the next try works.
    desk.open()
    phone.connect()
    phone.ask("pair", io="keyboard")
    phone.hears("asked for the passkey")
    digits, asked = desk.passkey(), time.monotonic()
    wait_for("the gateway gives the attempt up", lambda: desk.window().get("passkey") != f"{digits:06}", PATIENCE)
    waited = time.monotonic() - asked
    check(waited > 25, f"the gateway has waited {waited:.0f} s for the passkey")
    phone.ask("type", passkey=digits)
    # The link may be gone by now: then it is not asked.
    if not phone.events("disconnected"):
        answer = phone.ask("read", item=BROKER)
        check(answer.get("code") == INSUFFICIENT_AUTHENTICATION, f"a late passkey has let it in: {answer}")
    check(not phone.events("paired"), "a late passkey was taken")
    phone.gone()
    # At each step the phone goes, and comes back to what was: what it had staged, and no more.
    phone.connect()
    phone.ask("pair", io="keyboard")
    phone.hears("asked for the passkey", 2)
    phone.gone()
    phone.connect()
    pair(desk, phone)
    for item, value in ((COUNTRY, "DE"), (WIRELESS, WIFI), (NAME, "Attic gateway"),
                        (BROKER, {"host": "127.0.0.1", "port": broker.port, "tls": False})):
        phone.must_write(item, value)
        phone.gone()
        phone.connect()
        check("code" not in phone.ask("encrypt"), "the bond is of no use")
        check(phone.text(STATE) == "staged", f"after {item} and a break the state is {phone.text(STATE)}")
    # It goes while something is applied, which comes to its end without the phone.
    phone.must_write(APPLY, "apply")
    phone.gone()
    wait_for("applying ends without the phone", lambda: desk.joined() == "Attic", PATIENCE)
    phone.connect()
    check("code" not in phone.ask("encrypt"), "the bond is of no use")
    wait_for("it is provisioned", lambda: phone.text(STATE) == "provisioned", PATIENCE)
    check(phone.text(NAME) == "Attic gateway", f"its name is {phone.text(NAME)}")
    check_no_security_request(desk)
    desk.gateway.stop()
    return f"a passkey typed after {waited:.0f} s is not taken; every step broken off and gone on with"


def strangers(bench):
    desk, _, radio = desk_and_phone(bench)
    attempts, codes = 0, {}
    # Without a pairing, and after having tried Just Works, which the gateway has to refuse.
    for number, io in enumerate((None, "none")):
        phone = Phone(bench, f"tcp-client:127.0.0.1:{radio}", f"stranger-{number}", f"F0:00:00:00:00:E{number}")
        phone.connect()
        if io:
            ended = phone.pair(None, io=io)
            check(ended["event"] == "pairing failed", f"Just Works has paired: {ended}")
            if phone.events("disconnected"):
                phone.connect()
        for item in TABLE:
            for words, pdu in requests_for(item, phone.items[item]):
                answer = bytes.fromhex(phone.ask("request", pdu=pdu.hex())["answer"])
                check(answer[0] == 0x01, f"{words} of {item} by a stranger: {answer.hex()}")
                check(answer[4] == INSUFFICIENT_AUTHENTICATION, f"{words} of {item}: refused with {answer[4]:#x}")
                codes[answer[4]] = codes.get(answer[4], 0) + 1
                attempts += 1
            # Nothing is left over that an Execute Write would carry out.
            answer = bytes.fromhex(phone.ask("request", pdu="1801")["answer"])
            check(answer[0] in (0x19, 0x01), f"an empty Execute Write: {answer.hex()}")
            # Write Commands have no answer: what they did would show.
            if TABLE[item][1]:
                phone.ask("request", pdu=(b"\x52" + phone.items[item]["value"].to_bytes(2, "little") + b"x").hex())
        check(not phone.events("value"), f"a stranger is sent {phone.events('value')}")
        check(phone.text(STATE) == "unprovisioned", f"a stranger has made the state {phone.text(STATE)}")
        phone.gone()
    check(desk.joined() is None and desk.window()["open"], "a stranger has changed something")
    check_no_security_request(desk)
    desk.gateway.stop()
    return f"{attempts} requests, each refused with 0x05"


def modules_of_blocks(text):
    """The dark modules of a code that is drawn light on dark, two rows a line: half blocks are what is light."""
    lines = [line for line in text.splitlines() if "\u2588" in line]
    dark = {"\u2588": (), "\u2580": (1,), "\u2584": (0,), " ": (0, 1)}
    return {(x, 2 * y + half) for y, line in enumerate(lines) for x, block in enumerate(line) for half in dark[block]}


def modules_of_path(svg):
    return {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg)}


def scan(bench, name, modules):
    """What a scanner that we did not write reads in it."""
    size, scale = max(max(module) for module in modules) + 5, 4
    picture = bench.folder / f"{name}.pbm"
    rows = [" ".join("1" if (x // scale, y // scale) in modules else "0" for x in range(size * scale))
            for y in range(size * scale)]
    picture.write_text(f"P1\n{size * scale} {size * scale}\n" + "\n".join(rows) + "\n")
    return subprocess.run([program("zbarimg"), "--quiet", "--raw", picture], capture_output=True,
                          text=True).stdout.strip()


def label(bench):
    """Nothing can show a fresh passkey, so that of the label counts."""
    desk, first, radio = desk_and_phone(bench)
    report = json.loads(desk.martlet("provision", "label", "--json"))
    digits = int(report["passkey"])
    check(report["code"].startswith("martlet:1?") and f"passkey={report['passkey']}" in report["code"],
          f"the code holds {report['code']}")
    drawing = bench.folder / "label.svg"
    desk.martlet("provision", "label", "--svg", str(drawing))
    for name, modules in (("terminal", modules_of_blocks(desk.martlet("provision", "label"))),
                          ("svg", modules_of_path(drawing.read_text()))):
        read = scan(bench, name, modules)
        check(read == report["code"], f"a scanner reads {read!r} in the code of the {name}")
    window = desk.window()
    check(window["open"] and not window.get("passkey") and window["label"] == "good", f"the window is {window}")
    first.connect()
    ended = first.pair(digits)
    check(ended["event"] == "paired" and ended["authenticated"], f"the label does not let a phone in: {ended}")
    first.gone()
    second = Phone(bench, f"tcp-client:127.0.0.1:{radio}", "second", "F0:00:00:00:00:F1")
    for is_restarted in (False, True):
        if is_restarted:
            desk.restart()
        check(desk.window()["label"] == "used", f"the label is {desk.window()['label']}, restart {is_restarted}")
        second.connect()
        ended = second.pair(digits)
        check(ended["event"] == "pairing failed", f"the label lets a second phone in, restart {is_restarted}")
        second.gone()
    desk.gateway.stop()
    return "both codes read by zbarimg; good for one phone, before and after a restart"


def improv(bench):
    """py-improv-ble-client, over Bumble instead of BlueZ."""
    radio = bench.radio()
    desk = Desk(bench, f"tcp:127.0.0.1:{radio}", extra="improv = true")
    client = bench.start("client", [
        PYTHON, RIG_SOURCES / "improv_client.py", "--transport", f"tcp-client:127.0.0.1:{radio}", "--ssid", "Attic",
        "--password", "12345678", "--go", bench.folder / "go"])

    def lines():
        return [json.loads(line) for line in client.output.read_text().splitlines() if line.endswith("}")]

    def waits_for(what):
        wait_for(f"the client waits for {what}", lambda: not client.alive() or any(
            line.get("waits") == what for line in lines()), 2 * PATIENCE)
        check(client.alive(), f"the client ended: {client.text()[-800:]}")
    waits_for("consent")
    desk.open()
    (bench.folder / "go").write_text("consent")
    waits_for("the end of the window")
    check(desk.joined() == "Attic", f"Improv has joined {desk.joined()}")
    desk.close()
    (bench.folder / "go").write_text("closed")
    wait_for("the client ends", lambda: not client.alive(), 2 * PATIENCE)
    held = [line for line in lines() if "step" in line]
    failed = [line for line in held if not line["ok"]]
    check(not failed and client.process.returncode == 0, f"{failed}: {client.text()[-500:]}")
    wanted = ["advertisement", "no consent", "authorized", "device information", "scan", "wrong password", "provision",
              "outside the window"]
    check([line["step"] for line in held] == wanted, f"the steps were {held}")
    asked = [json.loads(line) for line in desk.helper.output.read_text().splitlines()]
    joins = [line["failure"] for line in asked if line.get("verb") == "join"]
    check(joins == ["wrong-password", None], f"the helper was asked for {joins}")
    check("12345678" not in desk.gateway.process.text(), "the gateway has said a password")
    desk.gateway.stop()
    return f"{len(held)} steps of Home Assistant's client"
