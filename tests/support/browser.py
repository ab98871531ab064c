"""A headless Chromium, driven over a pair of pipes with the DevTools protocol: no package beside the browser itself."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 60  # for one answer; a loaded machine is slow


class Browser:
    """One page of one browser. Collects what a good page has none of: console messages and network requests."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        self._log = Path(self.profile) / "stderr.txt"
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # The protocol is fixed to descriptors 3 and 4. Not /bin/sh: dash takes no descriptor above 9, and under CTest ours
        # are.
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                ["/bin/bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash", PROGRAM, "--headless",
                 "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars", "--no-first-run",
                 "--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={self.profile}"],
                pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=log, start_new_session=True,
            )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._number, self._buffer, self._session = 0, b"", None
        self.messages, self.requests, self._loaded = [], [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        """Ends the browser and all its children, which are a process group of their own."""
        os.close(self._write)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._read)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        """The result of a method of the protocol; events that arrive before it are noted."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            self._note(answer)

    def show(self, path, width, height=800, dark=False):
        """Loads a file in a window of this width, in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self._loaded = False
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        while not self._loaded:
            self._note(self._receive())

    def run(self, script):
        """The value of a JavaScript expression in the page (may be a promise)."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "script failed"))
        return answer["result"].get("value")

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def screenshot(self, path):
        """The whole page as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, path):
        """The page as it would be printed on A4."""
        printed = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True,
                            printBackground=True)  # fmt: skip
        Path(path).write_bytes(base64.b64decode(printed["data"]))

    def _receive(self):
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"the browser said nothing for {SECONDS} s")
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError(f"the browser ended; it said: {self._log.read_text(errors='replace')[-2000:]}")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, details = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(a.get("value", a.get("description"))) for a in details["args"]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(str(details["exceptionDetails"].get("exception", {}).get("description")))
        elif method == "Log.entryAdded":
            self.messages.append(details["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
