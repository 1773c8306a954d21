import CommuteCore
import CommuteStore
import Foundation
import Testing

/// Every kind of property that a column can have.
private struct Everything: Record, Equatable {
  struct Inner: Equatable, Sendable {
    var depth = 0
    var name = "inner"
  }

  var id = RecordID.zero
  var flag = false
  var small = 0
  var wide: Int64 = 0
  var real = 0.0
  var text = ""
  var other: RecordID = .zero
  var bytes: [UInt8] = []
  var texts: [String] = []
  var maybeFlag: Bool?
  var maybeSmall: Int?
  var maybeReal: Double?
  var maybeText: String?
  var maybeID: RecordID?
  var maybeTexts: [String]?
  var shelf = Shelf.wanted
  var maybeShelf: Shelf?
  var date = Date(timeIntervalSince1970: 0)
  var maybeDate: Date?
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var data = Data()
  var url: URL?
  var inner = Inner()
  var watched = 0 { didSet { changes += 1 } }
  var changes = 0
  var doubled: Int {
    get { small * 2 }
    set { small = newValue / 2 }
  }

  static let table = Table("everything", feed: "e", blank: Everything()) {
    Column("flag", \.flag)
    Column("small", \.small)
    Column("wide", \.wide)
    Column("real", \.real)
    Column("text", \.text)
    Column("other", \.other)
    Column("bytes", \.bytes)
    Column("texts", \.texts)
    Column("maybe_flag", \.maybeFlag)
    Column("maybe_small", \.maybeSmall)
    Column("maybe_real", \.maybeReal)
    Column("maybe_text", \.maybeText)
    Column("maybe_id", \.maybeID)
    Column("maybe_texts", \.maybeTexts)
    Column("shelf", \.shelf)
    Column("maybe_shelf", \.maybeShelf)
    Column("date", \.date)
    Column("maybe_date", \.maybeDate)
    Column("uuid", \.uuid)
    Column("data", \.data)
    Column("url", \.url)
    Column("depth", \.inner.depth)
    Column("name", \.inner.name)
    Column("watched", \.watched)
  }
}

@Suite struct RecordTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = try TemporaryStore()
    store = try folder.open([Everything.table])
  }

  private func full() -> Everything {
    var all = Everything(id: id(1))
    all.flag = true
    all.small = -7
    all.wide = .min
    all.real = -0.125
    all.text = "e\u{301} and \"quotes\""
    all.other = id(77)
    all.bytes = [0, 1, 255]
    all.texts = ["a", "", "\\"]
    all.maybeFlag = false
    all.maybeSmall = 0
    all.maybeReal = 2.5
    all.maybeText = ""
    all.maybeID = id(78)
    all.maybeTexts = []
    all.shelf = .done
    all.maybeShelf = .reading
    all.date = Date(timeIntervalSince1970: 1_700_000_000.123)
    all.maybeDate = Date(timeIntervalSince1970: -5)
    all.uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    all.data = Data([9, 8])
    all.url = URL(string: "https://example.org/a?b=c")
    all.inner = Everything.Inner(depth: 3, name: "deep")
    all.watched = 5
    all.changes = 0
    return all
  }

  @Test func `every kind of column reads back as it was written`() async throws {
    let all = full()
    try await store.write { tx in
      try tx.insert(all)
      try tx.insert(Everything(id: id(2)))
    }
    var read = try await store.read { tx in try tx.fetch(Everything.all) }
    #expect(read.count == 2)
    // What is no column keeps what the blank, or reading itself, left there.
    for index in read.indices { read[index].changes = 0 }
    #expect(read.first == all)
    #expect(read.last == Everything(id: id(2)))
  }

  @Test func `each column is found changed by itself`() async throws {
    let all = full()
    try await store.write { tx in try tx.insert(Everything(id: id(1))) }
    let names = try await store.write { tx in try tx.update(all) }
    let again = try await store.write { tx in try tx.update(all) }
    #expect(names.count == 24)
    #expect(again == [])
    let one = try await store.write { tx in
      try tx.update(Everything.self, id(1)) { $0.doubled = 40 }
    }
    #expect(one == ["small"])
  }

  @Test func `texts that only look alike are a change`() async throws {
    try await store.write { tx in try tx.insert(Everything(id: id(1), text: "é")) }
    let names = try await store.write { tx in
      try tx.update(Everything.self, id(1)) { $0.text = "e\u{301}" }
    }
    let bytes = try await store.read { tx in
      try tx.fetch(Everything.self, id(1)).map { Array($0.text.utf8) }
    }
    #expect(names == ["text"])
    #expect(bytes == Array("e\u{301}".utf8))
  }
}
