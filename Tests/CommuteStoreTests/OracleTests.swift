import CommuteCore
import CommuteSQLite
import CommuteStore
import CommuteTestKit
import Testing

/// Long random histories of one store beside a dictionary that the test keeps itself.
@Suite(.timeLimit(.minutes(5))) struct OracleTests {
  private struct Undone: Error {}

  /// What the store should hold.
  private struct Model {
    var novels: [RecordID: Novel] = [:]
    var drafts: [RecordID: Draft] = [:]
    var deleted: Set<RecordID> = []
  }

  /// One history: transactions that hold, that fail, and that fail in part.
  private struct History {
    var dice: SeededGenerator
    var model = Model()

    mutating func id() -> RecordID { CommuteStoreTests.id(UInt64(1 + dice.draw(25))) }

    mutating func novel(_ id: RecordID) -> Novel {
      Novel(
        id: id, title: dice.one(of: ["mill", "the mill", "time", "Émile", ""]),
        blurb: dice.one(of: [nil, "a mill", "time"]), tags: dice.one(of: [[], ["time", "sf"]]),
        author: CommuteStoreTests.id(UInt64(dice.draw(3))),
        isbn: dice.one(of: [nil, nil, "1", "2", "3"]), pages: dice.draw(5))
    }

    /// Does one thing to both; what the store refuses, the model must forbid, too.
    mutating func step(_ tx: borrowing WriteTransaction) throws {
      let id = id()
      let isGone = model.deleted.contains(id)
      let there = model.novels[id]
      switch dice.draw(9) {
      case 0, 1:
        let novel = novel(id)
        let isAllowed = there == nil && !isGone && !isTaken(novel)
        try expect(isAllowed) { try tx.insert(novel) }
        if isAllowed { model.novels[id] = novel }
      case 2:
        let novel = novel(id)
        let isAllowed = !isGone && (there == novel || !isTaken(novel))
        try expect(isAllowed) { try tx.save(novel) }
        if isAllowed { model.novels[id] = novel }
      case 3:
        let pages = dice.draw(5)
        try expect(there != nil) { try tx.set(\Novel.pages, to: pages, on: id) }
        if there != nil { model.novels[id]?.pages = pages }
      case 4:
        let title = dice.one(of: ["mill", "changed"])
        let pages = dice.draw(5)
        let query = Novel.where(\.pages == pages)
        let count = try tx.update(query) { $0.title = title }
        let wanted = model.novels.values.filter { query.matches($0) == true && $0.title != title }
        for novel in wanted { model.novels[novel.id]?.title = title }
        #expect(count == wanted.count)
      case 5:
        let was = try tx.delete(Novel.self, id)
        #expect(was == (there != nil))
        if model.novels.removeValue(forKey: id) != nil { model.deleted.insert(id) }
      case 6:
        let draft = Draft(id: id, text: dice.one(of: ["mill", "time"]), line: dice.draw(4))
        try tx.save(draft)
        model.drafts[id] = draft
      case 7:
        let was = try tx.delete(Draft.self, id)
        #expect(was == (model.drafts.removeValue(forKey: id) != nil))
      default:
        try part(tx)
      }
    }

    /// A part of the transaction, which may be undone.
    private mutating func part(_ tx: borrowing WriteTransaction) throws {
      let before = model
      let isUndone = dice.draw(2) == 0
      var history = self
      do {
        try tx.savepoint { tx in
          for _ in 0..<3 { try history.step(tx) }
          if isUndone { throw Undone() }
        }
      } catch is Undone {
        history.model = before
      }
      self = history
    }

    private func isTaken(_ novel: Novel) -> Bool {
      guard let isbn = novel.isbn else { return false }
      return model.novels.values.contains { $0.isbn == isbn && $0.id != novel.id }
    }

    private func expect<Result>(_ isAllowed: Bool, _ body: () throws -> Result) throws {
      do {
        _ = try body()
        #expect(isAllowed)
      } catch StoreError.taken {
        #expect(!isAllowed)
      } catch StoreError.refused {
        #expect(!isAllowed)
      }
    }

    /// A query of some shape.
    mutating func query() -> Query<Novel> {
      let number = dice.draw(5)
      let condition: Condition<Novel> =
        switch dice.draw(4) {
        case 0: \.pages > number
        case 1: \.isbn == nil
        case 2: .contains(\.tags, "sf") || \.pages == number
        default: !(\.blurb == "time") && \.title != ""
        }
      let query = Novel.where(condition)
      switch dice.draw(3) {
      case 0: return query
      case 1: return query.order(by: \.title)
      default: return query.order(by: \.blurb, .descending).order(by: \.pages)
      }
    }
  }

  @Test func `a store always holds what was written, and finds what is there`() async throws {
    for seed in UInt64(1)...6 {
      let folder = try TemporaryStore()
      let store = try folder.open(Library.tables)
      var history = History(dice: SeededGenerator(seed: seed))
      for round in 0..<60 {
        let start = history
        history = try await transaction(start, on: store)
        try await compare(&history, with: store, in: folder, "seed \(seed), round \(round)")
      }
      await store.close()
    }
  }

  /// Runs one transaction; every fourth fails at its end.
  private func transaction(_ start: History, on store: Store) async throws -> History {
    do {
      return try await store.write { tx in
        var history = start
        for _ in 0..<(1 + history.dice.draw(5)) { try history.step(tx) }
        if history.dice.draw(4) == 0 { throw Undone() }
        return history
      }
    } catch is Undone {
      var history = start
      _ = history.dice.next()
      return history
    }
  }

  private func compare(
    _ history: inout History, with store: Store, in folder: TemporaryStore, _ place: String
  ) async throws {
    let query = history.query()
    let (novels, drafts, found, count, mill, words) = try await store.read { tx in
      (
        try tx.fetch(Novel.all), try tx.fetch(Draft.all), try tx.fetch(query),
        try tx.count(query), try tx.ids(Novel.matching("mill").order(by: \.id)),
        try tx.ids(Draft.matching("time").order(by: \.id))
      )
    }
    let model = history.model
    let wanted = model.novels.values.filter { query.matches($0) == true }
      .sorted(by: query.precedes)
    let isMill = { (text: String?) in text?.contains("mill") ?? false }
    #expect(novels == model.novels.values.sorted { $0.id < $1.id }, "\(place)")
    #expect(drafts == model.drafts.values.sorted { $0.id < $1.id }, "\(place)")
    #expect(found == wanted, "\(place)")
    #expect(count == wanted.count, "\(place)")
    #expect(mill == novels.filter { isMill($0.title) || isMill($0.blurb) }.map(\.id), "\(place)")
    #expect(words == drafts.filter { $0.text == "time" }.map(\.id), "\(place)")
    let rows = try folder.rows("SELECT id, title, isbn, pages FROM novel ORDER BY id")
    let own = novels.map { novel -> [SQLValue] in
      [
        .bytes(novel.id.bytes), .text(novel.title), novel.isbn.map { .text($0) } ?? .null,
        .integer(Int64(novel.pages)),
      ]
    }
    #expect(rows == own, "\(place)")
    // Each record has one row in the outbox at most, and every one that is there has one.
    let queued = try folder.rows("SELECT DISTINCT id FROM c_outbox WHERE tbl = 'draft'")
    #expect(queued.isEmpty, "\(place)")
  }
}
