import Foundation

/// A client of the bench: one connection, requests that were written before, little work.
final class SmallClient {
  struct Failure: Error { var message: String }

  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var on: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, code == 0 else { throw Failure(message: "no connection: \(errno)") }
  }

  deinit { close(descriptor) }

  /// A request with its head.
  static func post(_ body: [UInt8]) -> [UInt8] {
    Array(
      ("POST /v1/sync HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
  }

  /// Sends a request and waits for its whole answer, which must be 200 and say that it is applied.
  func send(_ request: [UInt8]) throws {
    guard write(descriptor, request, request.count) == request.count else {
      throw Failure(message: "not sent: \(errno)")
    }
    var count = 0
    while true {
      let read = buffer.withUnsafeMutableBytes { bytes in
        recv(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count, 0)
      }
      guard read > 0 else { throw Failure(message: "no answer: \(errno)") }
      count += read
      guard let end = Self.end(of: buffer[..<count]) else { continue }
      guard count >= end else { continue }
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      guard text.hasPrefix("HTTP/1.1 200"), text.contains("\"applied\"") else {
        throw Failure(message: text)
      }
      return
    }
  }

  /// Where the answer ends, once its head is there.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    let text = String(decoding: bytes.prefix(1_024), as: UTF8.self)
    guard let head = text.range(of: "\r\n\r\n"),
      let field = text.range(of: "Content-Length: ", options: .caseInsensitive)
    else { return nil }
    let digits = text[field.upperBound...].prefix { $0.isNumber }
    return text[..<head.upperBound].utf8.count + (Int(digits) ?? 0)
  }
}
