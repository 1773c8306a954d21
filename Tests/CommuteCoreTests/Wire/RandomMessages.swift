import CommuteCore
import CommuteTestKit

/// Draws messages with members in every combination.
struct RandomMessages {
  var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  static let names: [Key] = [
    "a", "author", "title", "\u{E9}", "e\u{301}", "x y", "\u{1F600}", "a_name_of_twenty_letters",
    "\"quoted\"", "back\\slash", "line\nfeed",
  ]
  static let texts = [
    "", "Emma", "\u{E9}", "e\u{301}", "a \"quoted\" text of some length, beyond fifteen bytes",
    "\u{1}\u{1F}\u{7F}\u{2028}", "\u{1F600}\u{1F4DA}\u{10FFFF}", "\\\\//\t\r\n\u{8}\u{C}",
  ]
  static let raws = ["null", "[1, 2.50]", "{\"a\":{\"b\":[]}}", "\"\\u00e9\"", "-0.5e-7"]

  mutating func chance(_ percent: Int) -> Bool { random.draw(100) < percent }

  mutating func pick<Item>(_ items: [Item]) -> Item { items[random.draw(items.count)] }

  mutating func text() -> String { pick(Self.texts) }

  mutating func raw() -> [UInt8] { Array(pick(Self.raws).utf8) }

  /// A whole number that JavaScript holds exactly.
  mutating func number() -> UInt64 { random.next() >> UInt64(11 + random.draw(53)) }

  mutating func some<Item>(
    _ percent: Int = 50, _ make: (inout RandomMessages) -> Item
  ) -> Item? {
    chance(percent) ? make(&self) : nil
  }

  mutating func list<Item>(
    upTo most: Int = 3, _ make: (inout RandomMessages) -> Item
  ) -> [Item] {
    var items: [Item] = []
    for _ in 0..<random.draw(most + 1) { items.append(make(&self)) }
    return items
  }

  mutating func map<Value>(
    upTo most: Int = 5, _ make: (inout RandomMessages) -> Value
  ) -> FieldMap<Value> {
    var map = FieldMap<Value>()
    for _ in 0..<random.draw(most + 1) { map[pick(Self.names)] = make(&self) }
    return map
  }

  mutating func value() -> FieldValue {
    switch random.draw(10) {
    case 0: .null
    case 1: .boolean(chance(50))
    case 2: .integer(Int64(bitPattern: random.next()) >> Int64(random.draw(64)))
    case 3: .double(double())
    case 4: .bytes(list(upTo: 20) { UInt8(truncatingIfNeeded: $0.random.next()) })
    case 5: .instant(Int64(bitPattern: random.next()) >> Int64(random.draw(64)))
    case 6: .list(list { $0.text() })
    case 7: .unknown(Array("{\"kind\": ".utf8) + raw() + Array("}".utf8))
    default: .text(text())
    }
  }

  mutating func double() -> Double {
    let number = Double(bitPattern: random.next())
    return number.isFinite ? number : Double(random.draw(1_000)) / 8
  }

  mutating func stamp() -> Stamp {
    if chance(10) { return .floor }
    return Stamp(
      milliseconds: 1_700_000_000_000 + UInt64(random.draw(3)),
      counter: UInt16(random.draw(2)), replica: ReplicaID(rawValue: UInt64(random.draw(3))))
  }

  mutating func epoch() -> Epoch { Epoch(rawValue: random.next()) }

  mutating func revision() -> Revision { Revision(epoch: epoch(), number: number()) }

  mutating func id() -> OperationID { .random(using: &random) }

  mutating func key() -> RecordKey {
    RecordKey(table: pick(Self.names), id: RecordID(high: random.next(), low: random.next()))
  }

  mutating func record() -> RecordMessage {
    var state = RecordState(revision: revision(), author: text())
    let shared = stamp()
    let isShared = chance(50)
    state.fields = map { messages in
      var field = FieldState(
        value: messages.value(), stamp: isShared ? shared : messages.stamp())
      if messages.chance(15) { field.origin = messages.stamp() }
      if messages.chance(15) { field.merge = messages.raw() }
      return field
    }
    state.deleted = some(20) { $0.stamp() }
    state.unknown = chance(15) ? map(upTo: 2) { $0.raw() } : FieldMap()
    // A name that the build knows cannot be an unknown one.
    for name: Key in ["author"] { state.unknown[name] = nil }
    return RecordMessage(key: key(), state: state)
  }

  mutating func operation() -> Operation {
    var operation = Operation(
      id: id(), schema: number(), replica: ReplicaID(rawValue: random.next()), key: key(),
      feed: pick(Self.names), creates: chance(50))
    operation.epoch = some { $0.epoch() }
    operation.base = some { $0.revision() }
    operation.revives = some(10) { $0.stamp() }
    operation.deleted = some(20) { $0.stamp() }
    operation.needs = list(upTo: 2) { $0.key() }
    operation.fields = map { messages in
      var field = OperationField(value: messages.value(), stamp: messages.stamp())
      field.over = messages.some { Over(stamp: $0.stamp(), origin: $0.stamp()) }
      field.base = messages.some(20) { $0.value() }
      if messages.chance(30) { field.rule = messages.pick(MergeRule.allCases) }
      if messages.chance(30) { field.detail = messages.detail() }
      if messages.chance(5) {
        field.rule = .latest
        field.others["rule"] = messages.raw()
      }
      return field
    }
    return operation
  }

  mutating func total() -> CounterTotal {
    CounterTotal(up: random.next() >> UInt64(random.draw(64)), down: number())
  }

  mutating func detail() -> RuleDetail {
    switch random.draw(3) {
    case 0:
      var shares: [CounterShare] = []
      for replica in 0..<UInt64(random.draw(3)) {
        shares.append(
          CounterShare(
            replica: ReplicaID(rawValue: replica * 5), before: total(), after: total()))
      }
      return .total(shares)
    case 1:
      let added = list { messages in
        TaggedElement(
          tag: ElementTag(high: messages.random.next(), low: messages.random.next()),
          element: messages.text())
      }
      let removed = list { ElementTag(high: $0.random.next(), low: $0.random.next()) }
      return .tags(TagChange(added: added, removed: removed))
    default:
      var origins = list { $0.stamp() }
      origins.sort()
      return .replaces(origins)
    }
  }

  mutating func sent() -> SyncRequest.SentOperation {
    var operation = operation()
    let bytes = operation.encoded()
    operation.digest = SHA256.hash(bytes)
    return SyncRequest.SentOperation(operation: operation, bytes: bytes)
  }

  mutating func request() -> SyncRequest {
    var request = SyncRequest(
      schema: SchemaID(name: pick(Self.names), version: number(), hash: random.next()),
      build: text(), owner: text(), replica: ReplicaID(rawValue: random.next()), device: text(),
      number: number(), nonce: .random(using: &random), epoch: some { $0.epoch() },
      time: chance(50) ? Int64(number()) : -Int64(number()), feeds: [])
    request.replicas = list { ReplicaID(rawValue: $0.random.next()) }
    request.limit = SyncRequest.Limit(bytes: number(), records: number())
    request.again = list { $0.id() }
    request.feeds = list { messages in
      SyncRequest.Feed(
        feed: messages.pick(Self.names), grant: messages.some { $0.number() },
        cursor: messages.some { $0.number() }, reset: messages.some { $0.number() })
    }
    request.offers = list(upTo: 1) { messages in
      SyncRequest.Offer(
        id: messages.id(), feed: messages.pick(Self.names), record: messages.record())
    }
    request.operations = list { $0.sent() }
    return request
  }

  mutating func verdict() -> Verdict {
    let kind: Verdict.Kind =
      switch random.draw(4) {
      case 0: .applied
      case 1: .duplicate
      case 2: .rejected(pick(RejectionCode.allCases), message: text())
      default: .later(pick(DeferralReason.allCases), afterMilliseconds: number())
      }
    return Verdict(
      id: id(), kind: kind, revision: some { $0.revision() },
      stamps: chance(30) ? map { $0.stamp() } : FieldMap(), deleted: some(20) { $0.stamp() },
      record: some(30) { $0.record() })
  }

  mutating func answer() -> SyncAnswer {
    var answer = SyncAnswer(epoch: epoch(), time: Int64(number()), nonce: .random(using: &random))
    answer.verdicts = list { $0.verdict() }
    answer.renew = some(10) { messages in messages.list { $0.record() } }
    answer.ancestry = list(upTo: 1) { messages in
      SyncAnswer.Ancestor(
        epoch: messages.epoch(), ended: Int64(messages.number()),
        heads: messages.map { $0.number() })
    }
    answer.feeds = list(upTo: 2) { messages in
      SyncAnswer.Feed(
        feed: messages.pick(Self.names), grant: messages.number(),
        cursor: messages.some { $0.number() }, fence: messages.number(),
        records: messages.list { $0.record() }, more: messages.chance(50),
        reset: messages.some { $0.number() }, revoked: messages.some(10) { $0.text() })
    }
    answer.devices = list {
      SyncAnswer.Device(replica: ReplicaID(rawValue: $0.random.next()), name: $0.text())
    }
    return answer
  }
}
