import Commute
import Foundation

/// The wire codec beside Foundation's, on a page of a thousand books.
enum CodecBench {
  static func run() throws -> [Measurement] {
    let answer = page(of: 1_000)
    let bytes = answer.encoded()
    let data = Data(bytes)
    let twin = try JSONDecoder().decode(AnswerTwin.self, from: data)
    var encode: [Double] = []
    var decode: [Double] = []
    var times: [(ours: Double, theirs: Double, oursBack: Double, theirsBack: Double)] = []
    for _ in 0..<9 {
      let ours = cpuSeconds { for _ in 0..<5 { keep(answer.encoded().count) } } / 5
      let theirs = try cpuSeconds { keep(try JSONEncoder().encode(twin).count) }
      let oursBack =
        try cpuSeconds {
          for _ in 0..<5 { keep(try SyncAnswer(decoding: bytes).feeds.count) }
        } / 5
      let theirsBack = try cpuSeconds {
        keep(try JSONDecoder().decode(AnswerTwin.self, from: data).feeds.count)
      }
      encode.append(theirs / ours)
      decode.append(theirsBack / oursBack)
      times.append((ours, theirs, oursBack, theirsBack))
    }
    let best = times[times.count / 2]
    let note = "\(bytes.count) bytes; ours \(short(best.ours * 1e3)) ms,"
    let noteBack = "ours \(short(best.oursBack * 1e3)) ms,"
    return [
      Measurement(
        name: "wire-encode", ratio: median(encode), goal: .atLeast(8),
        note: note + " JSONEncoder \(short(best.theirs * 1e3)) ms (CPU)"),
      Measurement(
        name: "wire-decode", ratio: median(decode), goal: .atLeast(10),
        note: noteBack + " JSONDecoder \(short(best.theirsBack * 1e3)) ms (CPU)"),
      bookSize(),
    ]
  }

  /// A book of eight fields stamped at one moment, as a record of a page.
  private static func bookSize() -> Measurement {
    let record = page(of: 1).feeds[0].records[0]
    var bytes: [UInt8] = []
    bytes = SyncAnswer(
      epoch: Epoch(rawValue: 1), time: 1, nonce: Nonce(high: 1, low: 1),
      feeds: [SyncAnswer.Feed(feed: "b", grant: 1, cursor: 1, records: [record])]
    ).encoded()
    let empty = SyncAnswer(
      epoch: Epoch(rawValue: 1), time: 1, nonce: Nonce(high: 1, low: 1),
      feeds: [SyncAnswer.Feed(feed: "b", grant: 1, cursor: 1)]
    ).encoded()
    let size = Double(bytes.count - empty.count)
    return Measurement(
      name: "book-bytes", ratio: size / 420, goal: .atMost(1), note: "\(Int(size)) bytes of 420")
  }

  /// A page as the server sends it: each book stamped at one moment.
  static func page(of count: Int) -> SyncAnswer {
    var generator = SystemRandomNumberGenerator()
    let epoch = Epoch(rawValue: 0x8A3F_1234_5678_9ABC)
    let replica = ReplicaID(rawValue: 0xD9A5_DCD6_8E2C_3B1B)
    var records: [RecordMessage] = []
    for number in 1...count {
      let book = Book.numbered(number * 3)
      let stamp = Stamp(
        milliseconds: 1_700_000_000_000 + UInt64(number), counter: 0, replica: replica)
      let fields: [(Key, FieldValue)] = [
        ("title", book.title.fieldValue), ("author", book.author.fieldValue),
        ("tags", book.tags.fieldValue), ("read", book.read.fieldValue),
        ("readAt", book.readAt.fieldValue), ("rating", book.rating.fieldValue),
        ("notes", book.notes.fieldValue), ("isbn", book.isbn.fieldValue),
      ]
      let state = RecordState(
        revision: Revision(epoch: epoch, number: UInt64(number)), author: "local",
        fields: FieldMap(fields.map { ($0.0, FieldState(value: $0.1, stamp: stamp)) }))
      let id = RecordID.new(milliseconds: stamp.milliseconds, using: &generator)
      records.append(RecordMessage(key: RecordKey(table: "book", id: id), state: state))
    }
    return SyncAnswer(
      epoch: epoch, time: 1_700_000_000_000, nonce: Nonce(high: 1, low: 2),
      feeds: [
        SyncAnswer.Feed(
          feed: "books", grant: 1, cursor: UInt64(count), records: records, more: false)
      ])
  }

  /// Keeps a result alive, so that the work for it is done.
  @inline(never)
  private static func keep(_ value: Int) {
    sink &+= value
  }

  nonisolated(unsafe) private static var sink = 0
}
