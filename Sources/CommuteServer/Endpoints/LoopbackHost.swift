/// Names and numbers by which a machine reaches itself only.
enum LoopbackHost {
  /// Whether a host is one of them.
  static func isOne(_ host: String) -> Bool {
    let name = host.lowercased()
    if name == "localhost" || name == "::1" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether a `Host` field names one of them, with or without a port.
  static func isOne(authority: String) -> Bool {
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return false }
      return isOne(String(authority[authority.index(after: authority.startIndex)..<end]))
    }
    return isOne(String(authority.prefix { $0 != ":" }))
  }
}
