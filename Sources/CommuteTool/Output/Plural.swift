/// A number with what it counts.
enum Plural {
  /// Such as `1 change` and `2 changes`.
  ///
  /// The word for several is the one for one with an s, where none is given.
  static func text(
    _ count: some BinaryInteger, _ one: String, _ several: String? = nil
  ) -> String {
    "\(count) \(count == 1 ? one : several ?? one + "s")"
  }
}
