@_exported public import CommuteCore
@_exported public import CommuteStore
@_exported public import CommuteSync

/// The version of the library, for people.
public enum CommuteVersion {
  /// Major, minor, patch.
  public static let current = "0.1.0"
}
