"""The protocol as Documentation/Protocol.md has it, in Python: reading, canonical form, refusals.

It shares no code with the product, so that the golden vectors (Tools/vectors.py) are a second
opinion. Where the two differ, the page decides which of them is wrong.
"""
import base64
import hashlib
import struct
import uuid

from golden.strict import (
    Reader, Refused, in_order, malformed, quoted, read, too_large)

LIMITS = {
    "request": 8 << 20, "answer": 16 << 20, "operation": 2 << 20, "record": 4 << 20,
    "text": 256 << 10, "name": 128, "label": 1024, "feeds": 1000,
}
KEPT_DEPTH = 16
SAFE = (1 << 53) - 1
LATEST_STAMP = (1 << 47) + (1 << 32)


# Section 3: parts.

def of_kind(node, kind):
    if node.kind != kind:
        malformed()
    return node.value


def token(node):
    """A text that needs no escapes and must have none."""
    text = of_kind(node, "text")
    if node.text[1:-1] != text:
        malformed()
    return text


def token_name(name):
    if not name.plain:
        malformed()
    return name


def whole(node, negative=False):
    raw = of_kind(node, "number")
    number = raw[1:] if raw.startswith("-") else raw
    if not number.isdigit() or raw == "-0" or len(number) > 16 or int(number) > SAFE:
        malformed()
    if raw.startswith("-") and not negative:
        malformed()
    return raw


def time(node):
    return whole(node, negative=True)


def name(node):
    text = of_kind(node, "text")
    return name_text(text)


def name_text(text):
    if not text:
        malformed()
    if len(text.encode()) > LIMITS["name"]:
        too_large("name")
    return quoted(text)


def label(node):
    text = of_kind(node, "text")
    if len(text.encode()) > LIMITS["label"]:
        too_large("label")
    return quoted(text)


def text(node):
    return quoted(of_kind(node, "text"))


def hexadecimal(text, groups):
    """Whether a text is lower-case digits in groups of these lengths, parted by hyphens."""
    parts = text.split("-")
    return [len(part) for part in parts] == groups and all(
        c in "0123456789abcdef" for part in parts for c in part)


def identifier(node):
    text = token(node)
    if not hexadecimal(text, [8, 4, 4, 4, 12]):
        malformed()
    return quoted(text)


def digits_text(text):
    if not hexadecimal(text, [16]):
        malformed()
    return quoted(text)


def digits(node):
    return digits_text(token(node))


def revision(node):
    items = of_kind(node, "array")
    if len(items) != 2:
        malformed()
    return f"[{digits(items[0])},{whole(items[1])}]"


def stamp_text(text):
    if not hexadecimal(text, [12, 4, 16]) or int(text[:12], 16) > LATEST_STAMP:
        malformed()
    return text


def stamp(node):
    return quoted(stamp_text(token(node)))


def stamps_by_name(node, fields):
    """The stamp of each field; `fields` are all the names that are at hand."""
    result = {}
    members = of_kind(node, "object")
    for key, names in members:
        stamp_text(token_name(key))
        if names.kind == "text":
            if token(names) != "*" or len(members) > 1:
                malformed()
            return {field: key for field in fields}
        for item in of_kind(names, "array"):
            field = of_kind(item, "text")
            if field in result or field not in fields:
                malformed()
            result[field] = key
    return result


def stamps(by_name, fields):
    """Stamps in canonical form."""
    values = set(by_name.values())
    if len(values) == 1 and len(by_name) == len(fields):
        return "{" + quoted(values.pop()) + ':"*"}'
    parts = []
    for value in sorted(values):
        names = in_order(field for field in by_name if by_name[field] == value)
        parts.append(quoted(value) + ":[" + ",".join(map(quoted, names)) + "]")
    return "{" + ",".join(parts) + "}"


def whole_of_text(node):
    text = token(node)
    number = text[1:] if text.startswith("-") else text
    if not number.isascii() or not number.isdigit() or len(number) > 19 or str(int(text)) != text:
        malformed()
    if not -(1 << 63) <= int(text) < 1 << 63:
        malformed()
    return int(text)


def double(raw):
    """The nearest double of a number of JSON."""
    number = float(raw)
    if number in (float("inf"), float("-inf")):
        malformed()
    return number + 0.0 if number else 0.0


def double_text(number):
    """A double as ECMAScript writes it."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    before, _, after = mantissa.partition(".")
    point = len(before) + int(exponent or 0)
    all_digits = before + after
    point -= len(all_digits) - len(all_digits.lstrip("0"))
    all_digits = all_digits.strip("0")
    count = len(all_digits)
    if count <= point <= 21:
        return sign + all_digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + all_digits[:point] + "." + all_digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + all_digits
    rest = "." + all_digits[1:] if count > 1 else ""
    return f"{sign}{all_digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def bounded(data):
    if len(data) > LIMITS["text"]:
        too_large("text")
    return data


def value(node):
    """A value: its canonical form and its canonical bytes."""
    if node.kind == "null":
        return "null", b"\0"
    if node.kind == "boolean":
        return ("true", b"\1\1") if node.value else ("false", b"\1\0")
    if node.kind == "text":
        return quoted(node.value), b"\4" + bounded(node.value.encode())
    if node.kind == "array":
        texts = [of_kind(item, "text") for item in node.value]
        parts = [bounded(item.encode()) for item in texts]
        return ("[" + ",".join(map(quoted, texts)) + "]",
                b"\7" + b"".join(struct.pack(">I", len(part)) + part for part in parts))
    members = of_kind(node, "object")
    if len(members) != 1:
        malformed()
    kind, inner = members[0]
    if kind == "i":
        number = whole_of_text(inner)
        return '{"i":"%d"}' % number, b"\2" + struct.pack(">q", number)
    if kind == "t":
        number = whole_of_text(inner)
        return '{"t":"%d"}' % number, b"\6" + struct.pack(">q", number)
    if kind == "d":
        number = double(of_kind(inner, "number"))
        return '{"d":%s}' % double_text(number), b"\3" + struct.pack(">d", number)
    if kind == "b":
        data = unpacked(token(inner))
        return '{"b":"%s"}' % packed(data), b"\5" + bounded(data)
    if node.depth > KEPT_DEPTH:
        too_large("depth")
    return node.text, b"\xff" + bounded(node.text.encode())


def packed(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unpacked(characters):
    try:
        data = base64.urlsafe_b64decode(characters + "=" * (-len(characters) % 4))
    except ValueError:
        malformed()
    if packed(data) != characters:
        malformed()
    return data


# Sections 4 to 6: messages. A form is a list of (member, whether it must be there, how it is read);
# reading gives the canonical form, or None for what is left out.

def form(node, members):
    """The members of an object in canonical form, by name."""
    given = dict(of_kind(node, "object"))
    result = {}
    for key, needed, how in members:
        if key in given:
            result[key] = how(given[key])
        elif needed:
            malformed()
    return {key: written for key, written in result.items() if written is not None}


def written(parts):
    return "{" + ",".join(f"{quoted(key)}:{part}" for key, part in parts.items()) + "}"


def or_null(how):
    return lambda node: None if node.kind == "null" else how(node)


def unless(default, how):
    def read_it(node):
        result = how(node)
        return None if result == default else result
    return read_it


def flag(node):
    return "true" if of_kind(node, "boolean") else None


def array(how, keep_empty=False, limit=None):
    def read_it(node):
        items = of_kind(node, "array")
        if limit and len(items) > LIMITS[limit]:
            too_large(limit)
        if not items and not keep_empty:
            return None
        return "[" + ",".join(how(item) for item in items) + "]"
    return read_it


def shape(members):
    return lambda node: written(form(node, members))


def kept(node):
    if node.depth > KEPT_DEPTH:
        too_large("depth")
    return node.text


def over(node):
    parts = form(node, [("stamp", True, stamp), ("origin", False, stamp)])
    if parts.get("origin") == parts["stamp"]:
        del parts["origin"]
    return written(parts)


RULES = ["latest", "maximum", "minimum", "growOnlyCounter", "counter", "set", "text",
         "serverWins", "clientWins", "keepBoth"]


def rule(node):
    """The name of a rule; one that is not known stands as it is."""
    written = kept(node)
    return None if written == '"latest"' else written


def stamp_list(node):
    return [stamp_text(token(item)) for item in of_kind(node, "array")]


def replaces(node):
    return "[" + ",".join(map(quoted, sorted(stamp_list(node)))) + "]"


def total(node):
    """A total: what was added and what was taken away."""
    items = [whole_of_text(item) for item in of_kind(node, "array")]
    if len(items) != 2 or min(items) < 0:
        malformed()
    return '["%d","%d"]' % tuple(items)


def shares(node):
    members = {digits_text(token_name(key)): item for key, item in of_kind(node, "object")}
    inner = [("before", True, total), ("after", True, total)]
    return "{" + ",".join(f"{key}:{written(form(members[key], inner))}"
                          for key in sorted(members)) + "}"


def tag_text(name):
    if not hexadecimal(token_name(name), [8, 4, 4, 4, 12]):
        malformed()
    return name


def additions(node):
    members = {tag_text(key): of_kind(item, "text") for key, item in of_kind(node, "object")}
    for element in members.values():
        bounded(element.encode())
    return written({key: quoted(members[key]) for key in sorted(members)}) if members else None


def removals(node):
    tags = sorted(identifier(item) for item in of_kind(node, "array"))
    return "[" + ",".join(tags) + "]" if tags else None


def tags(node):
    return written(form(node, [("add", False, additions), ("remove", False, removals)]))


def change(node):
    parts = form(node, [
        ("value", False, lambda item: value(item)[0]), ("over", False, or_null(over)),
        ("base", False, lambda item: value(item)[0]), ("replaces", False, replaces),
        ("rule", False, rule), ("tags", False, tags), ("total", False, shares)])
    if sum(key in parts for key in ("replaces", "tags", "total")) > 1:
        malformed()
    if "value" not in parts and "tags" not in parts and "total" not in parts:
        malformed()
    if parts.get("value") == "null" and ("tags" in parts or "total" in parts):
        del parts["value"]
    return written(parts)


def fields_of(given, how):
    """The fields of a record or operation in canonical form, and their stamps by name."""
    names = [key for key, _ in of_kind(given["fields"], "object")] if "fields" in given else []
    for key in names:
        name_text(key)
    by_name = stamps_by_name(given["stamps"], names) if "stamps" in given else {}
    if len(by_name) < len(names):
        malformed()
    inner = {key: how(item) for key, item in given["fields"].value} if names else {}
    return names, by_name, {key: inner[key] for key in in_order(names)}


RECORD = ["id", "table", "revision", "author", "stamps", "origins", "fields", "state", "deleted"]


def record(node):
    given = dict(of_kind(node, "object"))
    parts = form(node, [
        ("id", True, identifier), ("table", True, name), ("revision", True, revision),
        ("author", False, unless('""', text))])
    names, by_name, inner = fields_of(given, lambda item: value(item)[0])
    if names:
        parts["stamps"] = stamps(by_name, names)
        origins = stamps_by_name(given["origins"], names) if "origins" in given else {}
        foreign = {key: origin for key, origin in origins.items() if origin != by_name[key]}
        if foreign:
            parts["origins"] = stamps(foreign, names)
        parts["fields"] = written(inner)
    elif "origins" in given:
        stamps_by_name(given["origins"], names)
    if "state" in given:
        state = {key: kept(item) for key, item in of_kind(given["state"], "object")}
        if any(key not in names for key in state):
            malformed()
        if state:
            parts["state"] = written({key: state[key] for key in in_order(state)})
    if "deleted" in given:
        parts["deleted"] = stamp(given["deleted"])
    for key in in_order(key for key in given if key not in RECORD):
        parts[key] = kept(given[key])
    return written(parts)


def needed(node):
    items = of_kind(node, "array")
    if len(items) != 2:
        malformed()
    return f"[{name(items[0])},{identifier(items[1])}]"


def operation(node):
    given = dict(of_kind(node, "object"))
    parts = form(node, [
        ("id", True, identifier), ("schema", True, whole), ("replica", True, digits),
        ("epoch", False, or_null(digits)), ("base", False, or_null(revision)),
        ("table", True, name), ("record", True, identifier), ("feed", True, name),
        ("creates", False, flag), ("revives", False, stamp)])
    names, by_name, inner = fields_of(given, change)
    if names:
        parts["stamps"] = stamps(by_name, names)
        parts["fields"] = written(inner)
    parts.update(form(node, [("deleted", False, stamp), ("needs", False, array(needed)),
                             ("declares", False, array(text))]))
    return written(parts)


def frozen(node):
    """An operation in a request keeps its bytes."""
    operation(node)
    return node.text


def request(node):
    feed = shape([("feed", True, name), ("grant", False, or_null(whole)),
                  ("cursor", False, or_null(whole)), ("reset", False, or_null(whole))])
    limit = {"bytes": "1048576", "records": "10000"}
    parts = form(node, [
        ("protocol", True, whole),
        ("schema", True, shape([("name", True, name), ("version", True, whole),
                                ("hash", True, digits)])),
        ("build", True, label), ("owner", True, label), ("replica", True, digits),
        ("replicas", False, array(digits)), ("device", True, label), ("number", True, whole),
        ("nonce", True, identifier), ("epoch", False, or_null(digits)), ("time", True, time)])
    given = dict(node.value)
    if "limit" in given:
        limit.update(form(given["limit"], [("bytes", False, whole), ("records", False, whole)]))
    parts["limit"] = written(limit)
    parts.update(form(node, [
        ("feeds", False, array(feed, limit="feeds")),
        ("offers", False, array(shape([("id", True, identifier), ("record", True, record)]))),
        ("again", False, array(identifier)), ("operations", False, array(frozen))]))
    return written(parts)


def by_feed(node):
    heads = {key: whole(item) for key, item in of_kind(node, "object")}
    for key in heads:
        name_text(key)
    return written({key: heads[key] for key in in_order(heads)}) if heads else None


def devices(node):
    names = {key: text(item) for key, item in of_kind(node, "object")}
    for key in names:
        digits_text(token_name(key))
    return written(names) if names else None


def settled_stamps(node):
    settled = {key: stamp(item) for key, item in of_kind(node, "object")}
    for key in settled:
        name_text(key)
    return written({key: settled[key] for key in in_order(settled)}) if settled else None


REASONS = {
    "rejected": ["gone", "feed", "mismatch", "rule", "kind", "tooLarge", "expired", "late",
                 "taken", "invalid", "forbidden", "other"],
    "later": ["needs", "reset", "offers", "unavailable"],
}


def verdict(node):
    parts = form(node, [
        ("id", True, identifier), ("verdict", True, token), ("code", False, text),
        ("message", False, unless('""', text)), ("after", False, unless("0", whole)),
        ("revision", False, or_null(revision)), ("stamps", False, settled_stamps),
        ("deleted", False, stamp), ("record", False, record),
        ("holder", False, identifier)])
    kind = parts["verdict"]
    parts["verdict"] = quoted(kind)
    if kind in REASONS:
        if "code" not in parts:
            malformed()
        if parts["code"][1:-1] not in REASONS[kind]:
            parts["code"] = quoted(REASONS[kind][-1])
    elif kind in ("applied", "duplicate"):
        parts.pop("code", None)
    else:
        malformed()
    if kind != "rejected":
        parts.pop("message", None)
    if kind != "later":
        parts.pop("after", None)
    return written(parts)


def page(node):
    parts = form(node, [("feed", True, name), ("grant", True, whole),
                        ("cursor", False, or_null(whole))])
    fence = form(node, [("fence", False, whole)])
    parts["fence"] = fence.get("fence", "0")
    parts.update(form(node, [
        ("records", False, array(record)), ("more", False, flag),
        ("reset", False, or_null(whole)), ("revoked", False, or_null(text))]))
    return written(parts)


def answer(node):
    ancestor = shape([("epoch", True, digits), ("ended", True, time), ("heads", False, by_feed)])
    return written(form(node, [
        ("protocol", True, whole), ("epoch", True, digits), ("time", True, time),
        ("nonce", True, identifier), ("ancestry", False, array(ancestor)),
        ("renew", False, array(record, keep_empty=True)), ("verdicts", False, array(verdict)),
        ("feeds", False, array(page)), ("devices", False, devices)]))


# Section 8: how a reader comes to its end.

def message(raw, limit, how):
    if len(raw) > LIMITS[limit]:
        too_large(limit)
    start = raw.lstrip(b" \t\n\r")
    if not start:
        malformed()
    if not start.startswith(b"{"):
        raise Refused("notOurs")
    try:
        reader = Reader(raw.decode("utf-8"))
    except UnicodeDecodeError:
        malformed()
    reader.space()
    seen = set()
    for key, item in reader.members():
        seen.add(key)
        if key == "protocol":
            if not item.text[0].isdigit():
                raise Refused("notOurs")
            if whole(item) != "1":
                raise Refused("unsupportedProtocol " + item.value)
            return how(read(raw))
    if len(list(Reader(raw.decode("utf-8")).members())) > len(seen):
        malformed()
    raise Refused("notOurs")


# Sections 3 and 5: hashes.

def derived_id(namespace, data):
    digest = hashlib.sha256(namespace.encode() + b"\0" + data).digest()
    number = int.from_bytes(digest[:16], "big")
    number = number & ~(0xF << 76) | 8 << 76
    number = number & ~(3 << 62) | 2 << 62
    return str(uuid.UUID(int=number))


def key_id(feed, table, values):
    """What stands for a unique key: `values` are pairs of a field's name and its JSON."""
    data = feed.encode() + b"\0" + table.encode() + b"\0"
    for field, json in sorted(values, key=lambda pair: pair[0].encode()):
        canonical = value(read(json.encode()))[1]
        if canonical == b"\0":
            return "none"
        data += field.encode() + b"\0" + struct.pack(">I", len(canonical)) + canonical
    return derived_id("commute.key", data)


def schema_hash(lines):
    """The hash of tables given as lines in any order."""
    tables = {}
    for line in lines:
        words = line.split()
        if words[0] == "table":
            tables[words[1]] = [line]
            current = words[1]
        else:
            tables[current].append(line)
    ordered = []
    for key in in_order(tables):
        by_kind = {kind: [line for line in tables[key][1:] if line.split()[0] == kind]
                   for kind in ("field", "reference", "unique")}
        for kind in ("field", "reference"):
            by_kind[kind].sort(key=lambda line: line.split()[1].encode())
        keys = [in_order(line.split()[2:]) + [line.split()[1]] for line in by_kind["unique"]]
        keys.sort(key=lambda key: [name.encode() for name in key[:-1]])
        ordered += [tables[key][0]] + by_kind["field"] + by_kind["reference"]
        ordered += [" ".join(["unique", key[-1]] + key[:-1]) for key in keys]
    text = "".join(line + "\n" for line in ordered)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
