import CommuteHTTP
import CommuteServer
import Foundation
import Testing

/// Pages for browsers, over real HTTP.
@Suite struct WebPagesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A folder of pages as `make web` makes them.
  private func pages() throws -> String {
    let web = folder.file("web")
    try FileManager.default.createDirectory(
      atPath: "\(web)/core", withIntermediateDirectories: true)
    let files: [String: String] = [
      "index.html": "<!doctype html><title>Books</title>", "core/wasm.js": "export {}",
      "core/wasm.js.br": "brotli", "core/wasm.js.gz": "gzip", "core.wasm": "\0asm",
      ".secret": "hidden", "a b.html": "odd", "lonely.gz": "no twin",
    ]
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(filePath: "\(web)/\(name)"))
    }
    try FileManager.default.createSymbolicLink(
      atPath: "\(web)/passwd.txt", withDestinationPath: "/etc/passwd")
    return web
  }

  private func withPages<Result>(
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    var settings = ServerSettings()
    settings.pages = try WebPages(directory: try pages())
    return try await withServer(in: folder, settings: settings, body)
  }

  @Test func `the page is what lies in the folder, and may load from its server only`() async throws
  {
    try await withPages { server in
      let response = try await server.send(.get, "/")
      #expect(response.status == 200)
      #expect(response.text == "<!doctype html><title>Books</title>")
      #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
      let policy = try #require(response.headers["Content-Security-Policy"])
      #expect(policy.contains("script-src 'self' 'wasm-unsafe-eval'"))
      #expect(!policy.contains("unsafe-inline"))
      #expect(response.headers["X-Content-Type-Options"] == "nosniff")
      #expect(response.headers["Referrer-Policy"] == "no-referrer")
      let same = try await server.send(.get, "/index.html?x=1")
      #expect(same.body == response.body)
      let module = try await server.send(.get, "/core.wasm")
      #expect(module.headers["Content-Type"] == "application/wasm")
    }
  }

  @Test func `what the client has already is not sent again`() async throws {
    try await withPages { server in
      let first = try await server.send(.get, "/core/wasm.js")
      let tag = try #require(first.headers["ETag"])
      let second = try await server.send(
        .get, "/core/wasm.js", headers: ["If-None-Match": "\"other\", \(tag)"])
      #expect(second.status == 304)
      #expect(second.body.isEmpty)
      #expect(second.headers["ETag"] == tag)
      let third = try await server.send(
        .get, "/core/wasm.js", headers: ["If-None-Match": "\"other\""])
      #expect(third.status == 200)
    }
  }

  @Test(arguments: [
    "/.secret", "/passwd.txt", "/../server.db", "/core/..%2Findex.html", "/%2e%2e/server.db", "//",
    "/core", "/core/", "/a%20b.html", "/core/wasm.js.br", "/INDEX.HTML", "/index.html/",
    "/\u{FF0E}\u{FF0E}/etc/passwd",
  ])
  func `no other path gives a file`(path: String) async throws {
    try await withPages { server in
      let response = try await server.send(.get, path)
      #expect(response.status == 404 || response.status == 400)
      #expect(!response.text.contains("root:"))
    }
  }

  @Test func `pages are only read, and devices are served as ever`() async throws {
    try await withPages { server in
      let response = try await server.send(.post, "/index.html", body: [1])
      #expect(response.status == 405)
      #expect(response.headers["Allow"] == "GET, HEAD")
      let head = try await server.send(.head, "/")
      #expect(head.status == 200)
      #expect(head.body.isEmpty)
      #expect(try await server.send(.get, "/health").status == 200)
      #expect(try await server.send(.get, "/lonely.gz").status == 200)
    }
  }

  @Test func `a server without pages has none`() async throws {
    try await withServer(in: folder) { server in
      let response = try await server.send(.get, "/")
      #expect(response.status == 404)
    }
  }

  private func refusal(of path: String) -> WebPages.Refusal? {
    do throws(WebPages.Refusal) {
      _ = try WebPages(directory: path)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a folder that is none, or has no index, is refused with what to do`() {
    #expect(refusal(of: folder.path) == .noIndex(path: folder.path))
    #expect(refusal(of: folder.path)?.description.contains("make web") == true)
    #expect(refusal(of: folder.file("none"))?.description.contains("make web") == true)
  }
}
