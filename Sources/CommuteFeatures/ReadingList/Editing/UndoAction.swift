/// Something a person did to the reading list, with all that is needed to take it back.
enum UndoAction: Codable, Hashable, Sendable {
  /// These books came into the list.
  case added([BookMark])
  /// A book was like this and became like that.
  case changed(BookSnapshot, BookSnapshot)
  /// A book was deleted.
  case deleted(BookSnapshot)

  /// The same action on a book that has got a new id meanwhile.
  func renaming(_ old: String, to new: String) -> UndoAction {
    switch self {
    case .added(var marks):
      for index in marks.indices where marks[index].id == old { marks[index].id = new }
      return .added(marks)
    case .changed(var before, var after):
      if before.id == old { before.id = new }
      if after.id == old { after.id = new }
      return .changed(before, after)
    case .deleted(var book):
      if book.id == old { book.id = new }
      return .deleted(book)
    }
  }
}

/// One line of the list of what can be undone.
public struct UndoEntry: Hashable, Sendable {
  /// Its place: the greatest is undone first.
  public var position: Int64
  /// What was done, as `ticked Emma`.
  public var title: String
  let action: UndoAction
}

/// What undoing did.
public struct UndoOutcome: Hashable, Sendable {
  /// What was taken back, as `ticked Emma`.
  public var title: String
  /// What a person should know about it; empty where everything is as before.
  public var remarks: [String]

  /// Makes an outcome.
  public init(title: String, remarks: [String] = []) {
    self.title = title
    self.remarks = remarks
  }
}
