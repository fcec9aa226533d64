"""A browser driven by WebDriver, as far as these tests need it: Chromium by way of its chromedriver, nothing but the standard library."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER, ESCAPE, LEFT, RIGHT, HOME, END, SHIFT, TAB = (
    "\ue007", "\ue00c", "\ue012", "\ue014", "\ue011", "\ue010", "\ue008", "\ue004")

# For what must come and comes soon where all is well, on a machine that may be busy.
PATIENCE = 90


class Timeout(AssertionError):
    pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(what, condition, patience=PATIENCE):
    """Asks until the condition holds, and gives what it gave."""
    end = time.monotonic() + patience
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise Timeout(f"not within {patience} s: {what}")
        time.sleep(0.02)


class Element:
    def __init__(self, browser, reference):
        self.browser = browser
        self.reference = reference

    def click(self):
        self.browser.call("POST", f"/element/{self.reference}/click", {})

    @property
    def text(self):
        return self.browser.call("GET", f"/element/{self.reference}/text")

    def attribute(self, name):
        return self.browser.call("GET", f"/element/{self.reference}/attribute/{name}")

    def get(self, name):
        return self.browser.call("GET", f"/element/{self.reference}/property/{name}")

    @property
    def shown(self):
        return self.browser.call("GET", f"/element/{self.reference}/displayed")

    @property
    def label(self):
        """What a screen reader says."""
        return self.browser.call("GET", f"/element/{self.reference}/computedlabel")


class Browser:
    def __init__(self):
        for program in ("chromedriver", "chromium"):
            if not shutil.which(program):
                raise SystemExit(f"{program} is missing: on Debian, apt-get install chromium chromium-driver")
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}", "--silent"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("chromedriver is ready", self.ready)
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1280,1000", "--no-first-run", "--disable-background-networking"]
        options = {"binary": shutil.which("chromium"), "args": arguments}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.request("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{session['sessionId']}"

    def ready(self):
        try:
            return self.request("GET", "/status")["ready"]
        except OSError:
            return False

    def close(self):
        try:
            self.request("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            said = json.load(error)["value"]
            raise AssertionError(f"{method} {path}: {said['error']}: {said['message'].splitlines()[0]}") from None

    def call(self, method, path, body=None):
        return self.request(method, self.session + path, body)

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    @property
    def url(self):
        return self.call("GET", "/url")

    def script(self, text, *arguments):
        return self.call("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def all(self, selector):
        found = self.call("POST", "/elements", {"using": "css selector", "value": selector})
        return [Element(self, reference[ELEMENT]) for reference in found]

    def find(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return Element(self, found[ELEMENT])

    def wait(self, condition, *arguments):
        """Waits for a condition in the page."""
        return wait_for(condition, lambda: self.script(f"return {condition}", *arguments))

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def shift_click(self, element):
        """A click with the shift key held."""
        point = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": {ELEMENT: element.reference}}
        pause = {"type": "pause"}
        keys = [{"type": "keyDown", "value": SHIFT}, pause, pause, {"type": "keyUp", "value": SHIFT}]
        clicks = [point, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}, pause]
        self.call("POST", "/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": keys},
            {"type": "pointer", "id": "mouse", "actions": clicks}]})

    def developer(self, command, **parameters):
        """A command of Chromium's own protocol, for what WebDriver has no words for."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height, scale=1):
        self.developer("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                       mobile=width < 600)

    def prefer(self, scheme="light", motion="no-preference"):
        features = [{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}]
        self.developer("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, whole=False):
        shot = self.developer("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(shot["data"])

    def complaints(self):
        """What the browser complained of since the last time."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]
