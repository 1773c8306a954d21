import CommuteCore
import CommuteStore

/// A record type whose fields take intents.
protocol Shelved: Record {
  /// Does what an intent says to one of the fields; says what was shown before.
  mutating func perform(_ intent: Intent, isNew: Bool) -> [Edit]
  /// The value of a field.
  func value(of stock: Stock) -> FieldValue
  static var blank: Self { get }
}

struct Book: Shelved, Equatable {
  var id = RecordID.zero
  var title = ""
  var author = ""
  var note = ""
  var copies = 0
  var tags: [String] = []
  var best = 0

  static let blank = Book()
  static let table = Table("book", feed: "library", blank: Book()) {
    Column("title", \.title)
    Column("author", \.author, merge: .serverWins)
    Column("note", \.note, merge: .text)
    Column("copies", \.copies, merge: .counter)
    Column("tags", \.tags, merge: .set)
    Column("best", \.best, merge: .maximum)
  }

  mutating func perform(_ intent: Intent, isNew: Bool) -> [Edit] {
    isNew
      ? [.title, .author, .note, .best].map { change($0, intent) } : [change(intent.stock, intent)]
  }

  private mutating func change(_ stock: Stock, _ intent: Intent) -> Edit {
    var edit = Edit(intent, stock, shown: value(of: stock))
    let word = Stock.word(edit.number, isBad: intent.isBad && stock == .title)
    switch stock {
    case .title: title = word
    case .author: author = word
    case .note:
      var words = note.split(separator: " ").map { String($0) }
      if words.count > 1, intent.rolls[0] == 0 {
        edit.removed = stock.edits(in: .text(words.remove(at: intent.rolls[1] % words.count)))
      }
      words.insert(word, at: intent.rolls[2] % (words.count + 1))
      note = words.joined(separator: " ")
    case .copies: copies += edit.amount
    case .tags:
      if !tags.isEmpty, intent.rolls[0] == 0 {
        edit.removed = stock.edits(in: .list([tags.remove(at: intent.rolls[1] % tags.count)]))
        edit.isOnlyRemoving = true
      } else {
        tags.append(word)
      }
    case .best: best = (1 + intent.rolls[1]) * Stock.scale + edit.number
    default: break
    }
    return edit
  }

  func value(of stock: Stock) -> FieldValue {
    switch stock {
    case .title: title.fieldValue
    case .author: author.fieldValue
    case .note: note.fieldValue
    case .copies: copies.fieldValue
    case .tags: tags.fieldValue
    case .best: best.fieldValue
    default: .null
    }
  }
}

struct Memo: Shelved, Equatable {
  var id = RecordID.zero
  var body = ""
  var place = ""
  var steps = 0
  var mood = ""

  static let blank = Memo()
  static let table = Table("memo", feed: "desk", blank: Memo()) {
    Column("body", \.body)
    Column("place", \.place, merge: .clientWins)
    Column("steps", \.steps, merge: .growOnlyCounter)
    Column("mood", \.mood, merge: .keepBoth)
  }

  mutating func perform(_ intent: Intent, isNew: Bool) -> [Edit] {
    isNew ? [.body, .place, .mood].map { change($0, intent) } : [change(intent.stock, intent)]
  }

  private mutating func change(_ stock: Stock, _ intent: Intent) -> Edit {
    let edit = Edit(intent, stock, shown: value(of: stock))
    let word = Stock.word(edit.number, isBad: intent.isBad && stock == .body)
    switch stock {
    case .body: body = word
    case .place: place = word
    case .steps: steps += edit.amount
    case .mood: mood = word
    default: break
    }
    return edit
  }

  func value(of stock: Stock) -> FieldValue {
    switch stock {
    case .body: body.fieldValue
    case .place: place.fieldValue
    case .steps: steps.fieldValue
    case .mood: mood.fieldValue
    default: .null
    }
  }
}

extension Edit {
  init(_ intent: Intent, _ stock: Stock, shown: FieldValue) {
    self.init(number: intent.number(stock), record: intent.record, stock: stock)
    if stock.manner == .sum { bit = intent.bit }
    if stock.manner == .one || stock.manner == .beside || stock.manner == .greatest {
      parent = stock.edits(in: shown).last ?? 0
    }
  }
}

extension Intent {
  /// Carries the intent out in a transaction; nothing where the record is gone.
  func carryOut(in tx: borrowing WriteTransaction) throws -> [Edit] {
    isMemo ? try carryOut(Memo.self, in: tx) : try carryOut(Book.self, in: tx)
  }

  private func carryOut<Model: Shelved>(
    _ model: Model.Type, in tx: borrowing WriteTransaction
  ) throws -> [Edit] {
    do throws(StoreError) {
      if deletes {
        guard try tx.delete(Model.self, id) else { return [] }
        var edit = Edit(number: first, record: record, stock: nil)
        // What was made here and has never left goes without a trace.
        edit.isTraceless = try tx.deleted(Model.self, id) == nil
        return [edit]
      }
      if var shown = try tx.fetch(Model.self, id) {
        let edits = shown.perform(self, isNew: false)
        return try tx.update(shown).isEmpty ? [] : edits
      }
      var fresh = Model.blank
      fresh.id = id
      let edits = fresh.perform(self, isNew: true)
      try tx.insert(fresh)
      return edits
    } catch .refused {
      return []
    }
  }
}
