import Foundation

/// The one place from which the program speaks.
///
/// What comes from people and files passes through ``TerminalText/safe(_:)`` here, so that no title
/// can move a cursor.
struct Output: Sendable {
  /// Whether programs listen: only JSON goes out then.
  var isJSON = false

  /// Whether a person sees what goes out.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Says lines to people.
  ///
  /// - Returns: Whether anybody is left who listens.
  @discardableResult
  func say(_ lines: [String]) -> Bool {
    if isJSON { return true }
    return Self.write(lines.map { TerminalText.safe($0) + "\n" }.joined(), to: STDOUT_FILENO)
  }

  /// Says a line to people.
  func say(_ line: String = "") { _ = say([line]) }

  /// Tells programs something, on a line of its own.
  ///
  /// - Returns: Whether anybody is left who listens.
  @discardableResult
  func tell(_ json: JSON) -> Bool {
    !isJSON || Self.write(json.encoded + "\n", to: STDOUT_FILENO)
  }

  /// Complains to whoever looks at errors.
  func complain(_ message: String) {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    Self.write("commute: \(TerminalText.safe(line))\n", to: STDERR_FILENO)
  }

  /// Notes something beside the output, such as a request that was served.
  func note(_ line: String) {
    Self.write(TerminalText.safe(line) + "\n", to: STDERR_FILENO)
  }

  /// Puts a report out in the form that was asked for.
  func show(_ report: Report) {
    if let bytes = report.bytes, !isJSON { Self.write(bytes, to: STDOUT_FILENO) }
    say(report.lines)
    tell(report.json)
    if let complaint = report.complaint { complain(complaint) }
  }

  /// Empties a terminal and goes to its first line.
  func clear() { Self.write("\u{1B}[H\u{1B}[2J\u{1B}[3J", to: STDOUT_FILENO) }

  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    write(Array(text.utf8), to: descriptor)
  }

  @discardableResult
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // Whoever listened has gone; there is nobody to tell.
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// The system's `write`, which a method of the same name would hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
