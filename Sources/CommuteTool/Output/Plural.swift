/// A number with what it counts.
enum Plural {
  /// Such as `1 change` and `2 changes`.
  static func text(_ count: Int64, _ one: String) -> String {
    "\(count) \(one)\(count == 1 ? "" : "s")"
  }

  /// Such as `1 change` and `2 changes`.
  static func text(_ count: Int, _ one: String) -> String { text(Int64(count), one) }
}
