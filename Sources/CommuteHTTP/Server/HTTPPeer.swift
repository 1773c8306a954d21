#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The other end of a server's connection.
public struct HTTPPeer: Hashable, Sendable {
  /// The address in numbers, `192.0.2.7` or `2001:db8::7`; empty where the system told none.
  public let address: String
  /// Whether it is this machine itself.
  public let isLoopback: Bool
  /// What is counted as one client: an IPv4 address or an IPv6 network of 64 bits.
  let countedAs: UInt64

  /// Makes the peer of an address in numbers.
  init(address: String, isLoopback: Bool, countedAs: UInt64) {
    self.address = address
    self.isLoopback = isLoopback
    self.countedAs = countedAs
  }

  /// Reads the address that the system gave for a socket.
  init(_ address: UnsafePointer<sockaddr>?) {
    guard let address else {
      self.init(address: "", isLoopback: false, countedAs: 0)
      return
    }
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      var number = raw.load(as: sockaddr_in.self).sin_addr
      let bytes = withUnsafeBytes(of: number) { Array($0) }
      self.init(v4: bytes, text: Self.text(AF_INET, &number))
    case AF_INET6:
      var number = raw.load(as: sockaddr_in6.self).sin6_addr
      let bytes = withUnsafeBytes(of: number) { Array($0) }
      let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      if Array(bytes.prefix(12)) == mapped {
        let v4 = Array(bytes.suffix(4))
        self.init(v4: v4, text: v4.map(String.init).joined(separator: "."))
      } else {
        let network = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        self.init(
          address: Self.text(AF_INET6, &number), isLoopback: isLoopback, countedAs: network)
      }
    default:
      self.init(address: "", isLoopback: false, countedAs: 0)
    }
  }

  private init(v4 bytes: [UInt8], text: String) {
    // The upper half keeps IPv4 apart from every IPv6 network in use.
    let number = bytes.reduce(UInt64(0xFFFF_FFFF)) { $0 << 8 | UInt64($1) }
    self.init(address: text, isLoopback: bytes.first == 127, countedAs: number)
  }

  private static func text(_ family: Int32, _ number: UnsafeRawPointer) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, number, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
