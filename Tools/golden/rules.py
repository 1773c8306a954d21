"""Section 9 of Documentation/Protocol.md in Python: fields, their state, and how changes settle.

Like protocol.py it shares no code with the product.
"""
import struct

from golden import protocol, texts
from golden.strict import Refused, in_order, quoted, read

FLOOR = "000000000000-0000-0000000000000000"
SEED = "0" * 16
SERVER = "00000000000000f0"
USER = "ada"
COUNTERS = ("counter", "growOnlyCounter")
CLAIMING = ("text", "clientWins", "keepBoth")
BIG = 1 << 63


def replica_of(stamp):
    return stamp[18:]


def integer(number):
    return protocol.value(read(b'{"i":"%d"}' % number))


class Field:
    """A field: its value (canonical form and bytes), stamp, origin, and state as it stands."""

    def __init__(self, value, stamp, origin=None, state=""):
        self.value, self.stamp, self.origin, self.state = value, stamp, origin or stamp, state

    @property
    def parts(self):
        return self.value, self.stamp, self.origin, self.state

    @property
    def is_seed(self):
        return self.origin == FLOOR


# The state of each rule: read from JSON, written canonically.

def counter_state(raw):
    """Totals by replica; nothing where it is not of the form."""
    try:
        members = protocol.of_kind(read(raw.encode()), "object") if raw else []
        totals = {}
        for name, item in members:
            protocol.digits_text(protocol.token_name(name))
            protocol.total(item)
            totals[str(name)] = tuple(int(part.value) for part in item.value)
        return totals
    except Refused:
        return {}


def write_counter(totals):
    return protocol.written({name: '["%d","%d"]' % totals[name] for name in sorted(totals)}) \
        if totals else ""


def raised(totals, replica, total):
    if replica not in totals:
        return {**totals, replica: total}
    known = totals[replica]
    if replica == SEED:
        def rank(pair):
            return integer(pair[0] - pair[1])[1], pair[0]
        return {**totals, replica: max(known, total, key=rank)}
    return {**totals, replica: (max(known[0], total[0]), max(known[1], total[1]))}


def counted(totals):
    """What a counter shows."""
    number = sum(up for up, _ in totals.values()) - sum(down for _, down in totals.values())
    return integer(min(max(number, -BIG), BIG - 1))


def set_state(raw):
    """What was added by tag, and when the rest was removed."""
    try:
        members = dict(protocol.of_kind(read(raw.encode()), "object")) if raw else {}
        added, gone = {}, {}
        if "add" in members:
            protocol.additions(members["add"])
            added = {str(tag): item.value for tag, item in members["add"].value}
        if "gone" in members:
            for tag, item in protocol.of_kind(members["gone"], "object"):
                gone[str(protocol.tag_text(tag))] = int(protocol.whole(item))
        return {tag: added[tag] for tag in added if tag not in gone}, gone
    except Refused:
        return {}, {}


def write_set(added, gone):
    parts = {}
    if added:
        parts["add"] = protocol.written({tag: quoted(added[tag]) for tag in sorted(added)})
    if gone:
        parts["gone"] = protocol.written({tag: str(gone[tag]) for tag in sorted(gone)})
    return protocol.written(parts) if parts else ""


def united(one, other):
    """Two sets of additions and removals as one."""
    gone = {tag: max(part.get(tag, 0) for part in (one[1], other[1]))
            for tag in {**one[1], **other[1]}}
    added = dict(one[0])
    for tag, element in other[0].items():
        added[tag] = max(added.get(tag, element), element, key=str.encode)
    return {tag: added[tag] for tag in added if tag not in gone}, gone


def collected(added):
    """What a set shows."""
    elements = in_order(set(added.values()))
    return protocol.value(read(("[" + ",".join(map(quoted, elements)) + "]").encode()))


def decided_state(raw):
    """The latest settled origin of each replica, and the siblings by origin."""
    try:
        members = dict(protocol.of_kind(read(raw.encode()), "object")) if raw else {}
        claims = {}
        for claim in protocol.stamp_list(members["claims"]) if "claims" in members else []:
            claims[replica_of(claim)] = max(claim, claims.get(replica_of(claim), FLOOR))
        siblings = {}
        if "siblings" in members:
            for origin, item in protocol.of_kind(members["siblings"], "object"):
                siblings[protocol.stamp_text(protocol.token_name(origin))] = protocol.value(item)
        return claims, siblings
    except Refused:
        return {}, {}


def write_decided(claims, siblings):
    parts = {}
    if claims:
        parts["claims"] = "[" + ",".join(quoted(claims[name]) for name in sorted(claims)) + "]"
    if len(siblings) > 1:
        parts["siblings"] = protocol.written(
            {origin: siblings[origin][0] for origin in sorted(siblings)})
    return protocol.written(parts) if parts else ""


def canonical_state(rule, raw):
    """A state as it is written by who knows the rule; empty for nothing."""
    if rule in COUNTERS:
        return write_counter(counter_state(raw))
    if rule == "set":
        return write_set(*set_state(raw))
    return write_decided(*decided_state(raw)) if rule in CLAIMING else ""


# The rules that are decided anywhere, and copies.

def number_of(value):
    """What `maximum` and `minimum` compare: numbers within their kind, bytes otherwise."""
    data = value[1]
    if data[0] in (2, 6):
        return struct.unpack(">q", data[1:])[0]
    return struct.unpack(">d", data[1:])[0] if data[0] == 3 else data


def chosen(one, other, rule):
    """Which of two fields stands under `maximum` or `minimum`."""
    if one.stamp == FLOOR or other.stamp == FLOOR:
        if one.stamp != other.stamp:
            return other if one.stamp == FLOOR else one
        return max(one, other, key=lambda field: (field.value[1], field.origin))
    if one.value[1] == other.value[1]:
        return max(one, other, key=lambda field: (field.stamp, field.origin))
    for first, second in ((one, other), (other, one)):
        if first.value[1] == b"\0":
            return second
    key = number_of if one.value[1][0] == other.value[1][0] else lambda value: value[1]
    pick = max if rule == "maximum" else min
    return pick(one, other, key=lambda field: key(field.value))


def later(one, other):
    """The later stamp of two fields, with its origin."""
    field = max(one, other, key=lambda field: (field.stamp, field.origin))
    return field.stamp, field.origin


def merged(one, other, rule):
    """What two copies of a field come to."""
    if rule in ("maximum", "minimum"):
        return chosen(one, other, rule)
    if rule in COUNTERS:
        totals = counter_state(one.state)
        for replica, total in counter_state(other.state).items():
            totals = raised(totals, replica, total)
        return Field(counted(totals), *later(one, other), write_counter(totals))
    if rule == "set":
        added, gone = united(set_state(one.state), set_state(other.state))
        return Field(collected(added), *later(one, other), write_set(added, gone))
    return max(one, other, key=lambda field: (
        field.stamp, field.value[1], field.origin, field.state.encode()))


def laid(change, current, rule, stamp):
    """A change laid over a field by a rule that is decided anywhere."""
    mine = Field(change.value, stamp, change.stamp)
    if rule in COUNTERS:
        totals = counter_state(current.state) if current else {}
        for replica, total in change.totals.items():
            totals = raised(totals, replica, total)
        return Field(counted(totals), *later(mine, current or mine), write_counter(totals))
    if rule == "set":
        millisecond = int(stamp[:12], 16)
        news = (change.added, {tag: millisecond for tag in change.removed})
        added, gone = united(set_state(current.state) if current else ({}, {}), news)
        return Field(collected(added), *later(mine, current or mine), write_set(added, gone))
    return merged(current, mine, rule) if current else mine


class Change:
    """A change of one field, as an operation carries it."""

    def __init__(self, node, stamp):
        members = dict(node.value)
        self.stamp = stamp
        self.value = protocol.value(members["value"]) if "value" in members else ("null", b"\0")
        self.rule = members["rule"].value if "rule" in members else "latest"
        self.base = protocol.value(members["base"]) if "base" in members else ("null", b"\0")
        self.over = self.over_origin = None
        if "over" in members:
            over = {key: item.value for key, item in members["over"].value}
            self.over, self.over_origin = over["stamp"], over.get("origin", over["stamp"])
        self.replaces = protocol.stamp_list(members["replaces"]) if "replaces" in members else []
        self.totals = {
            str(replica): tuple(int(part.value) for part in dict(share.value)["after"].value)
            for replica, share in (members["total"].value if "total" in members else [])}
        tags = dict(members["tags"].value) if "tags" in members else {}
        self.added = {str(tag): item.value for tag, item in tags["add"].value} \
            if "add" in tags else {}
        self.removed = [item.value for item in tags["remove"].value] if "remove" in tags else []

    @property
    def is_seed(self):
        return self.stamp == FLOOR

    def has_seen(self, current):
        return self.over is not None and not current.is_seed \
            and self.over_origin == current.origin

    def knows(self, current):
        return self.has_seen(current) or (
            self.over is not None and not current.is_seed and self.over >= current.stamp)


# Records.

def fields_of(node):
    """The fields of a record by name."""
    given = dict(node.value)
    names = [str(name) for name, _ in given["fields"].value] if "fields" in given else []
    stamps = protocol.stamps_by_name(given["stamps"], names) if names else {}
    origins = protocol.stamps_by_name(given["origins"], names) if "origins" in given else {}
    state = dict(given["state"].value) if "state" in given else {}
    return {
        str(name): Field(protocol.value(item), str(stamps[name]),
                         str(origins.get(name, stamps[name])),
                         state[name].text if name in state else "")
        for name, item in (given["fields"].value if names else [])}


class Record:
    """A record in the parts that rules change."""

    def __init__(self, node=None):
        given = dict(node.value) if node else {}
        self.fields = fields_of(node) if node else {}
        self.deleted = given["deleted"].value if "deleted" in given else None
        self.author = given["author"].value if "author" in given else ""
        self.head = [part for part in ("id", "table") if node]
        self.names = {part: given[part].text for part in self.head}
        self.epoch, self.number = (
            (given["revision"].value[0].text, int(given["revision"].value[1].text))
            if node else (None, 0))

    def written(self):
        parts = dict(self.names)
        parts["revision"] = f"[{self.epoch},{self.number}]"
        if self.author:
            parts["author"] = quoted(self.author)
        names = in_order(self.fields)
        if names:
            stamps = {name: self.fields[name].stamp for name in names}
            parts["stamps"] = protocol.stamps(stamps, names)
            foreign = {name: self.fields[name].origin for name in names
                       if self.fields[name].origin != stamps[name]}
            if foreign:
                parts["origins"] = protocol.stamps(foreign, names)
            parts["fields"] = protocol.written(
                {name: self.fields[name].value[0] for name in names})
            state = {name: self.fields[name].state for name in names if self.fields[name].state}
            if state:
                parts["state"] = protocol.written(state)
        if self.deleted:
            parts["deleted"] = quoted(self.deleted)
        return protocol.written(parts)

    @property
    def content(self):
        return {name: field.parts for name, field in self.fields.items()}, self.deleted

    def revive_if_edited(self):
        """Under `editRevives` a record lives if an edit is later than its deletion."""
        if self.deleted and any(min(field.stamp, field.origin) > self.deleted
                                for field in self.fields.values()):
            self.deleted = None


def merged_records(record_rule, rule, one, other):
    """What two copies of a record come to; the field `x` has the rule, others `latest`."""
    result, second = Record(one), Record(other)
    for name, field in second.fields.items():
        mine = result.fields.get(name)
        result.fields[name] = merged(mine, field, rule if name == "x" else "latest") \
            if mine else field
    deletions = [record.deleted for record in (result, second) if record.deleted]
    result.deleted = max(deletions) if deletions else None
    if record_rule == "editRevives":
        result.revive_if_edited()
    return result


# The server.

class Settling:
    """One operation as a server settles it that holds one record and has settled nothing yet."""

    def __init__(self, record_rule, rule, time, record, operation):
        self.record_rule, self.rule, self.time = record_rule, rule, time
        self.before, self.record = Record(record), Record(record)
        given = dict(operation.value)
        self.replica, self.given = given["replica"].value, given
        names = [name for name, _ in given["fields"].value] if "fields" in given else []
        stamps = protocol.stamps_by_name(given["stamps"], names) if names else {}
        self.changes = {str(name): Change(item, str(stamps[name]))
                        for name, item in (given["fields"].value if names else [])}
        self.deletes = given["deleted"].value if "deleted" in given else None
        self.epoch = given["epoch"].value if "epoch" in given else None
        self.is_new = record is None
        self.clock = 0
        self.lost = []
        if self.is_new:
            self.record.names = {"id": given["record"].text, "table": given["table"].text}
            self.record.epoch = quoted("0000000000000007")

    # The clock.

    def is_future(self, stamp):
        return int(stamp[:12], 16) > self.time + 60_000

    def new_stamp(self, *above):
        """A stamp of the server's own, above those that are not from the future."""
        for stamp in above:
            if stamp and not self.is_future(stamp):
                self.clock = max(self.clock, int(stamp[:12] + stamp[13:17], 16))
        self.clock = max(self.clock + 1, self.time << 16)
        digits = "%016x" % self.clock
        return f"{digits[:12]}-{digits[12:]}-{SERVER}"

    # The steps.

    def run(self):
        rules = {name: self.rule if name == "x" else "latest" for name in self.changes}
        if any(change.rule != rules[name] for name, change in self.changes.items()):
            return "rejected rule"
        if self.before.deleted and self.record_rule == "deleteWins":
            self.bury(rules)
        else:
            for name in in_order(self.changes):
                self.field(name, rules[name])
            if self.before.deleted:
                self.record.revive_if_edited()
                if self.record.deleted:
                    self.record.fields, self.lost = dict(self.before.fields), []
                    self.bury(rules)
        if self.deletes:
            self.record.deleted = max(self.deletes, self.record.deleted or FLOOR)
            if self.record_rule == "editRevives":
                self.record.revive_if_edited()
        return self.outcome()

    def outcome(self):
        number = self.before.number
        if self.is_new or self.record.content != self.before.content:
            number += 1
            self.record.number, self.record.author = number, USER
        written = [self.record.written()]
        for conflict in self.lost:
            number += 1
            written.append(self.conflict(number, *conflict))
        return " ".join(["applied"] + written)

    def bury(self, rules):
        """What comes to a deleted record is lost, unless its writer deleted it, too."""
        for name in in_order(self.changes):
            change = self.changes[name]
            summed = rules[name] in COUNTERS or rules[name] == "set"
            own = replica_of(change.stamp) == replica_of(self.before.deleted)
            if not (self.deletes or own or summed):
                self.lose(name, rules[name], Field(change.value, change.stamp), None, True)

    def lose(self, name, rule, lost, kept, is_own):
        if lost.is_seed:
            return
        if kept:
            if kept.origin == lost.origin or kept.value[1] == lost.value[1]:
                return
            if replica_of(kept.origin) == replica_of(lost.origin) and lost.origin < kept.origin:
                return
        self.lost.append((name, rule, lost, kept, is_own))

    def field(self, name, rule):
        change, current = self.changes[name], self.before.fields.get(name)
        if rule == "latest":
            result = self.latest(name, change, current)
        elif rule in ("maximum", "minimum", "set") or rule in COUNTERS:
            result = self.anywhere(name, rule, change, current)
        else:
            result = self.decide(name, rule, change, current)
        self.record.fields[name] = result

    def latest(self, name, change, current):
        stamp = change.stamp
        if not change.is_seed:
            if current and current.stamp != current.origin and change.stamp <= current.origin \
                    and replica_of(change.stamp) == replica_of(current.origin):
                return current
            if self.is_future(stamp):
                seen = current and (change.has_seen(current) or
                                    (change.over or FLOOR) >= current.stamp)
                stamp = self.new_stamp(max(change.over or FLOOR, current.stamp)
                                       if seen else change.over)
            if current and change.has_seen(current) and stamp <= current.stamp:
                stamp = self.new_stamp(current.stamp)
        offered = Field(change.value, stamp, change.stamp)
        if not current:
            return offered
        wins = (offered.stamp, offered.value[1]) > (current.stamp, current.value[1])
        if not change.knows(current):
            lost, kept = (current, offered) if wins else (offered, current)
            self.lose(name, "latest", lost, kept, not wins)
        return offered if wins else current

    def anywhere(self, name, rule, change, current):
        stamp = change.stamp
        if self.is_future(stamp):
            stamp = self.new_stamp()
        result = laid(change, current, rule, stamp)
        if current and rule in ("maximum", "minimum") and not change.has_seen(current):
            offered = Field(change.value, stamp, change.stamp)
            stays = result.parts == current.parts
            lost, kept = (offered, current) if stays else (current, offered)
            self.lose(name, rule, lost, kept, stays)
        return result

    def decide(self, name, rule, change, current):
        if change.is_seed:
            mine = Field(change.value, FLOOR)
            if not current:
                return mine
            seed = current.stamp == FLOOR and current.value[1] < change.value[1]
            return mine if seed else current
        if current and current.origin == change.stamp:
            return current
        claims, siblings = decided_state(current.state) if current else ({}, {})
        has_settled = claims.get(replica_of(change.stamp), FLOOR) >= change.stamp
        if has_settled and rule in ("text", "keepBoth"):
            return current
        if current and (rule == "serverWins" or rule == "clientWins" and (
                has_settled or self.epoch and quoted(self.epoch) != self.before.epoch)):
            return self.server_wins(name, rule, change, current)
        result = self.replaced(rule, change, current)
        if not current:
            return result
        if rule == "clientWins" and not change.knows(current):
            self.lose(name, rule, current, result, False)
        if rule == "text":
            self.merge_text(name, change, current, result)
        if rule == "keepBoth":
            self.stand_beside(change, current, result)
        return result

    def replaced(self, rule, change, current):
        """The change's value in the place of the current one."""
        stamp = self.new_stamp(current and current.stamp, change.over)
        state = current.state if current else ""
        if rule in CLAIMING:
            claims, siblings = decided_state(state)
            claim = max(change.stamp, claims.get(replica_of(change.stamp), FLOOR))
            state = write_decided({**claims, replica_of(change.stamp): claim}, siblings)
        return Field(change.value, stamp, change.stamp, state)

    def server_wins(self, name, rule, change, current):
        loses = not current.is_seed and (
            change.over is None
            or change.over < current.stamp and change.over_origin != current.origin)
        if loses:
            self.lose(name, rule, Field(change.value, change.stamp), current, True)
            return current
        return self.replaced(rule, change, current)

    def stand_beside(self, change, current, result):
        claims, siblings = decided_state(current.state)
        if not siblings:
            siblings = {current.origin: current.value}
        staying = {origin: value for origin, value in siblings.items()
                   if origin != FLOOR and origin not in change.replaces}
        staying[change.stamp] = change.value
        claims, _ = decided_state(result.state)
        result.state = write_decided(claims, staying)
        result.origin = max(staying)
        result.value = staying[result.origin]

    def merge_text(self, name, change, current, result):
        is_later = current.is_seed or current.stamp < change.stamp
        value, is_conflict = texts.merge(change.base, change.value, current.value, is_later)
        result.value = value
        if not is_conflict or current.is_seed:
            return
        if value[1] == change.value[1] or is_later and value[1] != current.value[1]:
            self.lose(name, "text", current, result, False)
        else:
            kept = Field(value, result.stamp, current.origin)
            self.lose(name, "text", Field(change.value, change.stamp), kept, True)

    def conflict(self, number, name, rule, lost, kept, is_own):
        """The record of a lost value."""
        given = self.given
        table, target = given["table"].value, given["record"].value
        data = (table.encode() + b"\0" + bytes.fromhex(target.replace("-", "")) + name.encode()
                + b"\0" + lost.origin.encode())
        record = Record()
        record.names = {"id": quoted(protocol.derived_id("commute.conflict", data)),
                        "table": quoted("c_conflict")}
        record.epoch, record.number, record.author = self.record.epoch, number, USER
        devices = [replica_of(lost.origin)]
        if is_own and self.replica not in devices:
            devices.append(self.replica)
        values = {"table": quoted(table), "record": quoted(target), "field": quoted(name),
                  "rule": quoted(rule), "time": '{"t":"%d"}' % self.time,
                  "devices": "[" + ",".join(map(quoted, devices)) + "]"}
        if is_own:
            values["lostBy"] = quoted(USER)
        elif kept:
            values["keptBy"] = quoted(USER)
        stamp = self.new_stamp() if self.is_future(lost.stamp) else lost.stamp
        record.fields = {key: Field((text, None), stamp) for key, text in values.items()}
        record.fields["lost"] = Field(lost.value, stamp, lost.origin)
        if kept:
            record.fields["kept"] = Field(kept.value, kept.stamp, kept.origin)
        return record.written()
