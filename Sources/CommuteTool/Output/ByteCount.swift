/// A number of bytes as people read it.
enum ByteCount {
  /// Such as `812 KiB`.
  static func text(_ bytes: Int64) -> String {
    switch bytes {
    case ..<1_024: return "\(bytes) bytes"
    case ..<(1 << 20): return "\((bytes + 512) >> 10) KiB"
    case ..<(1 << 30): return "\((bytes + (1 << 19)) >> 20) MiB"
    default:
      let tenths = (bytes >> 20) * 10 >> 10
      return "\(tenths / 10).\(tenths % 10) GiB"
    }
  }
}
