#!/usr/bin/env python3
"""Runs the pages in real Chromium, against the real server and devices of the command line.

usage: run.py COMMUTE [--record] [WORD ...]

Each test is a function whose name says what is true; WORDs choose those with one of them in their
name. With --record the calls of Tests/Vectors/calls.txt are recorded anew.
"""
import inspect
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

import account_tests
import book_tests
import core_tests
import hostile_tests
import offline_tests
import record
import tab_tests
from driver import Driver
from scene import Scene

ROOT = Path(__file__).resolve().parents[2]
MODULES = [core_tests, book_tests, offline_tests, tab_tests, account_tests, hostile_tests]


def tests():
    """All tests, in the order they stand."""
    for module in MODULES:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_") and function.__module__ == module.__name__:
                yield function


def main():
    commute, *words = sys.argv[1:]
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            sys.exit(f"browser: no {program}; on Debian: apt-get install chromium chromium-driver")
    told = subprocess.run([commute, "serve", "--help"], capture_output=True, text=True).stdout
    if "--web" not in told:
        sys.exit("browser: this `commute serve` has no --web, so nothing can show the pages")
    web = str(ROOT / "Web" / "dist")
    driver = Driver()
    if "--record" in words:
        record.record(Scene(commute, web, driver), ROOT / "Tests" / "Vectors" / "calls.txt")
        driver.quit()
        return 0
    ran = failed = violations = 0
    try:
        ordered = sorted(tests(), key=lambda f: (MODULES.index(sys.modules[f.__module__]),
                                                 f.__code__.co_firstlineno))
        for test in ordered:
            if words and not any(word in test.__name__ for word in words):
                continue
            ran += 1
            scene = Scene(commute, web, driver)
            started = time.monotonic()
            problem = ""
            try:
                test(scene)
            except Exception:  # noqa: BLE001 - a test may fail in any way
                problem = traceback.format_exc(limit=-3)
            complaints = scene.end()
            seen = [line for line in complaints if "Content Security Policy" in line]
            violations += len(seen)
            failed += problem != ""
            name = test.__name__.removeprefix("test_").replace("_", " ")
            print(f"{'✘' if problem else '✔'} {name} ({time.monotonic() - started:.1f} s)")
            for line in ([problem] if problem else []) + seen:
                print(f"  ↳ {line.rstrip()}", flush=True)
    finally:
        driver.quit()
    print(f"browser: {ran} tests, {failed} failed, {violations} CSP violations")
    return 1 if failed or violations or ran == 0 else 0


sys.exit(main())
