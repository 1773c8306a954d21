"""Messages for the golden vectors: random ones in any form, and such as must be refused."""
import hashlib
import json

from golden import protocol
from golden.strict import Refused, quoted, read


class Raw(str):
    """JSON that stands as it is."""


class Token(str):
    """A text that is written without escapes."""


EPOCH = Token("8a3f123456789abc")
# Alike but for the last digit, the first one, and one in the middle.
EPOCHS = [EPOCH, Token("8a3f123456789abd"), Token("9a3f123456789abc"), Token("8a3f123456789bbc")]
TABLES = ["book", "to_do", "b\u00fccher", "c_conflict"]
FEEDS = ["books", "conversation/42", "\u00e9", "e\u0301"]
FIELDS = ["author", "isbn13", "notes", "rating", "read", "readAt", "tags", "title", "\u00e9",
          "e\u0301", "Title", "x y", "\U0001f600"]
TEXTS = ["", "Emma", "Pride and Prejudice", "\u00e9", "e\u0301", "a\"b\\c/d", "\n\t\u0001\u001f",
         "\u0412\u043e\u0439\u043d\u0430 \u0438 \u043c\u0438\u0440", "\U0001f600\U0001f4da",
         "\u2028 \u007f"]
VALUES = [None, True, False, "", {"i": Token("5")}, {"i": Token("-9223372036854775808")},
          {"d": 1.5}, {"d": Raw("1.50e0")}, {"d": Raw("-0")}, {"b": Token("AQID")},
          {"b": Token("")}, {"t": Token("1700000000000")},
          ["classics", "romance"], [], [""], Raw('{"colour": {"r" : 1.0, "g":[ 2,3 ]}}')]
RULES = [Raw('"latest"'), Raw('"counter"'), Raw('"keepBoth"'), Raw('"median"'),
         Raw('{"of":"later"}'), Raw("null"), Raw('"s\\u0065t"')]
DECLARED = ["reference list list cascade", "reference shelf shelf nullify", "unique first isbn13", "",
            "\u00e9"]
KEPT = [Raw("[1, 2.50 ,null]"), Raw('{"a":{"b":"\\u00e9"}}'), Raw("true"), Raw('"x"'), Raw("0")]


class Wild:
    """Makes messages and writes them in any form that readers must take."""

    def __init__(self, dice):
        self.dice = dice
        self.is_calm = False

    def space(self):
        return " " if not self.is_calm and self.dice.chance(12) else ""

    def text(self, text):
        if self.is_calm or isinstance(text, Token):
            return quoted(text)
        parts = []
        for character in text:
            if character < " " or character in '"\\' or not self.dice.chance(8):
                parts.append(quoted(character)[1:-1])
            else:
                units = character.encode("utf-16-be").hex()
                parts += ["\\u" + units[at:at + 4] for at in range(0, len(units), 4)]
        return '"' + "".join(parts) + '"'

    def shuffled(self, items):
        items = list(items)
        if not self.is_calm:
            for index in range(len(items) - 1, 0, -1):
                other = self.dice.below(index + 1)
                items[index], items[other] = items[other], items[index]
        return items

    def json(self, node):
        if isinstance(node, Raw):
            return str(node)
        if isinstance(node, str):
            return self.text(node)
        if isinstance(node, dict):
            members = [
                f"{self.space()}{self.text(key)}{self.space()}:{self.space()}{self.json(item)}"
                for key, item in self.shuffled(node.items())]
            return "{" + ",".join(members) + self.space() + "}"
        if isinstance(node, list):
            return "[" + ",".join(self.space() + self.json(item) for item in node) + "]"
        return json.dumps(node)

    # The parts.

    def identifier(self):
        digits = "%032x" % (self.dice.bits() << 64 | self.dice.bits())
        groups = [digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]]
        return Token("-".join(groups))

    def digits(self):
        return Token("%016x" % self.dice.bits())

    def number(self):
        return self.dice.pick([0, 1, 7, 1000, 2**31, 2**32 + 1, 2**53 - 1])

    def stamp(self):
        if self.dice.chance(10):
            return Token("000000000000-0000-0000000000000000")
        millisecond = 1_700_000_000_000 + self.dice.below(3)
        counter, replica = self.dice.below(2), self.dice.below(2) + 0xa1
        return Token("%012x-%04x-%016x" % (millisecond, counter, replica))

    def revision(self):
        return [self.dice.pick(EPOCHS), self.number()]

    def names(self, most):
        count = self.dice.below(most + 1)
        names = []
        while len(names) < count:
            name = self.dice.pick(FIELDS)
            if name not in names:
                names.append(name)
        return names

    def value(self):
        if self.dice.chance(40):
            return self.dice.pick(TEXTS)
        return self.dice.pick(VALUES)

    def amounts(self):
        return [Token(self.dice.pick(["0", "1", "5", "9007199254740993", "9223372036854775807"]))
                for _ in range(2)]

    def total(self):
        return {self.digits(): {"before": self.amounts(), "after": self.amounts()}
                for _ in range(self.dice.below(3))}

    def tags(self):
        parts = {}
        self.some(parts, 60, add=lambda: {self.identifier(): self.dice.pick(TEXTS)
                                          for _ in range(self.dice.below(3))},
                  remove=lambda: [self.identifier() for _ in range(self.dice.below(3))])
        return parts

    def replaces(self):
        return [self.stamp() for _ in range(self.dice.below(3))]

    def stamps(self, names, all_of_them=True):
        """One stamp or several, each with its names."""
        if all_of_them and self.dice.chance(50):
            return {self.stamp(): Token("*")}
        result = {}
        for name in self.shuffled(names):
            if all_of_them or self.dice.chance(50):
                result.setdefault(self.stamp(), []).append(name)
        return result

    def some(self, parts, chance=50, **members):
        """Adds members, each by chance; a member is made only where it is added."""
        for key, make in members.items():
            if self.dice.chance(chance):
                parts[key] = make()

    def record(self):
        names = self.names(6)
        parts = {"id": self.identifier(), "table": self.dice.pick(TABLES),
                 "revision": self.revision()}
        self.some(parts, 80, author=lambda: self.dice.pick(["local", "ren\u00e9", ""]))
        if names:
            parts["stamps"] = self.stamps(names)
            parts["fields"] = {name: self.value() for name in names}
            self.some(parts, 25, origins=lambda: self.stamps(names, all_of_them=False))
            self.some(parts, 15, state=lambda: {name: self.dice.pick(KEPT) for name in names[:2]})
        self.some(parts, 20, deleted=self.stamp)
        if self.dice.chance(20):
            for key in ["zeta", "a", "cursor", "\u00e9"][:1 + self.dice.below(4)]:
                parts[key] = self.dice.pick(KEPT)
        return parts

    def over(self):
        parts = {"stamp": self.stamp()}
        self.some(parts, 40, origin=self.stamp)
        return parts

    def change(self):
        parts = {"value": self.value()}
        self.some(parts, 40, over=lambda: self.dice.pick([None, self.over()]))
        self.some(parts, 15, base=self.value)
        self.some(parts, 10, rule=lambda: self.dice.pick(RULES))
        if self.dice.chance(20):
            kind = self.dice.pick(["total", "tags", "replaces"])
            parts[kind] = getattr(self, kind)()
        self.some(parts, 10, unknown=lambda: self.dice.pick(KEPT))
        if ("total" in parts or "tags" in parts) and self.dice.chance(50):
            del parts["value"]
        return parts

    def operation(self):
        names = self.names(5)
        parts = {"id": self.identifier(), "schema": self.number(), "replica": self.digits()}
        self.some(parts, 60, epoch=lambda: self.dice.pick([None, EPOCH]),
                  base=lambda: self.dice.pick([None, self.revision()]))
        parts.update(table=self.dice.pick(TABLES), record=self.identifier(),
                     feed=self.dice.pick(FEEDS))
        self.some(parts, 40, creates=lambda: self.dice.chance(70))
        if names:
            parts["stamps"] = self.stamps(names)
            parts["fields"] = {name: self.change() for name in names}
        self.some(parts, 10, revives=self.stamp, unknown=lambda: self.dice.pick(KEPT))
        self.some(parts, 20, deleted=self.stamp, needs=lambda: [
            [self.dice.pick(TABLES), self.identifier()] for _ in range(self.dice.below(3))])
        self.some(parts, 15, declares=lambda: [
            self.dice.pick(DECLARED) for _ in range(self.dice.below(3))])
        return parts

    def list_of(self, make, most=3):
        return lambda: [make() for _ in range(self.dice.below(most + 1))]

    def request_feed(self):
        parts = {"feed": self.dice.pick(FEEDS)}
        for key in ("grant", "cursor", "reset"):
            self.some(parts, 40, **{key: lambda: self.dice.pick([None, self.number()])})
        return parts

    def request(self):
        parts = {
            "protocol": 1,
            "schema": {"name": "reading", "version": self.number(), "hash": self.digits()},
            "build": self.dice.pick(TEXTS), "owner": "local/local", "replica": self.digits()}
        self.some(parts, 30, replicas=self.list_of(self.digits))
        parts.update(device=self.dice.pick(TEXTS), number=self.number(), nonce=self.identifier())
        self.some(parts, 60, epoch=lambda: self.dice.pick([None, EPOCH]))
        parts["time"] = self.dice.pick([0, -1, 1_700_000_000_000, -2**53 + 1])
        self.some(parts, 60, limit=lambda: self.dice.pick(
            [{}, {"bytes": 0}, {"records": 5, "more": 1}, {"bytes": 2**53 - 1, "records": 1}]))
        self.some(parts, 70, feeds=self.list_of(self.request_feed),
                  operations=self.list_of(self.operation))
        self.some(parts, 25, again=self.list_of(self.identifier), offers=self.list_of(
            lambda: {"id": self.identifier(), "record": self.record()}, 2))
        self.some(parts, 10, unknown=lambda: self.dice.pick(KEPT))
        return parts

    def verdict(self):
        kind = Token(self.dice.pick(["applied", "duplicate", "rejected", "later"]))
        parts = {"id": self.identifier(), "verdict": kind}
        if kind in protocol.REASONS:
            parts["code"] = self.dice.pick(protocol.REASONS[kind] + ["unheardOf"])
        self.some(parts, 50, message=lambda: self.dice.pick(TEXTS), after=self.number,
                  revision=lambda: self.dice.pick([None, self.revision()]))
        self.some(parts, 25, stamps=lambda: {name: self.stamp() for name in self.names(3)},
                  deleted=self.stamp, record=self.record)
        self.some(parts, 10, holder=self.identifier)
        return parts

    def page(self):
        parts = {"feed": self.dice.pick(FEEDS), "grant": self.number()}
        self.some(parts, 70, cursor=lambda: self.dice.pick([None, self.number()]),
                  fence=self.number, records=self.list_of(self.record))
        self.some(parts, 30, more=lambda: self.dice.chance(70),
                  reset=lambda: self.dice.pick([None, self.number()]),
                  revoked=lambda: self.dice.pick([None, "left the team", ""]))
        return parts

    def ancestor(self):
        parts = {"epoch": self.digits(), "ended": self.number()}
        self.some(parts, 60, heads=lambda: {feed: self.number() for feed in FEEDS})
        return parts

    def answer(self):
        parts = {"protocol": 1, "epoch": EPOCH, "time": 1_700_000_000_000,
                 "nonce": self.identifier()}
        self.some(parts, 15, ancestry=self.list_of(self.ancestor),
                  renew=self.list_of(self.record, 1))
        self.some(parts, 60, verdicts=self.list_of(self.verdict), feeds=self.list_of(self.page, 2))
        self.some(parts, 40, devices=lambda: {self.digits(): "phone", self.digits(): "\u00e9"},
                  unknown=lambda: self.dice.pick(KEPT))
        return parts


def canonical(kind, raw):
    """The canonical form of a message."""
    if kind in ("request", "answer"):
        how = protocol.request if kind == "request" else protocol.answer
        return protocol.message(raw, kind, how)
    how = protocol.record if kind == "record" else protocol.operation
    return how(read(raw))


def accepted(dice):
    wild = Wild(dice)
    for kind, count in [("record", 50), ("operation", 50), ("request", 40), ("answer", 40)]:
        for index in range(count):
            wild.is_calm = index % 5 == 0
            text = wild.json(getattr(wild, kind)())
            yield kind, text, canonical(kind, text.encode())
            if kind == "operation":
                yield "operation-hash", text, hashlib.sha256(text.encode()).hexdigest()
    for spaces in (b"\n", b"\t", b"\r\n", b" \n\t "):
        # No operations: their bytes are kept, and a vector is one line.
        wild.is_calm = True
        raw = wild.json({**small_request(), "operations": []}).encode()
        for mark in (b"{", b"}", b"[", b"]", b":", b","):
            raw = raw.replace(mark, spaces + mark + spaces)
        yield "request-hex", raw.hex(), canonical("request", raw)
    for character in ["0080", "07ff", "0800", "d7ff", "e000", "ffff", "10000", "10ffff"]:
        wild.is_calm = True
        raw = wild.json({**small_request(), "build": chr(int(character, 16))}).encode()
        yield "request-hex", raw.hex(), canonical("request", raw)
    wild.is_calm = True
    for names in (["operatio", "operation", "operationz", "operations "],
                  ["", "i", "ids", "protoco", "protocol2", "Nonce", "noncee", "feed", "\u0001"]):
        text = wild.json({**small_request(), **{name: Raw("[]") for name in names}})
        yield "request", text, canonical("request", text.encode())
    many = {"protocol": 1, "schema": {"name": "s", "version": 1, "hash": "0" * 16}, "build": "",
            "owner": "l/l", "replica": "0" * 16, "device": "d", "number": 1,
            "nonce": wild.identifier(), "time": 0,
            "feeds": [{"feed": f"f{number}"} for number in range(1000)]}
    text = wild.json(many)
    yield "request", text, canonical("request", text.encode())


# Messages with one fault each.

ID = Token("018bcfe5-6800-7000-8000-0123456789ab")
STAMP = "018bcfe56800-0000-00000000000000a1"
LATER = "018bcfe56801-0000-00000000000000a1"


def small_record():
    return {"id": ID, "table": "book", "revision": [EPOCH, 5], "author": "a",
            "stamps": {STAMP: "*"}, "fields": {"title": "Emma", "read": True}}


def small_operation():
    return {"id": ID, "schema": 1, "replica": EPOCH, "table": "book", "record": ID, "feed": "books",
            "stamps": {STAMP: ["title"]}, "fields": {"title": {"value": "Emma"}}}


def small_request():
    return {"protocol": 1, "schema": {"name": "reading", "version": 1, "hash": EPOCH}, "build": "b",
            "owner": "l/l", "replica": EPOCH, "device": "d", "number": 1, "nonce": ID, "time": 5,
            "feeds": [{"feed": "books"}], "operations": [small_operation()]}


def small_answer():
    return {"protocol": 1, "epoch": EPOCH, "time": 5, "nonce": ID,
            "verdicts": [{"id": ID, "verdict": "applied"}],
            "feeds": [{"feed": "books", "grant": 1, "records": [small_record()]}]}


def nested(levels):
    return Raw("[" * levels + "]" * levels)


def deeper(levels):
    return Raw('{"a":' * levels + "1" + "}" * levels)


# Changes as (path, new value); DROP takes the member away.
DROP = object()
WRONG = {
    "record": [
        (["id"], Raw('"\\u0030' + ID[1:] + '"')),
        (["stamps"], Raw('{"\\u0030%s":"*"}' % STAMP[1:])),
        (["stamps"], Raw('{"%s":"\\u002a"}' % STAMP)),
        (["revision"], [Raw('"\\u0038a3f123456789abc"'), 1]),
        (["id"], DROP), (["table"], DROP), (["revision"], DROP), (["stamps"], DROP),
        (["id"], ID.upper()), (["id"], ID[:-1]), (["id"], ID.replace("-", "")), (["id"], 5),
        (["id"], None), (["table"], ""), (["table"], "t" * 129), (["table"], 5),
        (["revision"], [EPOCH]), (["revision"], [EPOCH, 1, 2]), (["revision"], [EPOCH, -1]),
        (["revision"], [EPOCH, 1.5]), (["revision"], [EPOCH, 2**53]), (["revision"], [EPOCH, "1"]),
        (["revision"], [EPOCH.upper(), 1]), (["revision"], []), (["revision"], {}),
        (["author"], None), (["author"], 5), (["stamps"], {STAMP: "x"}), (["stamps"], {STAMP: 1}),
        (["stamps"], {STAMP: ["title"]}), (["stamps"], {STAMP: ["title", "read", "more"]}),
        (["stamps"], {STAMP: ["title", "read", "read"]}), (["stamps"], {}),
        (["stamps"], {STAMP: "*", LATER: "*"}), (["stamps"], {STAMP: "*", LATER: ["read"]}),
        (["stamps"], {STAMP: ["title"], LATER: ["title", "read"]}), (["stamps"], {"x": "*"}),
        (["stamps"], {STAMP: ["title", 5]}), (["stamps"], []), (["stamps"], "*"),
        (["stamps"], {"f" * 12 + STAMP[12:]: "*"}), (["origins"], {STAMP: ["more"]}),
        (["origins"], {STAMP: ["read"], LATER: ["read"]}), (["fields"], []), (["fields"], None),
        (["fields", "title"], 5), (["fields", ""], "x"), (["fields", "f" * 129], "x"),
        (["fields", "title"], {"x": nested(16)}), (["fields", "title"], [["x"]]),
        (["state"], {"more": 1}), (["state"], {"title": nested(17)}), (["state"], []),
        (["deleted"], None), (["deleted"], STAMP[:-1]), (["later"], nested(17)),
        (["later"], Raw("01")), (["later"], Raw('{"a":1,"a":1}')), (["later"], deeper(17)),
    ],
    "operation": [
        (["id"], DROP), (["schema"], DROP), (["replica"], DROP), (["table"], DROP),
        (["record"], DROP), (["feed"], DROP), (["schema"], "1"), (["schema"], -1),
        (["replica"], EPOCH[:-1]), (["replica"], EPOCH.replace("a", "A")), (["epoch"], "x"),
        (["epoch"], 5), (["base"], 5), (["base"], [EPOCH, None]), (["feed"], ""),
        (["feed"], "\u00e9" * 65), (["creates"], None), (["creates"], 1), (["creates"], "true"),
        (["revives"], None), (["stamps"], DROP), (["stamps"], {STAMP: ["title", "more"]}),
        (["fields", "title"], "Emma"), (["fields", "title"], {}),
        (["fields", "title"], {"over": None}),
        (["fields", "title", "over"], {}), (["fields", "title", "over"], {"stamp": None}),
        (["fields", "title", "over"], {"stamp": STAMP, "origin": None}),
        (["fields", "title", "base"], 5), (["fields", "title", "total"], nested(17)),
        (["fields", "title", "rule"], Raw("tru")), (["fields", "title", "rule"], nested(17)),
        (["fields", "title", "total"], []), (["fields", "title", "total"], {EPOCH: []}),
        (["fields", "title", "total"], {EPOCH: {"before": ["0", "0"]}}),
        (["fields", "title", "total"], {EPOCH: {"after": ["0", "0"]}}),
        (["fields", "title", "total"], {"x": {"before": ["0", "0"], "after": ["0", "0"]}}),
        (["fields", "title", "total"], {EPOCH: {"before": ["0"], "after": ["0", "0"]}}),
        (["fields", "title", "total"], {EPOCH: {"before": ["0", "0"], "after": ["0", "-1"]}}),
        (["fields", "title", "total"], {EPOCH: {"before": ["0", "0"], "after": [0, 0]}}),
        (["fields", "title", "total"],
         {EPOCH: {"before": ["0", "0"], "after": ["9223372036854775808", "0"]}}),
        (["fields", "title", "total"], {EPOCH: {"before": ["0", "0", "0"], "after": ["0", "0"]}}),
        (["fields", "title", "tags"], []), (["fields", "title", "tags"], {"add": []}),
        (["fields", "title", "tags"], {"add": {"x": "a"}}),
        (["fields", "title", "tags"], {"add": {ID: 5}}),
        (["fields", "title", "tags"], {"remove": {}}),
        (["fields", "title", "tags"], {"remove": ["x"]}),
        (["fields", "title", "replaces"], {}), (["fields", "title", "replaces"], ["x"]),
        (["fields", "title", "replaces"], [5]), (["fields", "title", "replaces"], None),
        (["fields", "title"], {"value": 1, "total": {}, "tags": {}}),
        (["fields", "title"], {"value": None, "total": {}, "tags": {}}),
        (["fields", "title"], {"value": None, "replaces": [], "tags": {}}), (["deleted"], True), (["needs"], [["book"]]),
        (["needs"], [["book", ID, 1]]), (["needs"], ["book"]), (["needs"], [["", ID]]),
        (["needs"], [["book", "x"]]), (["needs"], None), (["declares"], {}),
        (["declares"], [5]), (["declares"], None), (["unknown"], Raw('"\\ud800"')),
    ],
    "request": [
        (["schema"], DROP), (["build"], DROP), (["owner"], DROP), (["replica"], DROP),
        (["device"], DROP), (["number"], DROP), (["nonce"], DROP), (["time"], DROP),
        (["schema"], {"name": "s", "version": 1}),
        (["schema"], {"name": "", "version": 1, "hash": EPOCH}),
        (["schema"], "s"), (["schema", "hash"], 5), (["build"], 5), (["build"], "b" * 1025),
        (["owner"], "\u00e9" * 513), (["device"], "d" * 1025), (["replicas"], ["x"]),
        (["replicas"], EPOCH), (["number"], 1.0), (["number"], -1), (["number"], Raw("1e2")),
        (["number"], Raw("01")), (["number"], Raw("-0")), (["number"], 2**53), (["number"], 10**30),
        (["number"], Raw("+1")), (["nonce"], "x"), (["time"], 2**53), (["time"], -2**53),
        (["time"], "5"), (["limit"], []), (["limit"], {"bytes": -1}), (["feeds"], {}),
        (["feeds"], [{"feed": ""}]), (["feeds"], [{}]), (["feeds"], [{"feed": "f" * 129}]),
        (["feeds"], [{"feed": "f", "cursor": -1}]), (["feeds"], [{"feed": "f", "grant": "1"}]),
        (["feeds"], [{"feed": f"f{n}"} for n in range(1001)]), (["offers"], [{"id": ID}]),
        (["offers"], [{"record": small_record()}]), (["again"], [1]), (["operations"], [5]),
        (["operations"], {}), (["operations"], [{}]), (["unknown"], nested(32)),
        (["unknown"], deeper(32)), (["unknown"], Raw("[1,]")), (["protocol"], DROP),
        (["protocol"], "1"), (["protocol"], None), (["protocol"], -1), (["protocol"], 0),
        (["protocol"], 2), (["protocol"], 9007199254740991), (["protocol"], 1.5),
    ],
    "answer": [
        (["epoch"], DROP), (["time"], DROP), (["nonce"], DROP), (["epoch"], None), (["time"], None),
        (["verdicts"], [{"id": ID}]), (["verdicts"], [{"verdict": "applied"}]),
        (["verdicts"], [{"id": ID, "verdict": "Applied"}]),
        (["verdicts"], [{"id": ID, "verdict": 1}]),
        (["verdicts"], [{"id": ID, "verdict": "rejected"}]),
        (["verdicts"], [{"id": ID, "verdict": "later"}]),
        (["verdicts"], [{"id": ID, "verdict": "later", "code": 5}]),
        (["verdicts"], [{"id": ID, "verdict": "later", "code": "needs", "after": -1}]),
        (["verdicts"], [{"id": ID, "verdict": "applied", "stamps": {STAMP: "*"}}]),
        (["verdicts"], [{"id": ID, "verdict": "applied", "record": {}}]),
        (["verdicts"], [{"id": ID, "verdict": "applied", "holder": "x"}]),
        (["verdicts"], [{"id": ID, "verdict": Raw('"\\u0061pplied"')}]),
        (["devices"], Raw('{"\\u0038a3f123456789abc":"phone"}')),
        (["verdicts"], {}), (["feeds"], [{"feed": "books"}]), (["feeds"], [{"grant": 1}]),
        (["feeds", 0, "fence"], None), (["feeds", 0, "more"], 1), (["feeds", 0, "revoked"], True),
        (["feeds", 0, "records"], None), (["feeds", 0, "records"], [[]]),
        (["feeds", 0, "records", 0, "revision"], DROP), (["renew"], None), (["renew"], [5]),
        (["ancestry"], [{}]), (["ancestry"], [{"epoch": EPOCH}]),
        (["ancestry"], [{"epoch": EPOCH, "ended": 1, "heads": {"f": -1}}]),
        (["ancestry"], [{"epoch": EPOCH, "ended": 1, "heads": {"": 1}}]),
        (["devices"], {"x": "phone"}), (["devices"], {EPOCH: 5}), (["protocol"], 7),
    ],
}


# Too long forms, surrogates, beyond the last character, bytes that never occur, and cut-off ones.
NO_UTF8 = [
    "80", "bf", "c0af", "c1bf", "c2", "c241", "df7f", "dfc0", "e08080", "e09fbf", "e0a0", "e0a041",
    "eda080", "edbfbf", "e28241", "e282", "ef41bf", "f0808080", "f08fbfbf", "f09f98", "f09f9841",
    "f09f41bf", "f4908080", "f5808080", "f8888080", "fe", "ff",
]


def changed(message, path, new):
    """The message with one member changed."""
    place = message
    for step in path[:-1]:
        place = place[step]
    if new is DROP:
        del place[path[-1]]
    else:
        place[path[-1]] = new
    return message


def refused():
    small = {"record": small_record, "operation": small_operation, "request": small_request,
             "answer": small_answer}
    calm = Wild(None)
    calm.is_calm = True
    for kind, wrong in WRONG.items():
        for path, new in wrong:
            yield refusal(kind, calm.json(changed(small[kind](), path, new)))
    for character in "/:@AFG`gor~ \u00e9":
        for place in (0, 7, 8, 15):
            digits = EPOCH[:place] + character + EPOCH[place + 1:]
            text = calm.json(changed(small_request(), ["schema", "hash"], digits))
            yield refusal("request", text)
    for kind, text in by_hand(calm, small):
        yield refusal(kind, text)
    for kind in ("request", "answer"):
        whole = calm.json(small[kind]()).encode()
        for raw in [whole[:60] + b"\xff" + whole[60:], whole + b"\xc3\xa9"[:1], whole + b"\0",
                    b"\xff\xfe" + whole, b"\x1f\x8b\x08\0\0", b"\xef\xbb\xbf" + whole,
                    b"\n\t\r\n", b'{\n"a":\t"\x01"}']:
            yield refusal(kind + "-hex", raw.hex())
    for sequence in NO_UTF8:
        whole = calm.json({**small_request(), "build": "HERE"}).encode()
        yield refusal("request-hex", whole.replace(b"HERE", bytes.fromhex(sequence)).hex())


def by_hand(calm, small):
    """Faults of the JSON itself, and bytes that are no message."""
    for kind, make in small.items():
        whole = calm.json(make())
        first = '{"id"' if "protocol" not in whole else '{"protocol"'
        for text in [whole[:-1], whole + "}", whole + " x", whole[1:], whole[:40],
                     whole[:-1] + ",}",
                     whole.replace(first, "{,\"id\"", 1), whole.replace(":", "=", 1),
                     whole.replace('"', "'"), whole[:-1] + f',{first[1:]}:1}}',
                     whole[:-1] + ',"a":1,"\\u0061":2}', whole[:-1] + ',"a":1,"b":2,"a":3}']:
            yield kind, text
    whole = calm.json(small_record())
    yield "record", whole.replace('"author":"a"', '"author":"a","author":"a"')
    yield "record", whole.replace('"author":"a"', '"author":"a","auth\\u006fr":"a"')
    yield "record", whole.replace('"read":true', '"read":true,"title":"x"')
    yield "record", whole.replace('"read":true', '"read":true,"r\\u0065ad":false')
    yield "record", whole.replace(f'"{STAMP}":"*"', f'"{STAMP}":["read"],"{STAMP}":["title"]')
    for kind in ("request", "answer"):
        for text in ["", " ", "<html><body>Sign in</body></html>", "[]", "5", "null", "true", '"x"',
                     "Moved", "{}", '{"error":"x"}', '{"a":1,"a":2}', '{"protocol":', "{",
                     '{"protocol":1', '{"protocol":2', '{"protocol":2,', '{"protocol":true}',
                     '{"protocol":[1]}', '{"a":[1,],"protocol":1}', '{"protocol":1}',
                     '{"a":{},"protocol":3}', '{"protocol":01}', '{"protocol":1e0}',
                     '{"protocol":99999999999999999999}', '{"\\u0070rotocol":4}']:
            yield kind, text


def refusal(kind, text):
    raw = bytes.fromhex(text) if kind.endswith("-hex") else text.encode()
    try:
        canonical(kind.removesuffix("-hex"), raw)
    except Refused as error:
        return kind, text, f"refused {error}"
    raise AssertionError(f"taken: {kind} {text}")
