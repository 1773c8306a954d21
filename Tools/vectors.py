#!/usr/bin/env python3
"""Makes the golden vectors.

usage: vectors.py [FOLDER]

Writes FOLDER/*.txt, by default Tests/Vectors. What is expected comes from golden/protocol.py and
Python's own arithmetic, never from the product.
"""
import fractions
import hashlib
import pathlib
import struct
import sys

from golden import messages, protocol, scenes
from golden.strict import Refused, quoted, read


class Dice:
    """The same random numbers everywhere (SplitMix64)."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        mixed = self.state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & mask
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & mask
        return mixed ^ mixed >> 31

    def below(self, count):
        return self.bits() % count

    def pick(self, items):
        return items[self.below(len(items))]

    def chance(self, percent):
        return self.below(100) < percent


def outcome(how, *arguments):
    """What comes out, or that it is refused."""
    try:
        return how(*arguments)
    except Refused as refusal:
        return f"refused {refusal}"


# Stamps.

REPLICA = "00000000000000a1"
STAMP = f"018bcfe56800-0000-{REPLICA}"


def stamp_result(text):
    protocol.stamp_text(text)
    return " ".join(str(int(part, 16)) for part in text.split("-"))


def sign(left, right):
    return "<" if left < right else ">" if left > right else "="


def stamp_vectors():
    texts = [
        "000000000000-0000-0000000000000000", "000000000000-0000-0000000000000001",
        "000000000000-0001-0000000000000000", "000000000001-0000-0000000000000000",
        "018bcfe56800-0000-00000000000000a1", "018bcfe56800-0000-ff000000000000a1",
        "018bcfe56800-0001-00000000000000a1", "018bcfe56800-ffff-00000000000000a1",
        "018bcfe56801-0000-00000000000000a0", "7fffffffffff-ffff-7fffffffffffffff",
        "800000000000-0000-8000000000000000", "800100000000-ffff-ffffffffffffffff",
    ]
    for text in texts:
        yield "stamp", text, stamp_result(text)
    wrong = [
        "", "018bcfe56800", "018BCFE56800-0000-00000000000000a1", STAMP[:-1], STAMP + "0",
        STAMP.replace("-", "_"), STAMP.replace("a1", "g1"), STAMP.replace("a1", " 1"),
        "800100000001-0000-0000000000000000", "ffffffffffff-ffff-ffffffffffffffff",
        "018bcfe5680-00000-00000000000000a1", "018bcfe56800-000:-00000000000000a1",
        "018bcfe56800-0000-00000000000000\u00e91", "018bcfe56800-000`-00000000000000a1",
    ]
    for text in wrong:
        yield "stamp", text, outcome(stamp_result, text)
    for left in texts:
        for right in texts:
            yield "stamp-order", f"{left} {right}", sign(left, right)


# Values.

def value_texts():
    """Values in canonical form, without spaces."""
    yield from ["null", "true", "false"]
    for number in [0, 1, -1, 9, -10, 2**31, -2**31 - 1, 2**53, 2**53 + 1, 2**63 - 1, -2**63]:
        yield '{"i":"%d"}' % number
    for number in ["0", "1.5", "-1.5", "1e-7", "1e+21", "5e-324", "1.7976931348623157e+308"]:
        yield '{"d":%s}' % number
    for text in ["", "a", "ab", "b", "\u00e9", "e\u0301", "\u0301", "\U0001f600", "\u2028",
                 "\u007f", "\ufeff", "\uffff", '"', "\\", "/", "\u0001\b\t\n\f\r\u001f"]:
        yield quoted(text)
    for data in [b"", b"\0", b"\0\0", b"\xfb\xff", b"\xff\xff\xff", b"Commute"]:
        yield '{"b":"%s"}' % protocol.packed(data)
    for number in [0, 1_700_000_000_000, -62_135_596_800_000, 2**63 - 1]:
        yield '{"t":"%d"}' % number
    yield from ["[]", '[""]', '["",""]', '["a"]', '["a","b"]', '["ab"]', '["\u00e9","e\u0301"]']
    yield from ['{"x":1}', '{"ii":"5"}', '{"x":{"y":[1,2.50,null]}}', '{"":0}']


def value_vectors():
    values = list(value_texts())
    for value in values:
        canonical, data = protocol.value(read(value.encode()))
        assert canonical == value, value
        yield "canonical", value, data.hex()
    for index, left in enumerate(values):
        for right in (values[index], values[(index * 7 + 3) % len(values)], values[-1 - index]):
            order = [protocol.value(read(side.encode()))[1] for side in (left, right)]
            yield "value-order", f"{left} {right}", sign(*order)
    for value in value_forms():
        yield "value", value, outcome(lambda raw: protocol.value(read(raw.encode()))[0], value)
    stamps = [STAMP, STAMP.replace("-0000-", "-0001-"), "000000000000-0000-0000000000000000"]
    pairs = [('"a"', '"b"'), ('"\u00e9"', '"e\u0301"'), ('{"i":"-1"}', '{"i":"1"}'),
             ('{"d":2}', '{"i":"3"}'), ("null", "false"), ('"same"', '"same"'), ('["a"]', '"a"'),
             ('{"d":0}', '{"d":-0}'), ('{"t":"5"}', '{"i":"5"}')]
    for left, right in pairs:
        for first in stamps:
            for second in stamps:
                one = (first, protocol.value(read(left.encode()))[1])
                two = (second, protocol.value(read(right.encode()))[1])
                word = {"<": "second", ">": "first", "=": "same"}[sign(one, two)]
                yield "winner", f"{first} {left} {second} {right}", word


def value_forms():
    """Values that are not in canonical form, and values that are none."""
    yield from [
        '"\\u007f\\u0080\\u07ff\\u0800\\uFFFF"', '"\\ud800\\udc00\\uDBFF\\uDFFF"',
        ' { "i" : "5" } ', '{"\\u0069":"5"}', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\/"',
        '"\\u001F"', '{"d":-0}', '{"d":-0.0e5}', '{"d":100}', '{"d":1E2}', '{"d":0.1e1}',
        '{"d":1e-400}', '[ "a" , "b" ]', '{"x": 1 }', '{ "x":[ ]}', '{"\\u0078":1}',
        '{"d":123456789012345678901234567890}', '{"d":0.000001}', '{"d":0.0000001}',
    ]
    nested = '{"x":' + "[" * 15 + "]" * 15 + "}"
    yield from [nested, '{"x":' + "[" * 16 + "]" * 16 + "}"]
    yield from [
        "", " ", "1", "-1", "nul", "tru", "nullx", "null null", "{}", '{"i":5}', '{"i":"05"}',
        '{"i":"-0"}', '{"i":"+5"}', '{"i":" 5"}', '{"i":""}', '{"i":"-"}', '{"i":"1e3"}',
        '{"i":"9223372036854775808"}', '{"i":"-9223372036854775809"}', '{"i":"5","x":1}',
        '{"i":"\u0665"}', '{"i":"\\u0035"}', '{"t":5}', '{"t":"1.5"}', '{"d":"1.5"}', '{"d":1e400}',
        '{"d":-1e309}', '{"d":NaN}', '{"d":Infinity}', '{"d":01}', '{"d":1.}', '{"d":.5}',
        '{"d":1e}', '{"d":+1}', '{"d":0x1}', '{"d":1e+}', '{"d":-}', '{"b":"AQ=="}', '{"b":"AR"}',
        '{"b":"A"}', '{"b":"A+"}', '{"b":"AQ I"}', '{"b":5}', '["a",1]', '["a",null]', '["a",]',
        "[,]", '["a"', '{"x":1,"x":2}', '{"x":1,"y":2}', '{"x":1', '{"x"}', '{"x":}', '{x:1}',
        "'a'", '"a', '"\\x"', '"\\u12"', '"\\u12g4"', '"\\ud800"', '"\\udc00"', '"\\ud800\\u0041"',
        '"\\ud800\\ud800"', '"\\ude00\\ud83d"', '"\\u0000"', '"a\\u0000b"', '"\u0001"', '"\u001f"',
        '{"x":{"y":1,"y":2}}', '{"x":{"y":1,"\\u0079":2}}', '{"x":[1,2,]}', '{"x":01}',
        '{"x":"\\ud800"}', '{"x":tru}', '{"x":1}}', '"a" "b"', "\ufeffnull", '{"x":-01}',
        '{"x":1.5.5}', '{"x":"\u0002"}', "[[]]", '[["a"]]', '{"i":null}', "undefined",
    ]


# Numbers.

def bits_of(number):
    return struct.pack(">d", number).hex()


def double_of(bits):
    return struct.unpack(">d", struct.pack(">Q", bits))[0]


def exact(number):
    """All digits of a fraction whose denominator is a power of two."""
    power = number.denominator.bit_length() - 1
    digits = str(number.numerator * 5**power).rjust(power + 1, "0")
    return digits[:-power] + "." + digits[-power:] if power else digits


def halfway(bits):
    """The decimal fraction that lies in the middle of a double and the next greater one."""
    low = fractions.Fraction(double_of(bits))
    return exact((low + fractions.Fraction(double_of(bits + 1))) / 2)


def decimal_texts(dice):
    yield from [
        "0", "-0", "0.0", "1", "-1", "0.1", "0.2", "0.3", "3.14159", "1e0", "1E+2", "1e-2", "100",
        "123456789", "9007199254740991", "9007199254740992", "9007199254740993",
        "9007199254740995", "18014398509481985", "1e22", "1e23", "8.5e22", "1e-22", "1e-23",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "179769313486231580793e289", "2.2250738585072014e-308", "2.2250738585072011e-308",
        "2.225073858507201e-308", "4.9406564584124654e-324", "5e-324", "3e-324", "2e-324",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400", "-1e-400", "1e400",
        "1e308", "1e309", "-1e309", "0e999999999999", "0.0e-999999999999",
        "1e-999999999999", "1e999999999999", "6.02214076e23", "0.000001", "0.0000001",
        "1" + "0" * 400, "0." + "0" * 400 + "1", "1" + "0" * 400 + "e-400",
        "0." + "0" * 400 + "1e401", "0." + "0" * 330 + "1e330", "9" * 800, "9" * 309,
        "1" + "0" * 800 + "1e-801", "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.00000000000000033306690738754696212708950042724609375",
    ]
    for exponent in range(-30, 31, 3):
        yield f"{1 + dice.below(1 << 53)}e{exponent}"
    for exponent in range(-342, 311, 17):
        yield f"{dice.bits()}e{exponent - 19}"
    for bits in [0, 1, 2, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x3FF0000000000000,
                 0x4340000000000000, 0x433FFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFE]:
        middle = halfway(bits)
        yield middle
        yield middle + ("1" if "." in middle else ".0000000001")
        yield middle[:-1] + str(int(middle[-1]) - 1) + "9"
    for _ in range(30):
        bits = (0x3FF0 + dice.below(64)) << 48 | dice.bits() >> 16
        middle = halfway(bits)
        yield dice.pick([middle, middle + "0" * 30 + "1", middle[:-1] + "49"])


def number_vectors():
    dice = Dice(2)
    for number in decimal_texts(dice):
        yield "double", number, outcome(lambda raw: bits_of(protocol.double(raw)), number)
    shown = [0, 0x8000000000000000, 1, 2, 0x000FFFFFFFFFFFFF, 0x0010000000000000,
             0x7FEFFFFFFFFFFFFF, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FB999999999999A]
    for text in ["1e20", "1e21", "1e22", "123456789012345680000", "1234567890123456800000", "1e-6",
                 "1e-7", "0.000001234", "1.5e-7", "100", "1e16", "1e15", "12345.678", "0.5",
                 "9007199254740993", "18014398509481984", "36028797018963970", "4.35", "1e23",
                 "2e-44", "1e300", "5e-5"]:
        shown.append(int(bits_of(float(text)), 16))
    shown += [int(bits_of(-float(text)), 16) for text in ["1.5", "1e-7", "1e21"]]
    for _ in range(120):
        bits = dice.bits()
        if bits >> 52 & 0x7FF == 0x7FF:
            bits ^= 1 << 60
        shown.append(bits)
    for exponent in range(-24, 25):
        shown.append(int(bits_of(float(f"{1 + dice.below(10**6)}e{exponent}")), 16))
    for bits in shown:
        yield "double-text", "%016x" % bits, protocol.double_text(double_of(bits))


# Identifiers and hashes.

def identifier_vectors():
    dice = Dice(3)
    blocks = [b"", b"abc", b"a" * 55, b"a" * 56, b"a" * 63, b"a" * 64, b"a" * 65, b"a" * 119,
              b"a" * 120, bytes(range(256)), b"\xff" * 1000]
    blocks += [bytes(dice.below(256) for _ in range(dice.below(300))) for _ in range(12)]
    for block in blocks:
        yield "sha256", block.hex(), hashlib.sha256(block).hexdigest()
    for namespace in ["commute.book.isbn", "commute.book.title", "", "b\u00fccher", "x"]:
        for data in [b"", b"\0", b"9780141439518", "Jane Austen\0Emma".encode(), b"\xff" * 70]:
            yield ("derived-id", f"{namespace} {data.hex()}",
                   protocol.derived_id(namespace, data))
    schemas = [
        ["table book deleteWins", "field title text latest", "field rating integer? latest"],
        ["table book deleteWins", "field rating integer? latest", "field title text latest"],
        ["table b deleteWins", "field x text latest", "table a deleteWins",
         "field y bytes? latest"],
        ["table all deleteWins"] + [f"field f_{kind} {kind} latest" for kind in (
            "boolean", "integer", "double", "text", "bytes", "instant", "list")],
        ["table empty deleteWins"],
        ["table Z deleteWins", "field b text latest", "field B text latest", "field a text latest",
         "table a deleteWins", "table aa deleteWins"],
        ["table item deleteWins", "field shelf bytes? latest", "field list bytes serverWins",
         "reference shelf shelf nullify", "reference list list cascade", "table list deleteWins"],
        ["table item deleteWins", "field list bytes latest", "reference list list keep"],
        ["table tag editRevives", "field name text latest", "field code integer? clientWins",
         "unique sameRecord place name", "unique first code", "field place text latest"],
    ]
    for lines in schemas:
        yield "schema-hash", ";".join(lines), protocol.schema_hash(lines)
    keys = [
        ("todos", "tag", [("name", '"home"')]), ("todos", "tag", [("name", '"Home"')]),
        ("todo", "stag", [("name", '"home"')]), ("todos", "tag", [("name", '""')]),
        ("conversation/42", "member", [("user", '"ada"'), ("role", '{"i":"1"}')]),
        ("conversation/42", "member", [("role", '{"i":"1"}'), ("user", '"ada"')]),
        ("b\u00fccher", "b", [("isbn", '{"b":"AQI"}'), ("at", '{"t":"5"}'), ("on", "true")]),
        ("books", "book", [("title", '"Emma"'), ("isbn", "null")]),
        ("books", "book", [("tags", '["a","b"]'), ("tagsa", '{"d":1.5}')]),
    ]
    for feed, table, values in keys:
        words = [feed, table] + [word for pair in values for word in pair]
        yield "key-id", " ".join(words), protocol.key_id(feed, table, values)


def write(folder, name, title, vectors):
    lines = [f"# {title} Made by Tools/vectors.py."]
    for parts in vectors:
        assert all("\t" not in part and "\n" not in part for part in parts), parts
        lines.append("\t".join(parts))
    text = "\n".join(lines) + "\n"
    (folder / name).write_bytes(text.encode("utf-8"))
    return len(lines) - 1


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "Tests/Vectors")
    count = 0
    for name, title, vectors in [
        ("stamps.txt", "Stamps: form and order.", stamp_vectors()),
        ("values.txt", "Values: canonical bytes, form, order, who wins.", value_vectors()),
        ("numbers.txt", "Doubles: read exactly, written shortest.", number_vectors()),
        ("identifiers.txt", "Derived ids and hashes.", identifier_vectors()),
        ("messages.txt", "Messages: any form in, canonical form out.", messages.accepted(Dice(4))),
        ("refused.txt", "Messages that must be refused.", messages.refused()),
        ("rules.txt", "Rules: state, copies, changes that settle.", scenes.vectors(Dice(5))),
    ]:
        count += write(folder, name, title, vectors)
    print(f"vectors: {count} in {folder}")


if __name__ == "__main__":
    main()
