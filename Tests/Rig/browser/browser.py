# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium, driven over the DevTools protocol: taps, keys, what is to be seen, pictures."""
import base64
import concurrent.futures
import contextlib
import functools
import http.server
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from websockets.sync.client import connect

from harness import ROOT, Failed, check, program

PAGE = ROOT / "Sources" / "PhonePage"
SHIM = pathlib.Path(__file__).with_name("bluetooth.js")
PATIENCE = 180

ANDROID = ("Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
           "Chrome/156.0.0.0 Mobile Safari/537.36")
PHONE, DESKTOP, NARROW = (390, 844), (1280, 800), (320, 640)

# Finds what a person would: something to be seen that has this text as its content or its name.
FIND = r"""
(selector, text) => {
  const named = (node) => [node.getAttribute('aria-label'), node.textContent, node.value, node.alt,
    ...[...(node.labels ?? [])].map((label) => label.textContent)]
    .some((name) => (name ?? '').replace(/\s+/g, ' ').trim() === text);
  const modal = document.querySelector('dialog[open]');
  return [...(modal ?? document).querySelectorAll(selector)].find((node) =>
    node.checkVisibility() && (text === null || named(node))) ?? null;
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Who asked for what is told by the browser."""


class QuietServer(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        """A browser that is closed leaves requests half answered."""


class Server:
    """The page at http://localhost:PORT."""

    def __init__(self):
        handler = functools.partial(Quiet, directory=str(PAGE))
        self.server = QuietServer(("127.0.0.1", 0), handler)
        self.address = f"http://localhost:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """One Chromium; each page has a context of its own."""

    def __init__(self, log):
        shell = program("chromium-headless-shell")
        self.folder = tempfile.mkdtemp(prefix="martlet-browser-")
        self.log = open(log, "w+")
        # Chromium has no sandbox for root; the only page it opens is ours.
        self.process = subprocess.Popen(
            [shell, "--remote-debugging-port=0", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--host-resolver-rules=MAP gateway.test 127.0.0.1",
             f"--user-data-dir={self.folder}", "about:blank"],
            stdout=self.log, stderr=self.log, start_new_session=True)
        self.socket = connect(self._endpoint(), max_size=None)
        self.numbers = itertools.count(1)
        self.answers, self.listeners = {}, {}
        self.lock, self.end = threading.Lock(), None  # Why there are no more answers.
        threading.Thread(target=self._read, daemon=True).start()

    def _endpoint(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"DevTools listening on (ws://\S+)", pathlib.Path(self.log.name).read_text())
            if found:
                return found[1]
            time.sleep(0.05)
        raise Failed(f"Chromium does not start: {pathlib.Path(self.log.name).read_text()[-600:]}")

    def _read(self):
        end = "it was closed"
        try:
            for text in self.socket:
                message = json.loads(text)
                if "id" in message:
                    self.answers.pop(message["id"]).set_result(message)
                else:
                    listener = self.listeners.get(message.get("sessionId"))
                    if listener:
                        listener(message["method"], message["params"])
        except Exception as failure:
            end = str(failure)
        # A browser that is closed in order ends the loop without a failure: each waiter has to hear of it, too.
        with self.lock:
            self.end, left = f"Chromium has ended: {end}", list(self.answers.values())
            self.answers.clear()
        for answer in left:
            answer.set_exception(Failed(self.end))

    def call(self, method, session=None, **parameters):
        number, answer = next(self.numbers), concurrent.futures.Future()
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        with self.lock:
            check(self.end is None, self.end)
            self.answers[number] = answer
            self.socket.send(json.dumps(message))
        result = answer.result(PATIENCE)
        check("error" not in result, f"{method}: {result.get('error')}")
        return result["result"]

    def close(self):
        self.socket.close()
        # Debian's program is a shell script that waits for Chromium: the session is ended as a whole.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """A page, and the gateway behind its navigator.bluetooth; `gateway` None leaves the browser's own there, which is none."""

    def __init__(self, browser, address, gateway=None, size=PHONE, dark=False, agent=ANDROID, languages="en-GB"):
        self.browser, self.gateway, self.size, self.mistakes = browser, gateway, size, []
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.requests = concurrent.futures.ThreadPoolExecutor(8)
        browser.listeners[self.session] = self._event
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Network.setUserAgentOverride", userAgent=agent, acceptLanguage=languages)
        self.look(size, dark)
        if gateway:
            self.call("Runtime.addBinding", name="bluetoothBridge")
            self.call("Page.addScriptToEvaluateOnNewDocument", source=SHIM.read_text())
            gateway.attach(lambda uuid, value: self._tell("notify", uuid, value.hex()),
                           lambda: self._tell("disconnected"))
        self.urls = set()
        self.call("Page.navigate", url=address)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        # What the page still asks for is nobody's business any more.
        self.browser.listeners.pop(self.session)
        if self.gateway:
            self.gateway.detach()
        self.requests.shutdown(wait=False, cancel_futures=True)
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def _event(self, method, parameters):
        if method == "Runtime.bindingCalled":
            with contextlib.suppress(RuntimeError):  # The page is being closed.
                self.requests.submit(self._answer, json.loads(parameters["payload"]))
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.mistakes.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.mistakes.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.urls.add(parameters["request"]["url"])

    def _answer(self, request):
        try:
            answer = self.gateway.answer(request) or {}
        except Exception as failure:  # Shown by the test, which waits for what does not come.
            self.mistakes.append(f"{request}: {failure!r}")
            answer = {"error": 0x0e}
        self._tell("reply", request["id"], answer)

    def _tell(self, function, *arguments):
        words = ", ".join(json.dumps(argument) for argument in arguments)
        self.call("Runtime.evaluate", expression=f"bluetoothOfTests.{function}({words})")

    # What a person does

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        check("exceptionDetails" not in result, f"{script[:200]}: {result.get('exceptionDetails')}")
        return result["result"].get("value")

    def wait(self, what, script, patience=PATIENCE):
        deadline = time.monotonic() + patience
        while True:
            value = None
            try:
                value = self.run(script)
            except Failed as failure:
                # A page that another one takes the place of meanwhile answers nothing.
                check("navigated" in str(failure), failure)
            if value:
                return value
            if time.monotonic() > deadline:
                raise Failed(f"{what}: not seen. The page says: {self.text()[:1500]!r}; mistakes: {self.mistakes}")
            time.sleep(0.05)

    def text(self):
        return self.run("document.body?.innerText ?? ''")

    def see(self, text, patience=PATIENCE):
        """Waits until the text is to be seen somewhere."""
        self.wait(f"the text {text!r}", f"document.body?.innerText.includes({json.dumps(text)})", patience)

    def title(self, text):
        """Waits for the heading of a step, which has to have the focus."""
        self.wait(f"the step {text!r}", f"document.querySelector('h1')?.textContent === {json.dumps(text)}")
        check(self.run("document.activeElement === document.querySelector('h1')"),
              f"the heading of the step {text!r} does not have the focus")

    def title_without_focus(self, text):
        """Waits for the heading of the first step: a page that is loaded leaves the focus where it is."""
        self.wait(f"the step {text!r}", f"document.querySelector('h1')?.textContent === {json.dumps(text)}")

    def tap(self, text, selector="button, a, summary, label, input"):
        """A tap in the middle of what has this text or name; something else in front of it is a failure."""
        found = f"({FIND})({json.dumps(selector)}, {json.dumps(text)})"
        self.wait(f"{text!r} to tap at", f"{found} !== null")
        spot = self.run(
            f"(() => {{ const node = {found}; node.scrollIntoView({{ block: 'center', behavior: 'instant' }});"
            " const box = node.getBoundingClientRect();"
            " const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];"
            " const hit = document.elementFromPoint(x, y);"
            " return [x, y, hit !== null && (node.contains(hit) || hit.contains(node)), hit?.outerHTML.slice(0, 80)]; })()")
        check(spot[2], f"{text!r} is behind {spot[3]}")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=spot[0], y=spot[1], button="left", clickCount=1)

    def type(self, selector, text):
        """Taps a field, takes out what is in it, and types."""
        self.wait(f"the field {selector}", f"document.querySelector({json.dumps(selector)})?.checkVisibility() === true")
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{ block: 'center' }})")
        self.tap(None, selector)
        self.run(f"document.querySelector({json.dumps(selector)}).select()")
        self.key("Delete", 46)
        self.call("Input.insertText", text=text)

    def key(self, name, code=0, text=None):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **extra)

    def pick(self, selector, text):
        """Chooses from a list by typing how its entry begins."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        for letter in text:
            self.key(letter, ord(letter.upper()), letter)
        self.wait(f"{text!r} to be chosen",
                  f"document.querySelector({json.dumps(selector)}).selectedOptions[0].textContent === {json.dumps(text)}")

    def choose_file(self, selector, path):
        document = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    # How it looks

    def look(self, size, dark=False, still=True):
        self.size = size
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                  deviceScaleFactor=2 if size[0] < 900 else 1, mobile=size[0] < 900)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path, whole=False, scale=1):
        options = {"captureBeyondViewport": whole}
        if whole:
            self.run("window.scrollTo(0, 0)")
            height = self.run("document.documentElement.scrollHeight")
            options["clip"] = {"x": 0, "y": 0, "width": self.size[0], "height": height, "scale": scale}
        data = self.call("Page.captureScreenshot", format="png", **options)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
