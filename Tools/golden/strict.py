"""JSON as section 2 of Documentation/Protocol.md wants it read, and written in canonical form."""

DEPTH = 32


class Refused(Exception):
    """What a reader must not take, and its class."""


def malformed():
    raise Refused("malformed")


def too_large(limit):
    raise Refused("tooLarge " + limit)


class Node:
    """A value of JSON and where it stands."""

    def __init__(self, kind, value, text):
        self.kind, self.value, self.text = kind, value, text

    @property
    def depth(self):
        """How many brackets deep it is by itself."""
        if self.kind == "array":
            return 1 + max([item.depth for item in self.value], default=0)
        if self.kind == "object":
            return 1 + max([item.depth for _, item in self.value], default=0)
        return 0


class Name(str):
    """The name of a member, and whether it stands without escapes."""

    plain = True


class Reader:
    """Reads JSON strictly, in one pass."""

    def __init__(self, text):
        self.text, self.at, self.level = text, 0, 0

    def space(self):
        while self.at < len(self.text) and self.text[self.at] in " \t\n\r":
            self.at += 1

    def peek(self):
        self.space()
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, characters):
        if not self.text.startswith(characters, self.at):
            malformed()
        self.at += len(characters)

    def value(self):
        first, start = self.peek(), self.at
        if first == '"':
            return Node("text", self.string(), self.text[start:self.at])
        if first == "{":
            members = list(self.members())
            names = [name for name, _ in members]
            if len(set(names)) < len(names):
                malformed()
            return Node("object", members, self.text[start:self.at])
        if first == "[":
            return Node("array", list(self.elements()), self.text[start:self.at])
        for word in ("null", "true", "false"):
            if first == word[0]:
                self.take(word)
                return Node("null" if word == "null" else "boolean", word == "true", word)
        self.number()
        return Node("number", self.text[start:self.at], self.text[start:self.at])

    def enter(self, bracket):
        self.take(bracket)
        self.level += 1
        if self.level > DEPTH:
            too_large("depth")

    def members(self):
        self.enter("{")
        if self.peek() != "}":
            while True:
                self.space()
                start = self.at
                name = Name(self.string())
                name.plain = self.text[start + 1:self.at - 1] == name
                self.space()
                self.take(":")
                yield name, self.value()
                if self.peek() != ",":
                    break
                self.at += 1
        self.space()
        self.take("}")
        self.level -= 1

    def elements(self):
        self.enter("[")
        if self.peek() != "]":
            while True:
                yield self.value()
                if self.peek() != ",":
                    break
                self.at += 1
        self.space()
        self.take("]")
        self.level -= 1

    def digits(self):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        if self.at == start:
            malformed()
        return self.text[start:self.at]

    def number(self):
        if self.text.startswith("-", self.at):
            self.at += 1
        whole = self.digits()
        if whole[0] == "0" and len(whole) > 1:
            malformed()
        if self.text.startswith(".", self.at):
            self.at += 1
            self.digits()
        if self.text[self.at:self.at + 1] in ("e", "E"):
            self.at += 1
            if self.text[self.at:self.at + 1] in ("+", "-"):
                self.at += 1
            self.digits()

    def unit(self):
        """The number of a \\u escape behind its letter."""
        digits = self.text[self.at:self.at + 4]
        if len(digits) < 4 or any(d not in "0123456789abcdefABCDEF" for d in digits):
            malformed()
        self.at += 4
        return int(digits, 16)

    def string(self):
        self.take('"')
        result = []
        while True:
            if self.at >= len(self.text):
                malformed()
            character = self.text[self.at]
            self.at += 1
            if character == '"':
                return "".join(result)
            if character < " ":
                malformed()
            result.append(self.escape() if character == "\\" else character)

    def escape(self):
        letter = self.text[self.at:self.at + 1]
        self.at += 1
        plain = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
        if letter in ('"', "\\", "/"):
            return letter
        if letter in plain:
            return plain[letter]
        if letter != "u":
            malformed()
        unit = self.unit()
        if 0xD800 <= unit < 0xDC00 and self.text.startswith("\\u", self.at):
            self.at += 2
            low = self.unit()
            if not 0xDC00 <= low < 0xE000:
                malformed()
            return chr(0x10000 + ((unit - 0xD800) << 10) + low - 0xDC00)
        if unit == 0 or 0xD800 <= unit < 0xE000:
            malformed()
        return chr(unit)


def read(raw):
    """One value that fills the bytes."""
    try:
        reader = Reader(raw.decode("utf-8"))
    except UnicodeDecodeError:
        malformed()
    node = reader.value()
    if reader.peek():
        malformed()
    return node


def quoted(text):
    """A text in canonical form."""
    named = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f",
             "\r": "\\r"}
    return '"' + "".join(
        named.get(c) or ("\\u%04x" % ord(c) if c < " " else c) for c in text) + '"'


def in_order(names):
    return sorted(names, key=lambda name: name.encode())
