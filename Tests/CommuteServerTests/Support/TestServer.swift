import CommuteCore
import CommuteHTTP
import CommuteServer
import CommuteServerSQLite
import Synchronization

/// A running server, and a client that speaks to it.
struct TestServer: Sendable {
  let server: Server
  let address: ServerAddress
  let client: any HTTPClient
  let lines: LogLines

  /// Sends a request to a path.
  func send(
    _ method: HTTPMethod = .get, _ path: String, headers: HTTPHeaders = [:], body: [UInt8] = []
  ) async throws -> HTTPResponse {
    try await client.send(
      HTTPRequest(
        method: method, url: "http://127.0.0.1:\(address.port)\(path)", headers: headers,
        body: body))
  }

  /// Posts a body as JSON, by default without a token.
  func post(
    _ body: [UInt8], type: String? = "application/json", token: String? = nil
  ) async throws -> HTTPResponse {
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    headers["Authorization"] = token.map { "Bearer \($0)" }
    return try await send(.post, "/v1/sync", headers: headers, body: body)
  }

  /// One round of a device over HTTP.
  func round(
    _ device: inout TestDevice, _ operations: [CommuteCore.Operation] = [],
    token: String? = nil, limit: SyncRequest.Limit = SyncRequest.Limit()
  ) async throws -> SyncAnswer {
    let request = try device.request(operations, limit: limit)
    let response = try await post(request.encoded(), token: token)
    guard response.status == 200 else { throw UnexpectedStatus(response) }
    let answer = try SyncAnswer(decoding: response.body)
    device.apply(answer)
    return answer
  }
}

/// What the server logged.
final class LogLines: Sendable {
  private let kept = Mutex<(requests: [RequestLine], complaints: [String])>(([], []))

  var requests: [RequestLine] { kept.withLock { $0.requests } }
  var complaints: [String] { kept.withLock { $0.complaints } }

  func add(_ line: RequestLine) { kept.withLock { $0.requests.append(line) } }
  func add(_ complaint: String) { kept.withLock { $0.complaints.append(complaint) } }
}

/// An answer that the test did not wait for.
struct UnexpectedStatus: Error, CustomStringConvertible {
  let response: HTTPResponse

  init(_ response: HTTPResponse) { self.response = response }

  var description: String { "\(response.status): \(response.text)" }
}

extension HTTPResponse {
  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Runs the body against a server on a store of this folder.
func withServer<Result>(
  in folder: TemporaryFolder, settings: ServerSettings = ServerSettings(),
  rules: ServerRules = ServerRules(),
  _ body: (TestServer) async throws -> Result
) async throws -> Result {
  try await withServer(
    on: try await folder.openStore(rules: rules), settings: settings, body)
}

/// Runs the body against a server on a store.
func withServer<Result>(
  on store: any ServerStore, settings: ServerSettings = ServerSettings(),
  time: Int64 = TestDevice.time, _ body: (TestServer) async throws -> Result
) async throws -> Result {
  var settings = settings
  let lines = LogLines()
  settings.wall = { time }
  settings.log = { lines.add($0) }
  settings.complain = { lines.add($0) }
  let server = try Server(store: store, settings: settings)
  let address = try await server.start()
  let running = TestServer(
    server: server, address: address, client: makeClient(), lines: lines)
  do {
    let result = try await body(running)
    await server.drain()
    return result
  } catch {
    await server.drain()
    throw error
  }
}

func makeClient() -> any HTTPClient {
  #if os(Linux)
    CurlClient()
  #else
    URLSessionClient()
  #endif
}
