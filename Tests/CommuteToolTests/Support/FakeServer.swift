import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A server that reads a request and answers with given bytes, whatever they are, then closes.
///
/// It is not made of the product's server, which would not say such things.
final class FakeServer: Sendable {
  /// Where it listens.
  let url: String
  private let socket: Int32
  private let count: Mutex<Int> = Mutex(0)

  /// How many requests came.
  var requests: Int { count.withLock { $0 } }

  /// Listens on a free port of this machine.
  init(_ answer: String) throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listener = Foundation.socket(AF_INET, kind, 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw BenchError(message: "no free port") }
    socket = listener
    url = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
    Thread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        if Self.readRequest(from: connection) { self?.count.withLock { $0 += 1 } }
        Self.write(Array(answer.utf8), to: connection)
        close(connection)
      }
    }.start()
  }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  /// A whole answer with a length.
  static func answer(
    _ status: String, type: String = "application/json", _ body: String, headers: String = ""
  ) -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n\(headers)"
      + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
  }

  /// Reads head and body, so that the answer is not taken for an early refusal.
  private static func readRequest(from connection: Int32) -> Bool {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let head = text.range(of: "\r\n\r\n") {
        let length = text[..<head.lowerBound].split(separator: "\r\n")
          .first { $0.lowercased().hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst("content-length:".count).filter(\.isNumber)) }
        let body = text.utf8.distance(from: head.upperBound, to: text.endIndex)
        if body >= length ?? 0 { return true }
      }
      let read = recv(connection, &part, part.count, 0)
      guard read > 0 else { return false }
      bytes += part[..<read]
    }
  }

  private static func write(_ bytes: [UInt8], to connection: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, noSignal) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  #if canImport(Glibc)
    private static let noSignal = Int32(MSG_NOSIGNAL)
  #else
    private static let noSignal: Int32 = 0
  #endif
}
