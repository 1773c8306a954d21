import CommuteCore

/// A JSON object that is written member by member.
struct JSONObject {
  private var members: [UInt8] = []

  /// The whole object.
  var bytes: [UInt8] { [0x7B] + members + [0x7D] }

  mutating func add(_ name: String, json: [UInt8]) {
    if !members.isEmpty { members.append(0x2C) }
    members += FieldValue.text(name).json + [0x3A] + json
  }

  mutating func add(_ name: String, text: String) {
    add(name, json: FieldValue.text(text).json)
  }

  mutating func add(_ name: String, number: Int64) {
    add(name, json: Array("\(number)".utf8))
  }

  mutating func add(_ name: String, array: [[UInt8]]) {
    add(name, json: [0x5B] + Array(array.joined(separator: [0x2C])) + [0x5D])
  }
}
