import Foundation

/// A point of time as people and programs read it.
enum Moment {
  /// Milliseconds since 1970, as `2026-11-30T11:28:40Z`.
  static func text(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }

  /// A span of milliseconds, as `3.5 s` or `2 h 5 min`.
  static func span(_ milliseconds: Int64) -> String {
    let seconds = Int64(clamping: milliseconds.magnitude) / 1_000
    switch seconds {
    case ..<10:
      let tenths = Int64(clamping: milliseconds.magnitude) / 100
      return "\(tenths / 10).\(tenths % 10) s"
    case ..<120: return "\(seconds) s"
    case ..<7_200: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    default: return "\(seconds / 86_400) days"
    }
  }
}
