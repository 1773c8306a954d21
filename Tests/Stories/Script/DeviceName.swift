/// One of the two devices of a story.
enum DeviceName: String, Hashable, Sendable, CaseIterable, Codable {
  case a = "A"
  case b = "B"

  /// What the device's random ids are drawn from, so that a story is the same each time.
  var seed: UInt64 { self == .a ? 1 : 2 }
}
