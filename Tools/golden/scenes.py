"""Golden vectors of the rules: their state, copies that meet, changes that a server settles."""
import itertools

from golden import protocol, rules, texts
from golden.strict import quoted, read

TIME = 1_700_000_000_000
EPOCH = "0000000000000007"
ID = "018bcfe5-6800-7000-8000-000000000001"
REPLICAS = ["00000000000000a1", "00000000000000a2", "ffffffffffffffff"]
TAGS = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002",
        "7f000000-0000-8000-8000-000000000003", "ffffffff-ffff-4fff-bfff-ffffffffffff"]
ELEMENTS = ["", "a", "b", "\u00e9", "e\u0301"]
KINDS = {
    "latest": ["text?", "integer"], "maximum": ["integer?", "double", "instant", "text", "list"],
    "minimum": ["integer?", "double", "bytes", "boolean"], "growOnlyCounter": ["integer"],
    "counter": ["integer"], "set": ["list"], "text": ["text?"], "serverWins": ["text?"],
    "clientWins": ["integer"], "keepBoth": ["text?", "integer"],
}
VALUES = {
    "text": ['"a"', '"b"', '"ab"', '"\u00e9"', '"e\u0301"'],
    "integer": ['{"i":"-2"}', '{"i":"3"}', '{"i":"-9223372036854775808"}'],
    "double": ['{"d":-1.5}', '{"d":0}', '{"d":2}', '{"d":1e+300}'],
    "instant": ['{"t":"-5"}', '{"t":"1700000000000"}'], "boolean": ["true", "false"],
    "bytes": ['{"b":""}', '{"b":"AQ"}', '{"b":"AQI"}'], "list": ["[]", '["a"]', '["a","b"]'],
}
PHRASES = ["", "buy milk", "buy oat milk", "buy milk soon", "sell milk", "buy tea",
           "milk\nand honey\n", "oat milk\nand honey\n", "milk\nhoney\nbread\n"]


def spaceless(text):
    """A value as JSON without spaces, which part the words of a vector."""
    return text.replace(" ", "\\u0020")


class Scene:
    """Random fields, records and operations, small enough to meet each other."""

    def __init__(self, dice):
        self.dice = dice

    def stamp(self, seed=12):
        if self.dice.chance(seed):
            return rules.FLOOR
        millisecond = TIME - 1_000 + self.dice.below(3)
        return "%012x-%04x-%s" % (millisecond, self.dice.below(2), self.dice.pick(REPLICAS))

    def future(self):
        return "%012x-0000-%s" % (TIME + 60_001 + self.dice.below(2), self.dice.pick(REPLICAS))

    def value(self, rule, kind):
        if rule == "text":
            return spaceless(quoted(self.dice.pick(PHRASES)))
        if kind.endswith("?") and self.dice.chance(15):
            return "null"
        return self.dice.pick(VALUES[kind.rstrip("?")])

    def total(self, rule):
        down = 0 if rule == "growOnlyCounter" else self.dice.pick([0, 1, 7])
        return '["%d","%d"]' % (self.dice.pick([0, 1, 5, 5, (1 << 63) - 1]), down)

    def some(self, items, percent=50):
        return [item for item in items if self.dice.chance(percent)]

    def raw_state(self, rule, kind):
        """A state, not always in canonical form."""
        if rule in rules.COUNTERS:
            names = self.some(["0" * 16] + REPLICAS)
            return protocol.written({name: self.total(rule) for name in reversed(names)})
        if rule == "set":
            parts = {"gone": protocol.written(
                         {tag: str(TIME - self.dice.below(3)) for tag in self.some(TAGS, 30)}),
                     "add": protocol.written(
                         {tag: quoted(self.dice.pick(ELEMENTS)) for tag in self.some(TAGS)})}
            return protocol.written({key: parts[key] for key in self.some(parts, 80)})
        parts = {"claims": "[" + ",".join(
                     quoted(self.stamp(0)) for _ in range(self.dice.below(3))) + "]"}
        if rule == "keepBoth":
            parts["siblings"] = protocol.written(
                {self.stamp(0): self.value(rule, kind) for _ in range(self.dice.below(4))})
        return protocol.written({key: parts[key] for key in self.some(parts, 80)})

    def field(self, rule, kind):
        """A field that could be stored: value, stamp, origin, state."""
        stamp = self.stamp()
        origin = self.stamp(0) if stamp != rules.FLOOR and self.dice.chance(30) else stamp
        value, state = self.value(rule, kind), ""
        if rule in rules.COUNTERS or rule == "set" or rule in rules.CLAIMING:
            state = rules.canonical_state(rule, self.raw_state(rule, kind))
        if rule in rules.COUNTERS:
            value = rules.counted(rules.counter_state(state))[0]
        if rule == "set":
            value = rules.collected(rules.set_state(state)[0])[0]
        if rule == "keepBoth":
            siblings = rules.decided_state(state)[1]
            if siblings:
                origin = max(siblings)
                value, stamp = siblings[origin][0], max(stamp, self.stamp(0))
        return rules.Field((spaceless(value), None), stamp, origin, spaceless(state))

    def record(self, rule, kind, deleted=15):
        record = rules.Record()
        record.names = {"id": quoted(ID), "table": quoted("item")}
        record.epoch, record.number, record.author = quoted(EPOCH), 4 + self.dice.below(2), "ben"
        if not self.dice.chance(8):
            record.fields["x"] = self.field(rule, kind)
        if self.dice.chance(20):
            record.fields["y"] = self.field("latest", "text")
        if self.dice.chance(deleted):
            record.deleted = self.stamp(0)
        return record.written()

    def over(self, fields):
        """What the writer had seen: the field as it is, something else, or nothing."""
        if "x" in fields and self.dice.chance(50):
            stamp, origin = fields["x"].stamp, fields["x"].origin
        elif self.dice.chance(60):
            stamp = origin = self.stamp()
        else:
            return None
        parts = {"stamp": quoted(stamp)}
        if origin != stamp:
            parts["origin"] = quoted(origin)
        return protocol.written(parts)

    def change(self, rule, kind, replica, fields):
        parts = {}
        if not (rule in rules.COUNTERS or rule == "set"):
            parts["value"] = self.value(rule, kind)
        over = self.over(fields)
        if over:
            parts["over"] = over
        if rule == "text":
            parts["base"] = self.value(rule, kind)
        if rule == "keepBoth" and self.dice.chance(40):
            origins = list(rules.decided_state(fields["x"].state)[1]) if "x" in fields else []
            parts["replaces"] = "[" + ",".join(
                quoted(origin) for origin in self.some(origins + [self.stamp(0)], 60)) + "]"
        if rule != "latest":
            parts["rule"] = quoted(rule if self.dice.chance(97) else "latest")
        if rule == "set":
            inner = {"add": protocol.written({tag: quoted(self.dice.pick(ELEMENTS))
                                              for tag in self.some(TAGS, 35)}),
                     "remove": "[" + ",".join(map(quoted, self.some(TAGS, 35))) + "]"}
            parts["tags"] = protocol.written(inner)
        if rule in rules.COUNTERS:
            replicas = self.some(["0" * 16], 30) + [replica]
            parts["total"] = protocol.written({name: protocol.written(
                {"before": '["0","0"]', "after": self.total(rule)}) for name in replicas})
        return protocol.written(parts)

    def operation(self, record_rule, rule, kind, record):
        fields = rules.fields_of(read(record.encode())) if record else {}
        stamp = self.future() if self.dice.chance(8) else self.stamp()
        replica = self.dice.pick(REPLICAS) if stamp == rules.FLOOR else stamp[18:]
        parts = {"id": quoted(TAGS[0]), "schema": "1", "replica": quoted(replica)}
        if self.dice.chance(25):
            parts["epoch"] = quoted(self.dice.pick([EPOCH, "0000000000000006"]))
        parts.update({"table": quoted("item"), "record": quoted(ID), "feed": quoted("items")})
        if not record:
            parts["creates"] = "true"
        names = ["x"] + self.some(["y"], 15)
        if self.dice.chance(90):
            parts["stamps"] = protocol.written({stamp: quoted("*")})
            parts["fields"] = protocol.written({
                name: self.change(rule, kind, replica, fields) if name == "x"
                else protocol.written({"value": quoted("z")}) for name in names})
        if "fields" not in parts or self.dice.chance(6):
            parts["deleted"] = quoted(self.stamp(0))
        return protocol.written(parts)


def state_vectors(scene, rule):
    seen = set()
    for _ in range(12):
        seen.add(scene.raw_state(rule, KINDS[rule][0]))
    wrong = ["{}", "[]", "null", "5", '{"x":1}', '{"add":[]}', '{"gone":{"%s":-1}}' % TAGS[0],
             '{"%s":["1"]}' % REPLICAS[0], '{"%s":["-1","0"]}' % REPLICAS[0],
             '{"claims":["%s"],"x":null}' % scene.stamp(0), '{"claims":[5]}',
             '{"%s":["1","2","3"]}' % REPLICAS[0], '{"add":{"x":"y"}}', '{"siblings":[]}',
             '{ "add" : { "%s" : "\\u0061" } , "x" : [ ] }' % TAGS[0],
             '{"siblings":{"%s":null}}' % scene.stamp(0)]
    for raw in sorted(seen) + wrong:
        yield "state", f"{rule} {raw}", rules.canonical_state(rule, raw) or "none"


def merge_vectors(scene, rule):
    for index in range(24):
        record_rule = ["deleteWins", "editRevives"][index % 2]
        kind = scene.dice.pick(KINDS[rule])
        one, other = (scene.record(rule, kind, 40) for _ in range(2))
        nodes = [read(raw.encode()) for raw in (one, other)]
        result = rules.merged_records(record_rule, rule, *nodes)
        back = rules.merged_records(record_rule, rule, *reversed(nodes))
        assert result.content == back.content, (rule, one, other)
        again = rules.merged_records(
            record_rule, rule, read(result.written().encode()), nodes[0])
        assert again.content == result.content, (rule, one, other)
        yield "merge", f"{record_rule} {rule} {one} {other}", result.written()


def settle_vectors(scene, rule):
    for index in range(44):
        record_rule = ["deleteWins", "editRevives"][index % 2]
        kind = scene.dice.pick(KINDS[rule])
        record = None if scene.dice.chance(12) else scene.record(rule, kind)
        operation = scene.operation(record_rule, rule, kind, record)
        settling = rules.Settling(
            record_rule, rule, TIME, record and read(record.encode()), read(operation.encode()))
        given = f"{record_rule} {kind} {rule} {TIME} {record or 'null'} {operation}"
        yield "settle", given, settling.run()


def text_vectors(scene):
    hand = [
        ("a b c", "a x b c", "a b y c"), ("a b c", "a x c", "a y c"), ("a b", "a", "b"),
        ("\u4e00\u4e8c\u4e09", "\u4e00\u56db\u4e09", "\u4e00\u4e8c\u4e94"), ("", "x", "y"),
        ("a b c d", "a d", "a b z c d"), ("one two", "one  two", "one\ttwo"),
        ("a\r\nb", "a\nb", "a\r\nb c"), ("x y x y", "y x", "x y y"), ("a", "a b", "a b"),
        ("\u3000a\u9fff", "\u3000b\u9fff", "\u3000a\ua000"), ("e\u0301", "\u00e9", "e"),
    ]
    pairs = list(itertools.product(hand, ["mine", "theirs"]))
    for _ in range(40):
        pick = scene.dice.pick
        words = [[pick(["a", "b", "c", " ", " ", "\n", "\u6587"]) for _ in range(
            scene.dice.below(9))] for _ in range(3)]
        pairs.append((tuple(map("".join, words)), pick(["mine", "theirs"])))
    for phrases, last in pairs:
        given = [spaceless(quoted(phrase)) for phrase in phrases]
        yield text_vector(given, last)
    for given in (["null", '"a"', '"b"'], ['"a"', "null", '"b"'], ['"a"', '{"i":"1"}', '"b"'],
                  ['{"x":1}', '"a"', '"b"'], ["null", "null", '"b"'], ['"a"', '"b"', "null"]):
        for last in ("mine", "theirs"):
            yield text_vector(given, last)


def text_vector(given, last):
    base, mine, theirs = (protocol.value(read(raw.encode())) for raw in given)
    value, is_conflict = texts.merge(base, mine, theirs, last == "mine")
    result = f"{value[0]} {'conflict' if is_conflict else 'clean'}"
    return "text-merge", " ".join(given + [last]), result


def vectors(dice):
    scene = Scene(dice)
    for rule in protocol.RULES:
        if rule in rules.CLAIMING or rule in rules.COUNTERS or rule == "set":
            yield from state_vectors(scene, rule)
        yield from merge_vectors(scene, rule)
        yield from settle_vectors(scene, rule)
    yield from text_vectors(scene)
