import CommuteCore

/// Messages with every member there is, for goldens and mutations.
enum FullMessages {
  static let epoch = Epoch(rawValue: 0x8A3F_1234_5678_9ABC)
  static let phone = ReplicaID(rawValue: 0xA1)
  static let stamp = Stamp(milliseconds: 1_700_000_000_000, counter: 3, replica: phone)
  static let later = Stamp(
    milliseconds: 1_700_000_000_500, counter: 0, replica: ReplicaID(rawValue: 0xB2))
  static let id = RecordID(high: 0x018F_3C5E_7A10_7000, low: 0x8000_0123_4567_89AB)
  static let operationID = OperationID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  static let revision = Revision(epoch: epoch, number: 12_345)
  static let digest = SHA256.Digest(first: 0, second: 0, third: 0, fourth: 0)

  static var record: RecordMessage {
    var fields = FieldMap<FieldState>()
    let values: [(Key, FieldValue)] = [
      ("cover", .bytes([0xFB, 0xFF])), ("lent", .null), ("pages", .integer(-5)),
      ("price", .double(1.5)), ("read", .boolean(true)), ("readAt", .instant(1_700_000_000_000)),
      ("tags", .list(["classics", "\u{E9}"])), ("title", .text("Les Mis\u{E9}rables\n\u{1}\"")),
      ("colour", .unknown(Array("{\"rgb\": [1, 2.50]}".utf8))),
    ]
    for (name, value) in values {
      fields[name] = FieldState(value: value, stamp: name == "read" ? later : stamp)
    }
    fields["pages"]?.origin = later
    fields["tags"]?.merge = Array("{\"a\":[1]}".utf8)
    var unknown = FieldMap<[UInt8]>()
    unknown["x"] = Array("[true, null]".utf8)
    let state = RecordState(
      revision: revision, author: "ren\u{E9}", fields: fields, deleted: later, unknown: unknown)
    return RecordMessage(key: RecordKey(table: "book", id: id), state: state)
  }

  static var operation: Operation {
    var title = OperationField(
      value: .text("Emma"), stamp: later, over: Over(stamp: stamp, origin: .floor))
    title.base = .text("emma")
    var count = OperationField(value: .null, stamp: stamp)
    let before = CounterTotal(up: 1)
    let after = CounterTotal(up: CounterTotal.greatest, down: 2)
    count.detail = .total([CounterShare(replica: phone, before: before, after: after)])
    count.rule = .counter
    return Operation(
      id: operationID, schema: 2, replica: phone, epoch: epoch, base: revision,
      key: RecordKey(table: "book", id: id), feed: "books", creates: true, revives: stamp,
      fields: [
        "title": title, "count": count,
        "read": OperationField(
          value: .boolean(false), stamp: later, over: Over(stamp: later, origin: later)),
      ], deleted: later, needs: [RecordKey(table: "shelf", id: id)])
  }

  static var request: SyncRequest {
    var sent = operation
    let bytes = sent.encoded()
    sent.digest = SHA256.hash(bytes)
    return SyncRequest(
      schema: SchemaID(name: "reading", version: 2, hash: 0xFEED), build: "1.0 (\u{1F4DA})",
      owner: "local/local", replica: phone, replicas: [ReplicaID(rawValue: 7)],
      device: "Ren\u{E9}'s phone", number: 41, nonce: Nonce(high: 5, low: 6), epoch: epoch,
      time: -1_700_000_000_000,
      feeds: [
        SyncRequest.Feed(feed: "books", grant: 1, cursor: 9_007_199_254_740_991, reset: 3),
        SyncRequest.Feed(feed: "conversation/42"),
      ], offers: [SyncRequest.Offer(id: operationID, feed: "", record: record)],
      again: [operationID],
      operations: [SyncRequest.SentOperation(operation: sent, bytes: bytes)],
      limit: SyncRequest.Limit(bytes: 65_536, records: 100))
  }

  static var verdicts: [Verdict] {
    [
      Verdict(
        id: operationID, kind: .applied, revision: revision, stamps: ["title": later],
        deleted: stamp, record: record),
      Verdict(id: operationID, kind: .duplicate),
      Verdict(id: operationID, kind: .rejected(.gone, message: "gone for good")),
      Verdict(id: operationID, kind: .later(.needs, afterMilliseconds: 5_000)),
    ]
  }

  static var answer: SyncAnswer {
    SyncAnswer(
      epoch: epoch,
      ancestry: [SyncAnswer.Ancestor(epoch: Epoch(rawValue: 1), ended: 5, heads: ["books": 9])],
      renew: [], time: 1_700_000_000_000, nonce: Nonce(high: 5, low: 6), verdicts: verdicts,
      feeds: [
        SyncAnswer.Feed(
          feed: "books", grant: 1, cursor: 12_345, fence: 7, records: [record], more: true,
          reset: 7, revoked: "left the team"),
        SyncAnswer.Feed(feed: "conversation/42", grant: 2, cursor: nil),
      ], devices: [SyncAnswer.Device(replica: phone, name: "Ren\u{E9}'s phone")])
  }
}
