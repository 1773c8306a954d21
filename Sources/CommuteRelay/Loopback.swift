import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The few socket calls that a relay makes, on 127.0.0.1 only.
enum Loopback {
  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  /// Listens on a port, or on a free one for 0.
  static func listen(on port: UInt16) -> (socket: Int32, port: UInt16)? {
    guard let listener = bind(to: port) else { return nil }
    var place = address(port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(listener, $0, &length) == 0
      }
    }
    guard isKnown, startListening(listener) else {
      close(listener)
      return nil
    }
    return (listener, UInt16(bigEndian: place.sin_port))
  }

  /// Takes a port without listening: connecting to it is refused, and nobody else gets it.
  static func bind(to port: UInt16) -> Int32? {
    let holder = socket(AF_INET, stream, 0)
    guard holder >= 0 else { return nil }
    var yes: Int32 = 1
    setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var place = address(port)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Glibc)
          Glibc.bind(holder, $0, size) == 0
        #else
          Darwin.bind(holder, $0, size) == 0
        #endif
      }
    }
    if isBound { return holder }
    close(holder)
    return nil
  }

  /// Takes the connection that waits.
  static func accept(from listener: Int32) -> Int32? {
    #if canImport(Glibc)
      let connection = Glibc.accept(listener, nil, nil)
    #else
      let connection = Darwin.accept(listener, nil, nil)
    #endif
    return connection >= 0 ? connection : nil
  }

  /// Connects to a port of this machine.
  static func connect(to port: UInt16) -> Int32? {
    let connection = socket(AF_INET, stream, 0)
    guard connection >= 0 else { return nil }
    var place = address(port)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Glibc)
          Glibc.connect(connection, $0, size) == 0
        #else
          Darwin.connect(connection, $0, size) == 0
        #endif
      }
    }
    if isOpen { return connection }
    close(connection)
    return nil
  }

  /// Passes on what one socket has to give.
  ///
  /// - Returns: Whether both ends are still open.
  static func copy(from source: Int32, to target: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(source, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    var sent = 0
    while sent < count {
      let part = bytes[sent..<count].withUnsafeBytes { part in
        send(target, part.baseAddress, part.count, Int32(noSignal))
      }
      guard part > 0 else { return false }
      sent += part
    }
    return true
  }

  /// Closes a socket.
  static func close(_ socket: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(socket)
    #else
      _ = Darwin.close(socket)
    #endif
  }

  #if canImport(Glibc)
    private static let noSignal = MSG_NOSIGNAL
  #else
    private static let noSignal = 0
  #endif

  /// Begins to listen on a socket that has a port.
  static func startListening(_ listener: Int32) -> Bool {
    #if canImport(Glibc)
      Glibc.listen(listener, 64) == 0
    #else
      Darwin.listen(listener, 64) == 0
    #endif
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return place
  }
}
