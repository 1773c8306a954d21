import CommuteCore
import CommuteHTTP
import CommuteServer
import Synchronization

/// What becomes of a request; it may be handed on to the server.
struct Reply: Sendable {
  typealias Body =
    @Sendable (SyncRequest, ScriptedClient) async throws(HTTPClientError) -> HTTPResponse

  let body: Body

  init(_ body: @escaping Body) {
    self.body = body
  }
}

/// A way to the server on which a test lies in wait: each request gets the next reply of the
/// script, or the usual one, which is what the real store of a server answers.
final class ScriptedClient: HTTPClient {
  private struct Content {
    var script: [Reply] = []
    var usual: Reply?
    var requests: [SyncRequest] = []
    var tokens: [String?] = []
    var running = 0
    var mostRunning = 0
  }

  private let server: any ServerStore
  private let time: VirtualTime
  private let content = Mutex(Content())

  init(server: any ServerStore, time: VirtualTime) {
    self.server = server
    self.time = time
  }

  /// Adds replies for the next requests.
  func next(_ replies: Reply...) {
    content.withLock { $0.script += replies }
  }

  /// Sets the reply where the script is at its end; nil for the server's.
  func usually(_ reply: Reply?) {
    content.withLock { $0.usual = reply }
  }

  /// The requests that were made, oldest first.
  var requests: [SyncRequest] { content.withLock { $0.requests } }
  /// The `Authorization` of each request.
  var tokens: [String?] { content.withLock { $0.tokens } }
  /// How many requests there were at once at most.
  var mostRunning: Int { content.withLock { $0.mostRunning } }

  func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    guard let message = try? SyncRequest(decoding: request.body) else {
      throw .badAddress(reason: "the test got a request that cannot be read")
    }
    let reply = content.withLock { content -> Reply? in
      content.requests.append(message)
      content.tokens.append(request.headers["Authorization"])
      content.running += 1
      content.mostRunning = max(content.mostRunning, content.running)
      return content.script.isEmpty ? content.usual : content.script.removeFirst()
    }
    defer { content.withLock { $0.running -= 1 } }
    guard let reply else { return try await passOn(message) }
    return try await reply.body(message, self)
  }

  /// What the server answers.
  func answer(_ request: SyncRequest) async throws(HTTPClientError) -> SyncAnswer {
    do {
      return try await server.answer(request, of: .local, time: time.wall)
    } catch {
      throw .notAnAnswer(reason: "\(error)")
    }
  }

  func passOn(_ request: SyncRequest) async throws(HTTPClientError) -> HTTPResponse {
    .json(try await answer(request))
  }
}

extension HTTPResponse {
  /// An answer as the server sends it.
  static func json(_ answer: SyncAnswer) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: ["Content-Type": "application/json"], body: answer.encoded())
  }
}

extension Reply {
  static func status(_ status: Int, retryAfter: Int? = nil) -> Reply {
    var response = HTTPResponse(status: status, line: "status \(status)")
    response.headers["Retry-After"] = retryAfter.map(String.init)
    return .response(response)
  }

  static func body(_ text: String, type: String?) -> Reply {
    var response = HTTPResponse(status: 200, body: Array(text.utf8))
    response.headers["Content-Type"] = type
    return .response(response)
  }

  private static func response(_ response: HTTPResponse) -> Reply {
    Reply { (_, _) async throws(HTTPClientError) in response }
  }

  static func failure(_ error: HTTPClientError) -> Reply {
    Reply { (_, _) async throws(HTTPClientError) in throw error }
  }

  /// The server's answer after the gate was opened.
  static func held(by gate: Gate) -> Reply {
    Reply { (request, client) async throws(HTTPClientError) in
      guard await gate.pass() else { throw .cancelled }
      return try await client.passOn(request)
    }
  }

  /// The server's answer, changed on its way.
  static func changed(_ change: @escaping @Sendable (inout SyncAnswer) -> Void) -> Reply {
    Reply { (request, client) async throws(HTTPClientError) in
      var answer = try await client.answer(request)
      change(&answer)
      return .json(answer)
    }
  }

  /// The server acts, and its answer is lost.
  static let lost = Reply { (request, client) async throws(HTTPClientError) in
    _ = try await client.passOn(request)
    throw .noNetwork(.connectionLost)
  }

  /// A status for requests that carry a book with a title, the server's answer for others.
  static func status(_ status: Int, withTitle title: String) -> Reply {
    Reply { (request, client) async throws(HTTPClientError) in
      let isMeant = request.operations.contains {
        $0.operation.fields["title"]?.value == .text(title)
      }
      guard isMeant else { return try await client.passOn(request) }
      return HTTPResponse(
        status: status, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
    }
  }
}
