import CommuteCore

/// Failures as one line of text, so that status says after a restart what it said before.
extension RoundFailure {
  /// A word, and what belongs to it after a blank.
  var stored: String {
    switch self {
    case .unreachable(let reason): "unreachable \(reason)"
    case .timedOut: "timedOut"
    case .notAnAnswer(let what): "notAnAnswer \(what)"
    case .unavailable(let status, let after): "unavailable \(status) \(after)"
    case .tooLarge: "tooLarge"
    case .needsSignIn(let status): "needsSignIn \(status)"
    case .needsUpdate: "needsUpdate"
    case .wrongOwner: "wrongOwner"
    case .refused(let status): "refused \(status)"
    case .badCertificate(let reason): "badCertificate \(reason)"
    case .storage(let reason): "storage \(reason)"
    case .syncedElsewhere(let holder): "syncedElsewhere \(holder)"
    case .cancelled: "cancelled"
    }
  }

  /// Reads what ``stored`` wrote; nil for anything else.
  init?(stored: String) {
    let parts = stored.split(separator: " ", maxSplits: 1)
    let rest = parts.count > 1 ? String(parts[1]) : ""
    let numbers = rest.split(separator: " ").compactMap { Int($0) }
    switch parts.first {
    case "unreachable": self = .unreachable(rest)
    case "timedOut": self = .timedOut
    case "notAnAnswer": self = .notAnAnswer(rest)
    case "unavailable" where numbers.count == 2:
      self = .unavailable(
        status: numbers[0], retryAfterMilliseconds: UInt64(clamping: numbers[1]))
    case "tooLarge": self = .tooLarge
    case "needsSignIn" where numbers.count == 1: self = .needsSignIn(status: numbers[0])
    case "needsUpdate": self = .needsUpdate
    case "wrongOwner": self = .wrongOwner
    case "refused" where numbers.count == 1: self = .refused(status: numbers[0])
    case "badCertificate": self = .badCertificate(rest)
    case "storage": self = .storage(rest)
    case "syncedElsewhere": self = .syncedElsewhere(by: rest)
    case "cancelled": self = .cancelled
    default: return nil
    }
  }
}
