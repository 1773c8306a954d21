import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A server that answers every connection with the same bytes, however wrong, and ends it.
final class FakeServer: Sendable {
  /// How the connection ends behind the bytes.
  enum Ending {
    case close
    case reset
  }

  let port: UInt16
  private let listening: Int32

  init(answering bytes: [UInt8], ending: Ending = .close) async {
    let listening = RawSocket.open()
    _ = RawSocket.withLoopback(0) { bind(listening, $0, $1) }
    listen(listening, 16)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(listening, $0, &size)
      }
    }
    self.listening = listening
    port = UInt16(bigEndian: address.sin_port)
    startAnswering(bytes, ending)
  }

  convenience init(answering text: String, ending: Ending = .close) async {
    await self.init(answering: Array(text.utf8), ending: ending)
  }

  deinit {
    // Wakes the thread, which closes it.
    shutdown(listening, Int32(SHUT_RDWR))
  }

  private func startAnswering(_ bytes: [UInt8], _ ending: Ending) {
    let listening = listening
    Task {
      await onThread {
        while case let number = accept(listening, nil, nil), number >= 0 {
          let socket = RawSocket(number: number)
          _ = socket.hear { $0.contains("\r\n\r\n") }
          socket.send(bytes)
          if ending == .reset { socket.reset() }
        }
        close(listening)
      }
    }
  }

  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
}
