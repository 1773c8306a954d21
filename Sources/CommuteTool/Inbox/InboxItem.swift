import CommuteCore
import CommuteFeatures
import CommuteStore

/// One thing that waits for a person's decision.
struct InboxItem: Sendable {
  /// What it is.
  enum Kind: Sendable {
    /// A change that the server refused.
    case refused(InboxEntry)
    /// A value that lost to another one.
    case lost(InboxConflict)
  }

  /// The word that names it on the command line, as `r4` or `c2`.
  var name: String
  /// What the book is called.
  var title: String
  var kind: Kind

  /// All of a device, what was refused first, the oldest first.
  static func all(on device: OpenDevice) async throws -> [InboxItem] {
    let refused = try await device.store.inbox()
    let lost = try await device.store.conflicts()
    return try await device.store.read { tx in
      try refused.map { entry in
        InboxItem(
          name: "r\(entry.id)", title: try BookTitle.of(entry, in: tx), kind: .refused(entry))
      }
        + lost.map { entry in
          InboxItem(
            name: "c\(entry.id)", title: try BookTitle.of(entry.conflict.record, in: tx),
            kind: .lost(entry))
        }
    }
  }

  /// What happened, in a sentence for people.
  var sentence: String {
    switch kind {
    case .refused(let entry):
      let what =
        if entry.deletes {
          "deletion"
        } else if entry.creates {
          "new book"
        } else {
          BookField.names(entry.fields)
        }
      if let first = entry.behind {
        return "Your \(what) waits for r\(first), the new book that was refused"
      }
      let count = entry.dependants.count
      let waiting = count == 0 ? "" : "; \(Plural.text(count, "other change")) waiting for it"
      return "Your \(what) was refused: \(entry.message)\(waiting)"
    case .lost(let entry): return entry.sentence
    }
  }

  /// What can be done about it.
  var choices: String {
    switch kind {
    case .refused(let entry): entry.behind == nil ? "retry, edit, discard" : "discard"
    case .lost: "restore, discard"
    }
  }

  /// The value that is not shown in the book, for people.
  var value: String {
    switch kind {
    case .refused(let entry): entry.values.count == 1 ? entry.values.entries[0].value.words : ""
    case .lost(let entry): entry.conflict.lost.words
    }
  }

  /// Everything about it, for programs.
  var json: JSON {
    switch kind {
    case .refused(let entry):
      [
        "entry": .text(name), "kind": "refused", "title": .text(title),
        "table": .text(entry.key.table.text), "id": .text(entry.key.id.text),
        "operation": .text(entry.operation.text), "code": .text(entry.code.name.text),
        "message": .text(entry.message), "at": .text(Moment.text(entry.refusedAt)),
        "creates": .boolean(entry.creates), "deletes": .boolean(entry.deletes),
        "values": .object(
          entry.values.entries.map { JSON.Member(name: $0.name.text, value: $0.value.json) }),
        "before": .object(
          entry.before.entries.map { JSON.Member(name: $0.name.text, value: $0.value.json) }),
        "behind": JSON(entry.behind.map { "r\($0)" }),
        "dependants": .list(
          entry.dependants.map { key in
            ["table": .text(key.table.text), "id": .text(key.id.text)]
          }),
      ]
    case .lost(let entry): entry.json(named: name, title: title)
    }
  }
}
