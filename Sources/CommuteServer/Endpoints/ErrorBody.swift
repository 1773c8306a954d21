import CommuteHTTP

/// An answer that says what went wrong: a word for programs, a line for people.
struct ErrorBody: Error {
  /// The status of the answer.
  var status: Int
  /// The word, as `wrongOwner`.
  var error: String
  /// What happened, then what to do.
  var message: String
  /// Further fields of the head.
  var headers = HTTPHeaders()
  /// Further members of the body: JSON by name.
  var members: [(name: String, json: String)] = []

  /// The answer.
  var response: HTTPResponse {
    var json = "{\"error\":\(JSONText.quoted(error)),\"message\":\(JSONText.quoted(message))"
    for member in members { json += ",\(JSONText.quoted(member.name)):\(member.json)" }
    json += "}\n"
    return .json(status: status, Array(json.utf8), headers: headers)
  }
}

/// The little JSON that is written by hand here.
enum JSONText {
  /// A text with its quotes; control characters and what is special in pages are escaped.
  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [0x22]
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0..<0x20, 0x3C, 0x3E, 0x26, 0x7F: bytes += Array("\\u00".utf8) + hexadecimal(byte)
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    [byte >> 4, byte & 0xF].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
  }
}

extension HTTPResponse {
  /// An answer in JSON that no cache keeps.
  static func json(
    status: Int = 200, _ body: [UInt8], headers: HTTPHeaders = HTTPHeaders()
  ) -> HTTPResponse {
    var response = HTTPResponse(status: status, headers: headers, body: body)
    response.headers["Content-Type"] = "application/json"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
  }
}
