public import CommuteCore
public import CommuteStore

/// Why the reading list did not do what it was asked; nothing was changed then.
@nonexhaustive
public enum ReadingListError: Error, Hashable, Sendable {
  /// A book cannot be like this; the words say why.
  case refused(String)
  /// There is no such book, or no longer.
  case noSuchBook(RecordID)
  /// Nothing that could be undone was done on this device.
  case nothingToUndo
  /// The file is no list of books; the words say what it is and what to do.
  case file(String)
  /// The file of a reading list from before sync cannot be read.
  case oldList(path: String, reason: String)
  /// The database did not take or give it.
  case store(StoreError)
}

extension ReadingListError: CustomStringConvertible {
  /// One line for a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .refused(let reason): "\(reason); nothing was changed"
    case .noSuchBook(let id): "no book \(id.text) here; it may have been deleted elsewhere"
    case .nothingToUndo: "nothing is left to undo on this device"
    case .file(let reason): reason
    case .oldList(let path, let reason):
      "\(path) is no reading list that can be taken over: \(reason)"
    case .store(let error): error.message
    }
  }
}

extension ReadingListError {
  /// Translates whatever a transaction threw.
  init(_ error: any Error) {
    switch error {
    case let error as ReadingListError: self = error
    case let error as StoreError: self = .store(error)
    default: self = .store(.query(reason: "\(error)"))
    }
  }
}
