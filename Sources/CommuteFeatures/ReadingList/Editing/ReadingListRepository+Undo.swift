import CommuteCore
import CommuteStore

extension ReadingListRepository {
  /// What can be undone, latest first.
  public func undoable() async throws(ReadingListError) -> [UndoEntry] {
    try await read { tx in try UndoList.entries(in: tx) }
  }

  /// Takes back what was done last on this device, by this process or an earlier one.
  ///
  /// What others changed meanwhile stays, and the outcome says so. A deletion that was not sent yet
  /// is withdrawn; after that the book comes back as a new one, because a deleted one stays deleted
  /// on all devices.
  ///
  /// - Throws: ``ReadingListError/nothingToUndo``.
  @discardableResult
  public func undo() async throws(ReadingListError) -> UndoOutcome {
    try await write { tx in
      let entries = try UndoList.entries(in: tx)
      guard let last = entries.first else { throw ReadingListError.nothingToUndo }
      try UndoList.remove(last, in: tx)
      let remarks =
        switch last.action {
        case .added(let marks): try Self.remove(marks, in: tx)
        case .changed(let before, let after):
          try Self.putBack(before.book, insteadOf: after.book, in: tx)
        case .deleted(let snapshot):
          try Self.bringBack(snapshot.book, renaming: entries.dropFirst(), in: tx)
        }
      return UndoOutcome(title: last.title, remarks: remarks)
    }
  }

  /// Deletes books that were added, unless somebody has changed them since.
  private static func remove(
    _ marks: [BookMark], in tx: borrowing WriteTransaction
  ) throws(StoreError) -> [String] {
    var kept: [String] = []
    for mark in marks {
      guard let id = RecordID(text: mark.id), let book = try tx.fetch(Book.self, id) else {
        continue
      }
      if mark.fits(book) { try tx.delete(Book.self, id) } else { kept.append(book.title) }
    }
    switch kept.count {
    case 0: return []
    case 1: return ["\(kept[0]) was changed since and stays; delete it if you mean it"]
    default: return ["\(kept.count) books were changed since and stay"]
    }
  }

  /// Puts back the fields of a book that still are as the change left them.
  private static func putBack(
    _ before: Book, insteadOf after: Book, in tx: borrowing WriteTransaction
  ) throws(StoreError) -> [String] {
    guard let current = try tx.fetch(Book.self, before.id) else {
      return ["\(before.title) was deleted meanwhile; nothing was put back"]
    }
    var book = current
    var remarks: [String] = []
    for field in BookField.difference(before, after) {
      if field.value(of: current) == field.value(of: after) {
        field.copy(from: before, to: &book)
      } else {
        remarks.append("the \(field.words) of \(current.title) was changed since and stays")
      }
    }
    try tx.update(book)
    return remarks
  }

  /// Withdraws a deletion, or adds the book again where it has left the device.
  private static func bringBack(
    _ book: Book, renaming earlier: ArraySlice<UndoEntry>, in tx: borrowing WriteTransaction
  ) throws(StoreError) -> [String] {
    if try tx.withdrawDeletion(Book.self, book.id) { return [] }
    var new = book
    new.id = .zero
    let id = try tx.insert(new)
    for entry in earlier {
      let action = entry.action.renaming(book.id.text, to: id.text)
      if action != entry.action { try UndoList.replace(entry, by: action, in: tx) }
    }
    return ["the deletion had been sent already, so \(book.title) was added again as a new book"]
  }
}
