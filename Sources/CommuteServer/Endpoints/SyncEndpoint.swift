import CommuteCore
import CommuteHTTP

/// `POST /v1/sync`: one round of sync.
struct SyncEndpoint: Sendable {
  /// An answer, and what the log says of it.
  struct Round {
    var response: HTTPResponse
    var owner: String
    var detail: String
  }

  let store: any ServerStore
  let signIn: SignIn
  let gate: RoundGate
  let minimumSchema: UInt64
  let retrySeconds: Int64
  let wall: @Sendable () -> Int64
  let complain: @Sendable (String) -> Void

  func answer(_ request: HTTPRequest) async throws(ErrorBody) -> Round {
    let account = try account(of: request)
    guard Self.isJSON(request.headers) else { throw .notJSON }
    let bytes = request.body.count
    guard gate.enter(bytes: bytes) else { throw .overloaded(retryAfter: retrySeconds) }
    defer { gate.leave(bytes: bytes) }
    let message = try read(request.body)
    guard message.schema.version >= minimumSchema else {
      throw .oldSchema(message.schema.version, minimum: minimumSchema)
    }
    guard Account(owner: message.owner) == account else {
      throw .wrongOwner(message.owner, token: account)
    }
    do {
      let answer = try await store.answer(message, of: account, time: wall())
      return Round(
        response: .json(answer.encoded()), owner: account.owner,
        detail: Self.detail(message, answer))
    } catch {
      complain("\(account.owner): \(error)")
      throw ErrorBody(error, retryAfter: retrySeconds)
    }
  }

  private func account(of request: HTTPRequest) throws(ErrorBody) -> Account {
    switch signIn.account(of: request) {
    case .account(let account): return account
    case .missing: throw .needsSignIn(isInvalid: false)
    case .invalid: throw .needsSignIn(isInvalid: true)
    }
  }

  private func read(_ body: [UInt8]) throws(ErrorBody) -> SyncRequest {
    do throws(WireError) {
      return try SyncRequest(decoding: body)
    } catch {
      throw ErrorBody(error)
    }
  }

  /// Whether the body is said to be JSON; parameters do not matter, JSON is UTF-8.
  static func isJSON(_ headers: HTTPHeaders) -> Bool {
    let fields = headers.values(of: "Content-Type")
    guard fields.count == 1 else { return false }
    let type = fields[0].utf8.prefix { $0 != UInt8(ascii: ";") }
    let trimmed = type.split { $0 == 0x20 || $0 == 0x09 }
    return trimmed.count == 1
      && String(Substring(trimmed[0])).lowercased() == "application/json"
  }

  private static func detail(_ request: SyncRequest, _ answer: SyncAnswer) -> String {
    var applied = 0
    var refused = 0
    var later = 0
    for verdict in answer.verdicts {
      switch verdict.kind {
      case .applied, .duplicate: applied += 1
      case .rejected: refused += 1
      case .later: later += 1
      }
    }
    let records = answer.feeds.reduce(0) { $0 + $1.records.count }
    var text = "replica=\(request.replica.text) ops=\(request.operations.count)"
    text += " applied=\(applied) refused=\(refused) later=\(later) records=\(records)"
    if answer.feeds.contains(where: \.more) { text += " more" }
    if answer.renew != nil { text += " renew" }
    return text
  }
}
