#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What this machine calls itself: the name of a device that was given none.
enum HostName {
  static var current: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "device" }
    let name = String(
      decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return name.isEmpty ? "device" : name
  }
}
