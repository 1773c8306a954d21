/// Why a store did not answer, split by what the server does next.
@nonexhaustive
public enum ServerStoreError: Error, Hashable, Sendable {
  /// Nothing can be written or read now; the same request may work later.
  case unavailable(reason: String)
  /// More is waiting than the store takes; the same request may work in a moment.
  case overloaded
  /// This request cannot be answered, whatever others can.
  case failed(reason: String)
  /// The store was closed.
  case closed
  /// The store cannot be opened at all.
  case cannotOpen(reason: String)
}

extension ServerStoreError: CustomStringConvertible {
  /// One line for the log or a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .unavailable(let reason): reason
    case .overloaded: "more requests are waiting than the store takes; try again in a moment"
    case .failed(let reason): "the store cannot answer this request: \(reason)"
    case .closed: "the store was closed; start the server again"
    case .cannotOpen(let reason): reason
    }
  }
}
