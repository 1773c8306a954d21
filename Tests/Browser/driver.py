"""Chromium through chromedriver's W3C protocol, with the standard library only."""
import base64
import json
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows", "--lang=en",
]


class Driver:
    """One chromedriver; each profile is a browser of its own."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                self.base = f"http://127.0.0.1:{found[1]}"
                return
        raise RuntimeError("chromedriver ended before it listened")

    def quit(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Browser:
    """A browser with a profile of its own, as a device is one."""

    def __init__(self, driver, width=1100, height=760, flags=(), preferences=None):
        self.profile = tempfile.TemporaryDirectory(prefix="commute-browser-")
        options = {
            "binary": "/usr/bin/chromium",
            "args": [
                *FLAGS, f"--window-size={width},{height}", *flags,
                f"--user-data-dir={self.profile.name}",
            ],
            "prefs": preferences or {},
        }
        wanted = {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": 120_000, "pageLoad": 60_000},
        }
        self.base = driver.base
        told = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + told["sessionId"]
        self.version = told["capabilities"]["browserVersion"]
        self.noted = []
        self.scripts = []

    def prepare(self, script):
        """Runs a script before those of every page that is opened from now on, in new tabs, too."""
        self.scripts.append(script)
        self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, method=method, data=data,
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=150) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"][:1500]) from None

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, body, *arguments):
        """Runs the body of an async function in the page and gives what it returns."""
        script = (
            "const done = arguments[arguments.length - 1];"
            "const given = [...arguments].slice(0, -1);"
            f"(async (...given) => {{ {body} }})(...given)"
            ".then(value => done({value}), error => done({error: String(error?.stack ?? error)}))")
        told = self.call(
            "POST", "/execute/async", {"script": script, "args": list(arguments)}) or {}
        if "error" in told:
            raise RuntimeError(told["error"])
        return told.get("value")

    def wait(self, condition, *arguments, seconds=15):
        """Waits until an expression is true in the page; the page looks before each picture."""
        body = (
            f"const end = performance.now() + {seconds * 1000};"
            f"for (;;) {{ const value = await ({condition}); if (value) return value;"
            " if (performance.now() > end) return null;"
            " await new Promise(go => setTimeout(go, 15)); }")
        value = self.run(body, *arguments)
        if not value:
            raise AssertionError(f"never true: {condition} {arguments}\n{self.screen()}")
        return value

    def screen(self):
        """What the page says, for a failure's report."""
        return self.run("return document.body.innerText.slice(0, 1500)")

    def picture(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("GET", "/screenshot")))

    def tab(self):
        handle = self.call("POST", "/window/new", {"type": "tab"})["handle"]
        self.switch(handle)
        self.devtools("Page.enable")
        for script in self.scripts:
            self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)
        return handle

    def switch(self, handle):
        self.call("POST", "/window", {"handle": handle})

    def handle(self):
        return self.call("GET", "/window")

    def close_tab(self):
        self.call("DELETE", "/window")

    def devtools(self, command, **parameters):
        return self.call(
            "POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def logs(self):
        """What the browser has noted so far, violations of the security policy among it."""
        self.noted += [entry["message"] for entry in self.call(
            "POST", "/se/log", {"type": "browser"})]
        return self.noted

    def quit(self):
        try:
            self.logs()
            self.call("DELETE", "")
        finally:
            for _ in range(50):
                try:
                    self.profile.cleanup()
                    return
                except OSError:
                    time.sleep(0.1)
