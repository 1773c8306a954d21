import CommuteCore
import CommuteServer
import CommuteServerSQLite
import Testing

/// The code of the module's articles.
@Suite struct ArticleTests {
  @Test func `a server of rules and a store says what a rule says`() async throws {
    let folder = try TemporaryFolder()
    let schema = try Schema(name: "library", version: 1, tables: [])
    let file = folder.file()
    // snippet: server
    var rules = ServerRules(schema)
    rules.refuse("book") { change in
      change.text("title") == "" ? "a book needs a title" : nil
    }
    let store = try await ServerSQLiteStore.open(file, rules: rules)
    let server = try Server(store: store, settings: ServerSettings())
    let address = try await server.start()
    // end
    var phone = TestDevice()
    let running = TestServer(
      server: server, address: address, client: makeClient(), lines: LogLines())
    let answer = try await running.round(&phone, [phone.operation(1, "")])
    #expect(answer.verdicts.map(\.kind) == [.rejected(.invalid, message: "a book needs a title")])
    await server.drain()
    await store.close()
  }
}
