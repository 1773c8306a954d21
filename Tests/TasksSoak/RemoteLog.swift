import CommuteHTTP
import Synchronization

/// The server that handlers call: it writes down every call, and knows nothing of the queue.
final class RemoteLog: Sendable {
  private let calls = Mutex<[Int: [String: Int]]>([:])
  private let server = Mutex<HTTPServer?>(nil)

  /// Begins to listen.
  ///
  /// - Returns: The port.
  func start() throws(SoakFailure) -> UInt16 {
    let server = HTTPServer(HTTPServerSettings()) { [self] request, _ in
      guard let number = request.query("number").flatMap({ Int($0) }),
        let key = request.query("key")
      else { return HTTPResponse(status: 400, line: "no call") }
      calls.withLock { $0[number, default: [:]][key, default: 0] += 1 }
      return HTTPResponse(status: 200, line: "done")
    }
    do {
      try server.start()
    } catch {
      throw SoakFailure(message: "no server can be started: \(error)")
    }
    self.server.withLock { $0 = server }
    return server.port
  }

  /// Ends.
  func stop() async {
    await server.withLock { $0 }?.drain(limit: .seconds(2))
  }

  /// How often each task was called with each key.
  var account: [Int: [String: Int]] { calls.withLock { $0 } }
}
