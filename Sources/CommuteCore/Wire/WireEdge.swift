/// Where bytes become messages: sizes and UTF-8 are checked, and faults become errors with a path.
enum WireEdge {
  /// Reads a request or an answer: an object that names the protocol.
  static func readMessage<Value>(
    _ bytes: [UInt8], limit: WireLimit,
    _ body: (inout JSONReader) throws(JSONFault) -> Value
  ) throws(WireError) -> Value {
    guard bytes.count <= limit.value else { throw .tooLarge(limit, at: limit.value, path: "") }
    let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    if let first, first != 0x7B { throw .notOurs(at: 0) }
    return try read(bytes, limit: limit) { (reader) throws(JSONFault) in
      try reader.checkProtocol()
      return try body(&reader)
    }
  }

  /// Reads one value that fills the bytes.
  static func read<Value>(
    _ bytes: [UInt8], limit: WireLimit,
    _ body: (inout JSONReader) throws(JSONFault) -> Value
  ) throws(WireError) -> Value {
    guard bytes.count <= limit.value else { throw .tooLarge(limit, at: limit.value, path: "") }
    do throws(JSONFault) {
      return try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(JSONFault) -> Value in
        if let offset = unsafe UTF8Check.firstFault(in: buffer) {
          throw JSONFault(.notUTF8, at: offset)
        }
        var reader = unsafe JSONReader(buffer)
        let value = try body(&reader)
        try reader.finish()
        return value
      }
    } catch {
      throw WireError(error, in: bytes)
    }
  }
}

extension JSONReader {
  /// Looks for the protocol's version before anything else is judged, then goes back to the start.
  fileprivate mutating func checkProtocol() throws(JSONFault) {
    var members = try openObject()
    while let member = try nextMember(&members) {
      guard member == .protocol else {
        try skipValue()
        continue
      }
      guard peek() &- 0x30 < 10 else { throw offset < end ? notOurs : unexpected() }
      let version = try unsigned()
      guard version >= ProtocolVersion.minimum, version <= ProtocolVersion.current else {
        var fault = notOurs
        fault.problem = .unsupportedProtocol(version)
        throw fault
      }
      offset = 0
      depth = 0
      return
    }
    throw notOurs
  }

  private var notOurs: JSONFault {
    var fault = JSONFault(.notJSON, at: offset)
    fault.problem = .notOurs
    return fault
  }
}

extension WireError {
  /// The error of a fault; the path is found by looking at the bytes once more.
  init(_ fault: JSONFault, in bytes: [UInt8]) {
    switch fault.problem {
    case .malformed(let problem):
      var path = WirePath(to: fault.offset, in: bytes).text
      if fault.member != .unknown {
        path += path.utf8.isEmpty ? "" : "."
        path += fault.member.name.description
      }
      self = .malformed(problem, at: fault.offset, path: Key(path))
    case .tooLarge(let limit):
      let path = WirePath(to: fault.offset, in: bytes).text
      self = .tooLarge(limit, at: fault.offset, path: Key(path))
    case .unsupportedProtocol(let version): self = .unsupportedProtocol(version)
    case .notOurs: self = .notOurs(at: fault.offset)
    }
  }
}

/// The members and elements that lead to a place in JSON, as `operations[3].fields`.
///
/// Only made when something is wrong, so reading keeps no account of where it is.
struct WirePath {
  /// The path, for people; content does not show in it, except names of members.
  let text: String

  private enum Step {
    case member(String)
    case element(UInt64)
  }

  init(to end: Int, in bytes: [UInt8]) {
    var steps: [Step] = []
    var name: [UInt8] = []
    var isInText = false
    var at = 0
    while at < min(end, bytes.count), steps.count <= Limits.depth {
      let byte = bytes[at]
      at += 1
      if isInText {
        if byte == 0x22 { isInText = false } else { name.append(byte) }
        if byte == 0x5C { at += 1 }
        continue
      }
      switch byte {
      case 0x22:
        isInText = true
        name = []
      case 0x3A: Self.rename(&steps, name)
      case 0x2C: Self.advance(&steps)
      case 0x7B: steps.append(.member(""))
      case 0x5B: steps.append(.element(0))
      case 0x7D, 0x5D: _ = steps.popLast()
      default: break
      }
    }
    text = Self.text(of: steps)
  }

  private static func rename(_ steps: inout [Step], _ name: [UInt8]) {
    guard case .member = steps.last else { return }
    steps[steps.count - 1] = .member(String(decoding: name.prefix(64), as: UTF8.self))
  }

  private static func advance(_ steps: inout [Step]) {
    switch steps.last {
    case .element(let index): steps[steps.count - 1] = .element(index + 1)
    case .member: steps[steps.count - 1] = .member("")
    case nil: break
    }
  }

  private static func text(of steps: [Step]) -> String {
    var text = ""
    for step in steps {
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name):
        if name.utf8.isEmpty { continue }
        if !text.utf8.isEmpty { text += "." }
        text += name
      }
    }
    return text
  }
}
