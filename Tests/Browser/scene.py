"""What a test has at hand: a real server that can go away and come back, devices of the command
line, and browsers."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import urllib.request

from driver import Browser

# Helpers in every page: they act as a person does, by what stands on the screen.
HELPERS = """
globalThis.canary = 0;
globalThis.row = title => [...document.querySelectorAll('.row')]
  .find(row => row.querySelector('.title').textContent === title);
globalThis.titles = () => [...document.querySelectorAll('.row .title')].map(one => one.textContent);
globalThis.line = () => document.querySelector('#status .line')?.textContent ?? '';
globalThis.shows = (selector, text) => [...document.querySelectorAll(selector)]
  .some(one => one.textContent.includes(text));
globalThis.press = (selector, text = '') => {
  const found = [...document.querySelectorAll(selector)]
    .find(one => one.textContent.includes(text) && !one.closest('[hidden]'));
  if (!found) throw new Error(`nothing to press: ${selector} ${text}`);
  found.click();
};
globalThis.again = () => document.querySelector('.again:not([hidden])')?.click();
globalThis.fill = (label, value) => {
  const found = [...document.querySelectorAll('label')].find(one => one.textContent === label);
  const control = document.getElementById(found.htmlFor);
  control.value = value;
  control.dispatchEvent(new Event('input', {bubbles: true}));
  control.dispatchEvent(new Event('change', {bubbles: true}));
};
"""


class Scene:
    """One test's world, in a folder of its own."""

    def __init__(self, commute, web, driver):
        self.commute, self.web, self.driver = commute, web, driver
        self.folder = tempfile.mkdtemp(prefix="commute-browser-test-")
        self.database = os.path.join(self.folder, "server.db")
        self.browsers = []
        self.server = None
        self.port = 0
        self.options = []
        self.environment = {}

    # The server.

    def serve(self, *options, environment=None):
        """Starts the server, at the port that it had before."""
        if options:
            self.options = list(options)
        if environment is not None:
            self.environment = environment
        self.server = subprocess.Popen(
            [self.commute, "serve", "--json", "--db", self.database, "--port", str(self.port),
             "--web", self.web, "--with-input", "--no-purge", *self.options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **self.environment})
        told = json.loads(self.server.stdout.readline())
        self.port = told["port"]
        return self

    @property
    def address(self):
        return f"http://localhost:{self.port}/"

    def stop_server(self):
        """Takes the server away at once, as a power cut does."""
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()
        self.server.stdin.close()
        self.server.stdout.close()
        self.server = None

    def ask(self, statement, *values):
        """What the server's database holds."""
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as database:
            return database.execute(statement, values).fetchall()

    def server_books(self):
        """The books as a fresh device gets them, which is what the server holds."""
        name = tempfile.mkdtemp(prefix="fresh-", dir=self.folder)
        self.device(os.path.basename(name), "sync")
        return {book["title"]: book for book in self.books(os.path.basename(name))}

    # Devices of the command line.

    def device(self, name, *words, fails=False, environment=None):
        told = subprocess.run(
            [self.commute, "books", "--json", "--device", os.path.join(self.folder, name),
             "--server", self.address.rstrip("/").replace("localhost", "127.0.0.1"),
             "--name", name, *words],
            capture_output=True, text=True, timeout=60, env={**os.environ, **(environment or {})})
        if told.returncode != 0 and not fails:
            raise AssertionError(f"{words}: {told.stderr or told.stdout}")
        lines = [line for line in told.stdout.splitlines() if line]
        return json.loads(lines[-1]) if lines else {}

    def books(self, name):
        return self.device(name, "list")["books"]

    # Browsers.

    def browser(self, address=None, **options):
        """Opens the page in a browser with a profile of its own, and waits until it is ready."""
        browser = Browser(self.driver, **options)
        browser.devtools("Page.enable")
        browser.prepare(HELPERS)
        self.browsers.append(browser)
        self.show(browser, address)
        return browser

    def show(self, browser, address=None):
        browser.open(address or self.address)
        browser.wait("document.documentElement.dataset.ready")

    def end(self):
        """Ends everything, and gives what the browsers complained about."""
        complaints = []
        for browser in self.browsers:
            browser.quit()
            complaints += browser.noted
        if self.server:
            self.stop_server()
        shutil.rmtree(self.folder, ignore_errors=True)
        return complaints


def get(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.status, dict(answer.headers), answer.read()
