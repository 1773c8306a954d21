/// Why a compressed body was not unpacked.
enum GzipError: Error, Hashable, Sendable {
  /// It unpacks to more than this many bytes.
  case tooLarge(limit: Int)
  /// It is not one whole gzip stream.
  case broken
}
