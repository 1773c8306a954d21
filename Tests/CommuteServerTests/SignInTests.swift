import CommuteCore
import CommuteHTTP
import CommuteServer
import Testing

@Suite struct `sign-in by token` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The line of a token in a file.
  private func line(_ tenant: String, _ user: String, _ token: String) -> String {
    "\(tenant) \(user) \(SHA256.hash(Array(token.utf8)).text)\n"
  }

  private func withTokens<Result>(
    _ text: String, _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try folder.write(text, to: "tokens")
    var settings = ServerSettings()
    settings.tokenFile = folder.file("tokens")
    return try await withServer(in: folder, settings: settings, body)
  }

  @Test func `a token says whose data it is`() async throws {
    let tokens = "# ours\n\n" + line("one", "ann", "first") + line("two", "bob", "second")
    try await withTokens(tokens) { server in
      var ann = TestDevice(0xA, account: Account(tenant: "one", user: "ann"))
      var bob = TestDevice(0xA, account: Account(tenant: "two", user: "bob"))
      _ = try await server.round(&ann, [ann.operation(1, "Emma")], token: "first")
      _ = try await server.round(&bob, [bob.operation(1, "Dracula")], token: "second")
      var reader = TestDevice(0xB, account: ann.account)
      var other = TestDevice(0xB, account: bob.account)
      let read = try await server.round(&reader, token: "first")
      let others = try await server.round(&other, token: "second")
      #expect(read.records.map { $0.text("title") } == ["Emma"])
      #expect(others.records.map { $0.text("title") } == ["Dracula"])
      let crossed = try await server.post(try other.request().encoded(), token: "first")
      #expect(crossed.status == 409)
    }
  }

  @Test func `without a valid token nothing is answered but the way to sign in`() async throws {
    try await withTokens(line("one", "ann", "first")) { server in
      var ann = TestDevice(0xA, account: Account(tenant: "one", user: "ann"))
      let body = try ann.request([ann.operation(1, "Emma")]).encoded()
      let missing = try await server.post(body)
      #expect(missing.status == 401)
      #expect(missing.headers["WWW-Authenticate"] == "Bearer realm=\"commute\"")
      let wrong = try await server.post(body, token: "First")
      #expect(wrong.status == 401)
      #expect(wrong.headers["WWW-Authenticate"]?.contains("invalid_token") == true)
      #expect(try Refusal(wrong).error == "needsSignIn")
      for field in ["Basic first", "Bearer", "Bearer first again", "first", "Bearer  "] {
        let headers: HTTPHeaders = [
          "Content-Type": "application/json", "Authorization": field,
        ]
        let response = try await server.send(.post, "/v1/sync", headers: headers, body: body)
        #expect(response.status == 401, "\(field)")
      }
      #expect(try await server.send(.get, "/v1/ping?nonce=a").status == 200)
      let host = try await server.send(.get, "/health", headers: ["Host": "sync.example"])
      #expect(host.status == 200)
      for logged in server.lines.requests { #expect(!logged.text.contains("irst")) }
    }
  }

  @Test func `the word Bearer has any case`() async throws {
    try await withTokens(line("one", "ann", "first")) { server in
      var ann = TestDevice(0xA, account: Account(tenant: "one", user: "ann"))
      let headers: HTTPHeaders = [
        "Content-Type": "application/json", "Authorization": "bearer first",
      ]
      let body = try ann.request().encoded()
      #expect(try await server.send(.post, "/v1/sync", headers: headers, body: body).status == 200)
    }
  }

  @Test func `a changed file is in force with the next request`() async throws {
    try await withTokens(line("one", "ann", "first")) { server in
      var ann = TestDevice(0xA, account: Account(tenant: "one", user: "ann"))
      let body = try ann.request().encoded()
      #expect(try await server.post(body, token: "first").status == 200)
      try folder.write(line("one", "ann", "renewed"), to: "tokens")
      #expect(try await server.post(body, token: "first").status == 401)
      #expect(try await server.post(body, token: "renewed").status == 200)
    }
  }

  @Test func `a changed file that cannot be used leaves the tokens in force, and is told once`()
    async throws
  {
    try await withTokens(line("one", "ann", "first")) { server in
      var ann = TestDevice(0xA, account: Account(tenant: "one", user: "ann"))
      let body = try ann.request().encoded()
      try folder.write("one ann\n", to: "tokens")
      #expect(try await server.post(body, token: "first").status == 200)
      #expect(try await server.post(body, token: "first").status == 200)
      #expect(server.lines.complaints.count == 1)
      #expect(server.lines.complaints.first?.contains("line 1") == true)
      server.server.reloadTokens()
      #expect(server.lines.complaints.count == 2)
    }
  }

  private static let hash = String(repeating: "0", count: 64)

  @Test(arguments: [
    ("one ann\n", "line 1 of the tokens has 2 words; write: tenant user token-sha256"),
    ("# hm\none ann abc\n", "line 2 of the tokens does not end with the 64"),
    ("a/b ann \(hash)", "line 1 of the tokens has a slash"),
    ("one ann \(hash)\r\ntwo bob \(hash)", "line 2 of the tokens has the token of line 1"),
  ])
  func `a line that says something else is named`(text: String, words: String) throws {
    try folder.write(text, to: "tokens")
    var settings = ServerSettings()
    settings.tokenFile = folder.file("tokens")
    let error = #expect(throws: ServerError.self) {
      try Server(store: MemoryStore(), settings: settings)
    }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test func `a file that is not there is named`() throws {
    var settings = ServerSettings()
    settings.tokenFile = folder.file("nowhere")
    let error = #expect(throws: ServerError.self) {
      try Server(store: MemoryStore(), settings: settings)
    }
    #expect(error?.description.contains("nowhere") == true)
  }

  @Test func `hashes may be written in capitals`() throws {
    let hash = SHA256.hash(Array("first".utf8)).text.uppercased()
    let table = try TokenTable("one\tann  \(hash)\r\n")
    #expect(table.count == 1)
    #expect(table.account(of: "first") == Account(tenant: "one", user: "ann"))
    #expect(table.account(of: "second") == nil)
    #expect(table.account(of: "") == nil)
  }

  @Test func `every token of many is found`() throws {
    let table = try TokenTable((0..<300).map { line("t\($0)", "u", "token \($0)") }.joined())
    for number in [0, 1, 150, 299] {
      #expect(table.account(of: "token \(number)")?.tenant == "t\(number)")
    }
    #expect(table.account(of: "token 300") == nil)
  }

  @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.0.0.1.example.org"])
  func `without tokens a server that others could reach does not start`(host: String) {
    var settings = ServerSettings()
    settings.http.host = host
    #expect(throws: ServerError.needsTokens(host: host)) {
      try Server(store: MemoryStore(), settings: settings)
    }
  }
}
