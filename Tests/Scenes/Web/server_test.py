#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server_test.py MARTLET [PART...] - the gateway's page from the side of the network: who gets in, what another site cannot do,
and what slow, many or hostile visitors do to the gateway behind it. The clients are Python's http.client and plain sockets.

Logs lie in .rig/logs/page-*. Run it with .rig/venv/bin/python.
"""
import base64
import concurrent.futures
import hashlib
import http.client
import json
import pathlib
import random
import re
import socket
import ssl
import sys
import threading
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Rig"))
from harness import Bench, Failed, Gateway, check, free_ports, wait_for  # noqa: E402

PASSWORD = "correct horse battery"
SECRET = "a-secret-of-the-broker"


class Served:
    """A gateway on simulated sensors whose page is served."""

    def __init__(self, bench, page="", tls=False, mqtt=""):
        self.port = free_ports()
        self.tls = tls
        host = "0.0.0.0" if tls else "127.0.0.1"
        bench.short.joinpath("decoders.d").mkdir(exist_ok=True)
        path = bench.configuration(
            free_ports(), [], mqtt=mqtt,
            extra=f'\n[[sensor]]\nservice = "environmental_sensing"\n\n[[sensor]]\nfamily = "ruuvi"\n\n'
                  f'[page]\nlisten = "{host}:{self.port}"\n{page}\n')
        self.gateway = Gateway(bench, path, "virtual")
        self.gateway.process.expect("the page is served", 30)

    def connection(self, timeout=10):
        if not self.tls:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and body of one request on a connection of its own."""
        connection = self.connection()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            # Events have no end.
            endless = answer.status == 200 and path == "/events"
            return answer.status, answer.headers, b"" if endless else answer.read()
        finally:
            connection.close()

    def post(self, path, value, headers=None):
        scheme = "https" if self.tls else "http"
        return self.ask("POST", path, json.dumps(value), {
            "Content-Type": "application/json", "Origin": f"{scheme}://127.0.0.1:{self.port}", **(headers or {})})

    def log_in(self, password=PASSWORD):
        status, headers, _ = self.ask("POST", "/login", f"password={password.replace(' ', '+')}", {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"})
        check(status == 303, f"the login was answered with {status}")
        return headers["Location"], (headers["Set-Cookie"] or "").split(";")[0]

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), 10)

    def memory(self):
        """Resident kilobytes."""
        text = pathlib.Path(f"/proc/{self.gateway.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1])

    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.gateway.process.pid}/fd").iterdir()))

    def settled(self):
        """The descriptors of a gateway that has started: two seconds long their number stays."""
        last, since = self.descriptors(), time.monotonic()
        deadline = since + 60
        while time.monotonic() - since < 2:
            check(time.monotonic() < deadline, f"the descriptors change all the time, now {last}")
            time.sleep(0.2)
            if self.descriptors() != last:
                last, since = self.descriptors(), time.monotonic()
        return last

    def check_collecting(self):
        """The gateway goes on: readings come in, and the page answers."""
        before = self.gateway.status()["journal"]["received"]
        wait_for("more readings", lambda: self.gateway.status()["journal"]["received"] > before, 20)
        wait_for("an answer", self.answers, 60)

    def answers(self):
        """Whether a visitor is answered: one address has so many connections at once, and silent ones end after 20 s."""
        try:
            return self.ask("GET", "/metrics")[0] == 200
        except OSError:
            return False


def loopback(bench):
    """Without a password on this machine's own address: everything is there, with headers that keep others out."""
    served = Served(bench)
    for path, kind in [("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"),
                       ("/icon.svg", "image/svg+xml"), ("/metrics", "text/plain"), ("/api/bonds", "application/json"),
                       ("/api/settings", "application/json"), ("/api/configuration", "application/json"),
                       ("/api/provision-label", "image/svg+xml"), ("/api/label", "image/svg+xml"),
                       ("/api/support-text", "text/plain"), ("/api/support", "text/plain")]:
        status, headers, body = served.ask("GET", path)
        check(status == 200 and headers["Content-Type"].startswith(kind) and body, f"{path}: {status} {headers}")
        for name, word in [("Content-Security-Policy", "default-src 'none'"), ("Content-Security-Policy", "script-src 'self';"),
                           ("Content-Security-Policy", "frame-ancestors 'none'"), ("X-Content-Type-Options", "nosniff"),
                           ("Cache-Control", "no-store"), ("Referrer-Policy", "same-origin")]:
            check(word in (headers[name] or ""), f"{path} without {name}: {headers}")
        check(headers["Access-Control-Allow-Origin"] is None, "other sites may read")
    for path in ["/../etc/passwd", "/index.html", "/api/none", "/%2e%2e/x", "/page.js/", "//"]:
        status, _, _ = served.ask("GET", path)
        check(status == 404, f"{path}: {status}")
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "BREW"]:
        status, _, _ = served.ask(method, "/")
        check(status == 405, f"{method}: {status}")
    for span, step in (("1h", 60), ("1d", 300), ("7d", 1_800), ("31d", 7_200)):
        path = f"/api/chart?sensor=c47c8d001104&range={span}"
        wait_for(f"a chart of {span}", lambda: json.loads(served.ask("GET", path)[2])["series"], 20)
        check(json.loads(served.ask("GET", path)[2])["step_s"] == step, f"{span} has other steps")
    check(served.ask("GET", "/api/history?sensor=c47c8d001104&range=1y")[0] == 422, "a range that there is not")
    why = json.loads(served.ask("GET", "/api/why?sensor=c47c8d001104")[2])
    check(why["state"] == "collecting", f"why: {why}")
    status, _, body = served.ask("GET", "/api/why?sensor=nobody")
    check(status == 404 and json.loads(body)["error"], f"{status} {body}")
    served.check_collecting()
    served.gateway.stop()
    return "files, headers, what is not there, methods"


def changes(bench):
    """What the page has done: accept, forget, history, a check of a configuration, a window, a restart."""
    served = Served(bench)
    # Of others, such as the counter, nothing is known: an acceptance has to say what to collect.
    heard = wait_for("the strap, which is not accepted", lambda: [
        one for one in first_event(served, "heard")
        if not one["is_accepted"] and one["is_connectable"] and one.get("name") == "Heart-rate strap"], 30)
    address = heard[0]["address"]
    status, _, body = served.post("/api/accept", {"address": address, "id": "strap"})
    check(status == 200 and json.loads(body)["result"]["id"] == "strap", f"{status} {body}")
    wait_for("the sensor", lambda: any(s["id"] == "strap" for s in served.gateway.status()["collector"]["sensors"]), 20)
    # The simulated kitchen is encrypted; its key as people write it.
    wait_for("the kitchen", lambda: any(
        one["address"] == "A4:C1:38:00:11:21" for one in first_event(served, "heard")), 30)
    status, _, body = served.post("/api/accept", {"address": "A4:C1:38:00:11:21", "id": "kitchen"})
    check(status == 200, f"{status} {body}")
    status, _, body = served.post("/api/key", {"sensor": "kitchen", "key": "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff"})
    check(status == 200, f"a key: {status} {body}")
    status, _, body = served.post("/api/trust", {"sensor": "nobody"})
    check(status == 403 and "nobody" in json.loads(body)["error"], f"a word for nobody: {status} {body}")
    status, _, body = served.post("/api/trust", {"sensor": "kitchen", "address": "00:00:00:00:00:00"})
    check(status == 422, f"the address of no device: {status} {body}")
    shown = "".join(file["text"] for file in json.loads(served.ask("GET", "/api/configuration")[2])["files"])
    check('bindkey = "…"' in shown and "00112233" not in shown, f"the key is shown, or was not kept: {shown}")
    for file in json.loads(served.ask("GET", "/api/configuration")[2])["files"]:
        # Untouched it has no mistakes, with its secrets hidden; a key of nobody is one.
        status, _, body = served.post("/api/check-config", {"path": file["path"], "text": file["text"]})
        check(status == 200 and json.loads(body)["result"]["problems"] == [], f"{file['path']}: {status} {body}")
        status, _, body = served.post(
            "/api/check-config", {"path": file["path"], "text": file["text"] + '\n[[sensor]]\nname = "New"\nbindkey = "…"\n'})
        check("write the secret itself" in str(json.loads(body)["result"]["problems"]), f"{file['path']}: {status} {body}")
    status, _, body = served.post("/api/forget", {"sensor": "strap"})
    check(status == 200, f"{status} {body}")
    status, _, body = served.post("/api/forget", {"sensor": "strap"})
    check(400 <= status < 500 and "strap" in json.loads(body)["error"], f"{status} {body}")
    for mode in ["paused", "draining", "normal"]:
        status, _, body = served.post("/api/history", {"mode": mode})
        check(status == 200 and json.loads(body)["result"]["mode"] == mode, f"{status} {body}")
    status, _, body = served.post("/api/check", {"text": '[mqtt]\nhots = "a"\n'})
    problems = json.loads(body)["result"]["problems"]
    check(problems[0]["line"] == 2 and '"host"' in problems[0]["message"], f"{problems}")
    check(json.loads(served.post("/api/check", {"text": '[mqtt]\nhost = "a"\n'})[2])["result"]["problems"] == [], "a good one")
    status, _, body = served.post("/api/settings/check", {"name": "Attic"})
    check(status == 200 and json.loads(body)["result"]["effect"] == "live", f"{status} {body}")
    status, _, body = served.post("/api/settings/apply", {"name": "Attic"})
    check(status == 200, f"{status} {body}")
    check(json.loads(served.ask("GET", "/api/settings")[2])["name"] == "Attic", "the name was not kept")
    status, _, body = served.post("/api/settings/apply", {"host": "127.0.0.1", "port": 1})
    check(status == 422 and json.loads(body)["error"], f"a broker that is not there: {status} {body}")
    status, _, body = served.post("/api/settings/undo", {})
    check(status == 200 and json.loads(served.ask("GET", "/api/settings")[2])["name"] != "Attic", f"{status} {body}")
    for is_open in [True, False]:
        status, _, body = served.post("/api/window", {"open": is_open})
        check(status == 200 and json.loads(body)["result"]["open"] == is_open, f"the window: {status} {body}")
    for path, text in [("/api/accept", "nonsense"), ("/api/accept", "[]"), ("/api/accept", '{"address":5}'),
                       ("/api/history", "{}"), ("/api/key", '{"sensor":"x","key":"12"}'), ("/api/none", "{}"),
                       ("/api/accept", '{"address":"' + "A" * 5000 + '"}'), ("/api/accept", "[" * 100_000)]:
        status, _, body = served.ask("POST", path, text, {"Content-Type": "application/json"})
        check(400 <= status < 500 and json.loads(body)["error"], f"{path} {text[:20]}: {status} {body[:200]}")
    status, _, _ = served.ask("POST", "/api/restart", "{}", {"Content-Type": "text/plain"})
    check(status == 415, f"a form: {status}")
    served.check_collecting()
    status, _, _ = served.post("/api/restart", {})
    check(status == 200, f"restart: {status}")
    wait_for("the program to begin anew", lambda: served.gateway.process.text().count("the page is served") == 2, 30)
    served.check_collecting()
    served.gateway.stop()
    return "accept, forget, history, checks, settings, nonsense, restart"


def first_event(served, kind):
    """The data of the first event of a kind."""
    connection = served.connection()
    try:
        connection.request("GET", "/events")
        answer = connection.getresponse()
        check(answer.status == 200, f"events: {answer.status}")
        seen = None
        while True:
            line = answer.readline().decode()
            check(line, "the events ended")
            if line.startswith("event: "):
                seen = line[7:].strip()
            elif line.startswith("data: ") and seen == kind:
                return json.loads(line[6:])
    finally:
        connection.close()


def other_sites(bench):
    """A page of another site in the same browser: by its own name (DNS rebinding), and by requests of its own."""
    served = Served(bench)
    for host in ["evil.example", f"evil.example:{served.port}", "127.0.0.1.evil.example", "", "[::1]evil.example", "[::1]:80:80",
                 "127.0.0.1:", "127.0.0.1:evil", f"127.0.0.1:{served.port}:80", "127.0.0.1.", "localhost.", "x@127.0.0.1", "[127.0.0.1]"]:
        status, _, body = served.ask("GET", "/api/settings", headers={"Host": host})
        check(status in (400, 421) and b"gw-interop" not in body, f"Host {host}: {status} {body}")
    for headers in [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Origin": f"http://127.0.0.1:{served.port}", "Sec-Fetch-Site": "same-site"},
                    {"Origin": "https://evil.example"}, {"Origin": f"https://127.0.0.1.evil.example:{served.port}"},
                    {"Origin": f"http://127.0.0.1:{served.port}.evil.example"}, {"Origin": f"http://127.0.0.1:{served.port}1"},
                    {"Origin": f"http://127.0.0.1:{served.port}/"}, {"Origin": "http://127.0.0.1"}]:
        for path in ["/api/restart", "/api/forget", "/login", "/logout"]:
            status, _, _ = served.post(path, {}, headers)
            check(status == 403, f"{path} {headers}: {status}")
    for path in ["/events", "/api/settings", "/metrics"]:
        status, _, _ = served.ask("GET", path, headers={"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"})
        check(status == 403, f"GET {path} of another site: {status}")
    check(served.ask("GET", "/api/settings", headers={"Sec-Fetch-Site": "same-origin"})[0] == 200, "the page's own")
    check(served.ask("GET", "/metrics", headers={"Sec-Fetch-Site": "none"})[0] == 200, "a typed address")
    served.check_collecting()
    served.gateway.stop()
    return "names of others, origins of others"


def locked(bench):
    """With TLS and a password, for the network: a certificate of the gateway's own, sessions, pauses, secrets."""
    # What a power cut may have left of an earlier certificate.
    (bench.folder / "state").mkdir(exist_ok=True)
    (bench.folder / "state" / "page.pem").write_text("-----BEGIN CERTIFICATE-----\nMIIB\n-----END PRIVATE KEY-----\n")
    served = Served(bench, f'password = "{PASSWORD}"', tls=True, mqtt=f'username = "u"\npassword = "{SECRET}"\n')
    log = served.gateway.process.text()
    with served.socket() as plain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with context.wrap_socket(plain, server_hostname="localhost") as secure:
            der = secure.getpeercert(binary_form=True)
            check(secure.version() in ("TLSv1.2", "TLSv1.3"), secure.version())
    fingerprint = hashlib.sha256(der).hexdigest().upper()
    check(":".join(re.findall("..", fingerprint)) in log, "the log does not tell the certificate's fingerprint")
    key = bench.folder / "state" / "page.pem"
    check(key.stat().st_mode & 0o777 == 0o600, f"{key} is open to others")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    try:
        old.wrap_socket(socket.create_connection(("127.0.0.1", served.port), 10))
        raise Failed("TLS 1.1 is taken")
    except (ssl.SSLError, ConnectionError):
        pass
    with served.socket() as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        plain.settimeout(10)
        check(b"200" not in plain.recv(100), "an answer without TLS")

    for path, wanted in [("/", 303), ("/page.js", 200), ("/api/settings", 401), ("/api/support", 401), ("/events", 401), ("/metrics", 401),
                         ("/login", 200), ("/page.css", 200), ("/icon.svg", 200)]:
        status, _, _ = served.ask("GET", path)
        check(status == wanted, f"{path} without a password: {status}")
    status, _, _ = served.post("/api/restart", {})
    check(status == 401, f"a restart without a password: {status}")
    place, cookie = served.log_in("wrong password")
    check(place == "/login?wrong" and not cookie, f"{place} {cookie}")
    place, cookie = served.log_in()
    check(place == "/" and cookie.startswith("__Host-martlet="), f"{place} {cookie}")
    headers = {"Cookie": cookie}
    for path in ["/", "/page.js", "/api/settings", "/api/configuration", "/api/support", "/metrics"]:
        status, _, body = served.ask("GET", path, headers=headers)
        check(status == 200, f"{path} with the cookie: {status}")
        check(SECRET.encode() not in body and PASSWORD.encode() not in body, f"{path} shows a secret")
    shown = json.loads(served.ask("GET", "/api/configuration", headers=headers)[2])["files"][0]["text"]
    check('password = "…"' in shown and 'username = "u"' in shown, shown)
    basic = base64.b64encode(f"prometheus:{PASSWORD}".encode()).decode()
    check(served.ask("GET", "/metrics", headers={"Authorization": f"Basic {basic}"})[0] == 200, "Prometheus is not let in")
    check(served.ask("GET", "/api/settings", headers={"Authorization": f"Basic {basic}"})[0] == 401, "more than metrics")
    watching = served.connection()
    watching.request("GET", "/events", headers=headers)
    events = watching.getresponse()
    check(events.status == 200 and events.readline(), "events with the cookie")
    check(served.ask("POST", "/logout", "", {**headers, "Origin": f"https://127.0.0.1:{served.port}"})[0] == 303, "logout")
    check(served.ask("GET", "/api/settings", headers=headers)[0] == 401, "the session outlived the logout")
    wait_for("the events to end with the session", lambda: not events.readline(), 10)
    watching.close()
    # One more who is in than there may be pushes the one out that has been away for longest; its events end.
    _, pushed = served.log_in()
    watching = served.connection(timeout=30)
    watching.request("GET", "/events", headers={"Cookie": pushed})
    events = watching.getresponse()
    check(events.status == 200 and events.readline(), "events before the crowd")
    for _ in range(32):
        check(served.log_in()[1], "one of a crowd")
    check(served.ask("GET", "/api/settings", headers={"Cookie": pushed})[0] == 401, "a session more than there may be")
    wait_for("the events to end with a session that was pushed out", lambda: not events.readline(), 10)
    watching.close()
    wrong = {"Authorization": "Basic " + base64.b64encode(b"prometheus:wrong").decode()}
    for _ in range(5):
        check(served.ask("GET", "/metrics", headers=wrong)[0] == 401, "a wrong password for the metrics")
    status, _, body = served.ask("GET", "/metrics", headers={"Authorization": f"Basic {basic}"})
    check(status == 429 and b"try again in" in body, f"the metrics in a pause: {status} {body}")
    check(served.log_in()[1], "a program's wrong passwords keep a person out")
    for _ in range(5):
        served.log_in("guess " + str(random.random()))
    place, cookie = served.log_in()
    check(place.startswith("/login?wait=") and not cookie, f"no pause after many guesses: {place}")
    log = served.gateway.process.text()
    check("a wrong password for the page" in log and PASSWORD not in log and SECRET not in log, "the log")
    served.gateway.stop()
    kept = key.read_bytes()
    again = Served(bench, f'password = "{PASSWORD}"', tls=True)
    def is_back():
        try:
            return again.ask("GET", "/login")[0] == 200
        except OSError:
            return False
    wait_for("the page after a restart", is_back, 20)
    check(key.read_bytes() == kept, "the certificate is another one after a restart")
    again.gateway.stop()
    return "TLS, the certificate, sessions, pauses, secrets"


def dribble(served, addresses, ended):
    """From each address as many connections as one may have, each of which sends its header an octet at a time."""
    slow = []
    for address in addresses:
        for _ in range(32):
            one = socket.create_connection(("127.0.0.1", served.port), timeout=10, source_address=(address, 0))
            one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            slow.append(one)
    while slow and not ended.wait(2):
        for one in slow[:]:
            try:
                one.sendall(b"x")
            except OSError:
                slow.remove(one)
    for one in slow:
        one.close()
    return len(slow)


def hold_bodies(served, addresses, ended):
    """From each address as many connections as one may have, each with a body that comes an octet at a time, again and again."""
    slow, made = {}, 0
    while not ended.is_set():
        for address in addresses:
            for number in range(32):
                try:
                    if (address, number) not in slow:
                        one = socket.create_connection(("127.0.0.1", served.port), timeout=5, source_address=(address, 0))
                        slow[address, number] = one
                        one.sendall(b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000\r\n\r\nx")
                        made += 1
                    else:
                        slow[address, number].sendall(b"x")
                except OSError:
                    if one := slow.pop((address, number), None):
                        one.close()
        ended.wait(0.2)
    for one in slow.values():
        one.close()
    return made


def slow_bodies(bench):
    """96 bodies before the login that come an octet at a time, from three addresses: visitors of a fourth one log in."""
    served = Served(bench, f'password = "{PASSWORD}"')
    before = served.settled()
    # Before the login there is only a password to send.
    status, _, body = served.ask("POST", "/login", "password=" + "x" * 5_000)
    check(status == 413 and b"4 KiB" in body, f"a large body before the login: {status} {body}")
    # The server reads a part of a larger one, and then no more.
    with served.socket() as one:
        one.sendall(b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\n")
        taken = 0
        try:
            while taken < 64_000_000:
                taken += one.send(bytes(65_536))
        except OSError:
            pass
        check(taken < 16_000_000, f"{taken} octets of a body before the login were read")
    started = time.monotonic()
    with served.socket() as one:
        one.sendall(b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nx")
        one.settimeout(30)
        check(one.recv(1) == b"", "an answer to half a body")
    check(4 < time.monotonic() - started < 15, f"half a body ended after {time.monotonic() - started:.1f} s")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        ended = threading.Event()
        crowd = threads.submit(hold_bodies, served, ["127.0.0.2", "127.0.0.3", "127.0.0.4"], ended)
        try:
            time.sleep(4)
            for _ in range(10):
                place, cookie = served.log_in()
                check(place == "/" and cookie, f"a visitor beside slow ones: {place}")
                status, _, _ = served.ask("GET", "/api/settings", headers={"Cookie": cookie})
                check(status == 200, f"who is in, beside slow ones: {status}")
                time.sleep(0.5)
        finally:
            ended.set()
        made = crowd.result()
    check(made > 96, f"only {made} connections were held")
    wait_for("their connections to be gone", lambda: served.descriptors() <= before + 3, 60)
    served.gateway.stop()
    return f"{made} slow bodies, 10 logins beside them"


def guesses(bench):
    """Guesses from all addresses of this machine are those of one peer."""
    served = Served(bench, f'password = "{PASSWORD}"')
    _, cookie = served.log_in()
    waits, wrong = 0, 0
    for number in range(300):
        source = (f"127.{1 + number % 200}.7.{1 + number // 200}", 0)
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10, source_address=source)
        connection.request("POST", "/login", f"password=guess+{number}", {"Content-Type": "application/x-www-form-urlencoded"})
        place = connection.getresponse().headers["Location"]
        connection.close()
        waits, wrong = waits + place.startswith("/login?wait="), wrong + (place == "/login?wrong")
    check(wrong <= 12 and waits == 300 - wrong, f"{wrong} of 300 guesses were looked at")
    check(served.ask("GET", "/api/settings", headers={"Cookie": cookie})[0] == 200, "who is in is held up by guesses of others")
    served.gateway.stop()
    return f"{wrong} of 300 guesses from 300 addresses were looked at"


def costly(bench):
    """Texts that name a file 2,000 times, several at once: nothing is opened, and the gateway and the page go on."""
    served = Served(bench)
    file = bench.folder / "large"
    file.write_text("0" * (1 << 20))
    entry = f'[[sensor]]\nname = "a"\nbindkey_file = "{file}"\n'
    text = (entry * (131_072 // len(entry)))[:131_072 // len(entry) * len(entry)]
    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        started = time.monotonic()
        asked = [threads.submit(served.post, "/api/check", {"text": text}) for _ in range(12)]
        for _ in range(5):
            check(served.gateway.status()["journal"]["received"] >= 0, "the control socket beside checks")
            check(served.ask("GET", "/api/settings")[0] == 200, "the page beside checks")
        beside = time.monotonic() - started
        answers = [one.result() for one in asked]
    kinds = {status for status, _, _ in answers}
    check(kinds <= {200, 409} and 200 in kinds, f"{kinds}")
    there = next(body for status, _, body in answers if status == 200)
    file.unlink()
    status, _, gone = served.post("/api/check", {"text": text})
    check(status == 200 and gone == there, f"the answer tells whether a file exists: {there[:300]} {gone[:300]}")
    status, _, body = served.post("/api/check", {"text": entry})
    result = json.loads(body)["result"]
    check(result["problems"] == [] and any("was not looked at" in one for one in result["warnings"]), f"{result}")
    status, _, body = served.post("/api/check", {"text": "#" * 131_073})
    check("128 KiB" in json.loads(body)["result"]["problems"][0]["message"], f"{status} {body}")
    served.check_collecting()
    served.gateway.stop()
    return f"12 checks at once: {sorted(status for status, _, _ in answers)}; ten questions beside them in {beside:.1f} s"


def crowds(bench):
    """100 connections that say nothing, slow ones, visitors who take nothing, and the gateway goes on."""
    served = Served(bench)
    served.ask("GET", "/")
    before, memory = served.settled(), served.memory()
    idle = []
    for _ in range(100):
        try:
            idle.append(served.socket())
        except OSError:
            break
    readings = served.gateway.status()["journal"]["received"]
    wait_for("readings beside a crowd", lambda: served.gateway.status()["journal"]["received"] > readings, 20)
    # Silence has an end, and then there is room again.
    wait_for("an answer after the crowd's time is up", served.answers, 60)
    for one in idle:
        one.close()
    wait_for("the crowd to be gone", lambda: served.descriptors() <= before + 3, 60)
    # None of these is ever silent; all the same visitors are answered, and in the end they are gone.
    with concurrent.futures.ThreadPoolExecutor() as threads:
        ended = threading.Event()
        crowd = threads.submit(dribble, served, ["127.0.0.2", "127.0.0.3", "127.0.0.4"], ended)
        try:
            time.sleep(1)
            for _ in range(10):
                check(served.ask("GET", "/metrics")[0] == 200, "a visitor beside slow ones")
            wait_for("the slow ones to be gone", crowd.done, 60)
        finally:
            ended.set()
        check(crowd.result() == 0, "slow ones are left")
    wait_for("their connections to be gone", lambda: served.descriptors() <= before + 3, 60)
    # Visitors of the events who take nothing: bounded, and let go.
    watchers = []
    for _ in range(30):
        watcher = served.socket()
        watcher.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        watcher.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        watchers.append(watcher)
    time.sleep(3)
    check(b" 503 " in b"".join(watcher.recv(15) for watcher in watchers), "nobody was told that there are too many")
    time.sleep(15)
    check(served.memory() < memory + 20_000, f"{memory} kB became {served.memory()} kB")
    for watcher in watchers:
        watcher.close()
    wait_for("descriptors as before", lambda: served.descriptors() <= before + 3, 60)
    served.check_collecting()
    started = time.monotonic()
    open_events = served.socket()
    open_events.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    open_events.recv(100)
    served.gateway.stop()
    return f"100 idle, 96 slow, 30 watchers; stopped beside a watcher in {time.monotonic() - started:.1f} s"


def hostile(bench):
    """Octets that are no HTTP, headers and bodies beyond every bound, requests that break off, 400 of chance."""
    served = Served(bench)
    generator = random.Random(20)
    request = b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"text\":\"\"}"

    def throw(octets, wait=0.3):
        with served.socket() as one:
            one.settimeout(wait)
            try:
                one.sendall(octets)
                one.shutdown(socket.SHUT_WR)
                return one.recv(200)
            except OSError:
                return b""
    check(b" 200 " in throw(request), "the request itself is not answered")
    for octets in [b"\0" * 1000, b"GET " + b"/" * 100_000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000,
                   b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 5000,
                   b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
                   b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                   b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                   b"GET /api/history?sensor=%00%ff%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                   b"GET /api/why?" + b"&".join(b"a%d=b" % n for n in range(2000)) + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]:
        throw(octets)
        check(served.gateway.process.alive(), f"the gateway ended over {octets[:60]!r}")
    for octets in [b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1\r\n\r\n",
                   b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nhOST: evil.example\r\n\r\n",
                   b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
                   b"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b"0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]:
        answer = throw(octets, wait=5)
        check(b" 400 " in answer and answer.count(b"HTTP/1.1") == 1, f"{octets[:90]!r}: {answer[:200]!r}")
    key = ".".join(["'='"] * 20_000)
    status, _, body = served.post("/api/check", {"text": f"{key} = 1"})
    check(status == 200 and "255 points" in json.loads(body)["result"]["problems"][0]["message"], f"{status} {body[:200]}")
    big = b'{"text":"' + b"x" * 1_000_000 + b'"}'
    status, _, _ = served.ask("POST", "/api/check", big, {"Content-Type": "application/json"})
    check(status == 413, f"a body of a megabyte: {status}")
    memory = served.memory()
    for _ in range(400):
        octets = bytearray(request)
        for _ in range(generator.randint(1, 8)):
            octets[generator.randrange(len(octets))] = generator.randrange(256)
        throw(bytes(octets[:generator.randint(1, len(octets))]) if generator.random() < 0.3 else bytes(octets))
    check(served.gateway.process.alive(), "the gateway ended over octets of chance")
    check(served.memory() < memory + 15_000, f"{memory} kB became {served.memory()} kB")
    served.check_collecting()
    served.gateway.stop()
    return "11 malformed, a megabyte, 400 of chance"


PARTS = {part.__name__: part for part in (loopback, changes, other_sites, locked, guesses, slow_bodies, costly, crowds, hostile)}


def main():
    martlet, *names = sys.argv[1:]
    good = True
    for name in names or PARTS:
        started = time.monotonic()
        bench = Bench(f"page-{name}", pathlib.Path(martlet).resolve())
        try:
            outcome, words = "PASS", PARTS[name](bench)
        except Failed as failure:
            outcome, words = "FAIL", str(failure)
        except Exception:
            outcome, words = "FAIL", traceback.format_exc()
        finally:
            bench.close()
        good = good and outcome == "PASS"
        print(f"{outcome} server.{name} ({time.monotonic() - started:.0f} s): {words}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
