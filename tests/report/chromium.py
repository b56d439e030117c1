"""Drive a headless Chromium over its DevTools pipe: no driver and no websocket needed."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)

SECONDS = 60


def find_chromium():
    """Return the path of a Chromium, or None."""
    return os.environ.get("HONESTEVAL_CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )


class Chromium:
    """A browser with an empty profile that is removed with it."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="honesteval-chromium-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        reads, writes = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser))

        def connect():
            """Let the browser read commands from descriptor 3 and write answers to 4."""
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={self.profile}"],
            preexec_fn=connect,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (to_browser, from_browser, reads, writes):
            os.close(end)
        self.buffer, self.number, self.messages = b"", 0, []

    def send(self, method, session=None, **params):
        """Send a command and return its answer; events that come first are kept."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        os.write(self.out, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.messages.append(message)
        raise TimeoutError(method)

    def receive(self):
        """Return the next message of the browser."""
        while b"\0" not in self.buffer:
            read = os.read(self.into, 1 << 20)
            if not read:
                raise RuntimeError("the browser closed its pipe")
            self.buffer += read
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def open(self, url, **metrics):
        """Return a page that has loaded."""
        return Page(self, url, **metrics)

    def close(self):
        """End the browser and remove its profile."""
        try:
            self.send("Browser.close")
            self.process.wait(timeout=20)
        except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """One tab: what it logged, and a way to act in it."""

    def __init__(self, browser, url, *, width=1000, height=900, dark=False):
        self.browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = "dark" if dark else "light"
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.send("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete'")

    def send(self, method, **params):
        """Send a command to the tab."""
        return self.browser.send(method, self.session, **params)

    def events(self, method):
        """Return what the tab has told so far."""
        self.evaluate("0")
        return [
            message["params"]
            for message in self.browser.messages
            if message.get("sessionId") == self.session and message.get("method") == method
        ]

    def problems(self):
        """Return errors and warnings of the console, exceptions and blocked requests."""
        logged = [
            entry["entry"]["text"]
            for entry in self.events("Log.entryAdded")
            if entry["entry"]["level"] in ("error", "warning")
        ]
        called = [
            " ".join(str(part.get("value", part.get("description"))) for part in call["args"])
            for call in self.events("Runtime.consoleAPICalled")
            if call["type"] in ("error", "warning", "assert")
        ]
        thrown = [
            event["exceptionDetails"]["exception"].get("description", "")
            for event in self.events("Runtime.exceptionThrown")
        ]
        return [*logged, *called, *thrown]

    def requests(self):
        """Return the addresses that the tab asked for."""
        return [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]

    def evaluate(self, expression):
        """Return the value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def wait_for(self, expression):
        """Wait until a JavaScript expression is true."""
        until = time.monotonic() + SECONDS
        while not self.evaluate(expression):
            if time.monotonic() > until:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def move_to(self, x, y):
        """Move the pointer to a place in the window."""
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key):
        """Press and release a key."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def screenshot(self, path, *, whole=False):
        """Write a picture of the window, or of the whole page."""
        made = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(made["data"]))

    def pdf(self):
        """Return the printed page."""
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])
