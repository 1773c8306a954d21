"""Holds the rules of the pages: short modules, typed functions, nothing that could run a text.

usage: check-web.py WEB
"""
import os
import re
import sys

LINES = 300
WIDTH = 100
# Ways by which a text could become more than a text.
FORBIDDEN = [
    (r"\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write", "makes markup of a text"),
    (r"\beval\(|new Function\(|set(Timeout|Interval)\(\s*[\"'`]", "runs a text"),
    (r"javascript:", "is an address that runs"),
    (r"\.setAttribute\(\s*[\"'](on|style)", "sets a listener or a style as text"),
    (r"\bconsole\.|\bdebugger\b", "is a leftover"),
    (r"\bTODO\b|\bFIXME\b", "is a leftover"),
    (r"\bvar\b|[^=!]==[^=]|!=[^=]", "is looser than it need be: let, const, === and !=="),
    (r"from \"[^.]", "is an import that is not ours"),
]
MARKUP = [
    (r"<script(?![^>]*\bsrc=)", "is a script inside the page"),
    (r"<style|\sstyle=", "is a style inside the page"),
    (r"\son[a-z]+=", "is a listener inside the page"),
]
SAMPLES = {
    "x.innerHTML = y": True, "eval(x)": True, "a == b": True, "var a": True,
    'import x from "react"': True, "element.textContent = y": False, "a === b": False,
}


def without_comments(text):
    blanked = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    return re.sub(r"(^|\s)//[^\n]*", r"\1", blanked)


def findings(path, text):
    lines = text.split("\n")
    if len(lines) - 1 > LINES:
        yield f"{path}: {len(lines) - 1} lines, at most {LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > WIDTH and path.endswith((".js", ".css", ".html")):
            yield f"{path}:{number}: {len(line)} characters, at most {WIDTH}"
    rules = {".js": FORBIDDEN, ".html": MARKUP}.get(os.path.splitext(path)[1], [])
    plain = without_comments(text) if path.endswith(".js") else text
    for number, line in enumerate(plain.split("\n"), 1):
        for pattern, why in rules:
            if re.search(pattern, line):
                yield f"{path}:{number}: {why}: {line.strip()[:60]}"
    if path.endswith(".js"):
        yield from untyped(path, lines)


def untyped(path, lines):
    """Exported functions and classes without a comment that says what they are."""
    for number, line in enumerate(lines):
        if re.match(r"export (async )?(function|class)", line) and "*/" not in lines[number - 1]:
            yield f"{path}:{number + 1}: has no comment: {line[:60]}"


def texts_differ(web):
    """Names of texts that one language has and another has not."""
    tables = {}
    for language in ("english", "german"):
        text = open(os.path.join(web, "text", f"{language}.js")).read()
        tables[language] = set(re.findall(r"^  (\w+):", text, flags=re.M))
    for name in sorted(tables["english"] ^ tables["german"]):
        yield f"{web}/text: {name} stands in one language only"


def main():
    web = sys.argv[1]
    for sample, is_bad in SAMPLES.items():
        found = any(re.search(pattern, sample) for pattern, _ in FORBIDDEN)
        if found != is_bad:
            sys.exit(f"web: the rules misjudge {sample!r}")
    complaints = list(texts_differ(web))
    for folder, folders, names in os.walk(web):
        folders[:] = [name for name in folders if name != "dist"]
        for name in sorted(names):
            path = os.path.join(folder, name)
            complaints += findings(path, open(path, encoding="utf-8").read())
    if complaints:
        print("\n".join(complaints))
        sys.exit(f"web: {len(complaints)} findings")


main()
