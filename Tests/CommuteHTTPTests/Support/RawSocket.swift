import Synchronization

@testable import CommuteHTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs work that blocks on a thread of its own, for Swift's threads must stay free.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { done in
    let isStarted = BackgroundThread.start { done.resume(returning: work()) }
    if !isStarted { done.resume(returning: work()) }
  }
}

/// A plain TCP socket that says and hears exactly what a test wants.
final class RawSocket: Sendable {
  let number: Int32

  /// Takes over a socket that is connected already.
  init(number: Int32) {
    self.number = number
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
  }

  /// Connects to a port of this machine.
  convenience init(port: UInt16, receiveBuffer: Int32? = nil) {
    self.init(number: RawSocket.open())
    if var receiveBuffer {
      let size = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(number, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, size)
    }
    _ = RawSocket.withLoopback(port) { connect(number, $0, $1) }
  }

  deinit {
    close(number)
  }

  static func open() -> Int32 {
    #if canImport(Darwin)
      socket(AF_INET, SOCK_STREAM, 0)
    #else
      socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #endif
  }

  static func withLoopback<Result>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { address in
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      return address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
  }

  /// Sends bytes; false once the other side takes no more.
  @discardableResult
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        #if canImport(Darwin)
          Darwin.send(number, $0.baseAddress, $0.count, 0)
        #else
          Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        #endif
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Reads until the text heard so far is enough, or the other side ends.
  func hear(until isEnough: (String) -> Bool = { _ in false }) -> Heard {
    var heard = Heard()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while !isEnough(heard.text) {
      let count = recv(number, &buffer, buffer.count, 0)
      guard count > 0 else {
        heard.isClosed = count == 0 || errno == ECONNRESET
        break
      }
      heard.bytes += buffer.prefix(count)
    }
    return heard
  }

  /// Whether something can be read, or the end of the connection seen, within milliseconds.
  func isReadable(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Ends the connection in the way of a machine that lost power.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(number, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }
}

/// What came over a raw socket.
struct Heard: Sendable {
  var bytes: [UInt8] = []
  /// Whether the other side ended the connection, not we.
  var isClosed = false

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The status of the first answer, 0 where there is none.
  var status: Int { statuses.first ?? 0 }

  /// The status of every answer.
  var statuses: [Int] {
    text.components(startingWith: "HTTP/1.").map { Int($0.dropFirst(2).prefix(3)) ?? 0 }
  }
}

extension String {
  /// The rest behind every occurrence of a mark.
  fileprivate func components(startingWith mark: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: mark) {
      rest = rest[range.upperBound...]
      parts.append(rest)
    }
    return parts
  }
}

/// Says something to a port of this machine and hears what comes until the other side closes.
func say(_ text: String, to port: UInt16) async -> Heard {
  await say(Array(text.utf8), to: port)
}

func say(_ bytes: [UInt8], to port: UInt16) async -> Heard {
  await onThread {
    let socket = RawSocket(port: port)
    socket.send(bytes)
    return socket.hear()
  }
}
