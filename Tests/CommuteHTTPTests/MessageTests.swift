import Testing

@testable import CommuteHTTP

@Suite struct MessageTests {
  @Test func `fields are found whatever their case and kept in order`() {
    var headers: HTTPHeaders = ["Content-Type": "a", "X-A": "1", "x-a": "2"]
    #expect(headers["content-TYPE"] == "a")
    #expect(headers["X-A"] == "1")
    #expect(headers.values(of: "X-a") == ["1", "2"])
    headers["X-A"] = "3"
    #expect(headers.map(\.name) == ["Content-Type", "X-A"])
    headers["content-type"] = nil
    #expect(headers.map(\.value) == ["3"])
    #expect(headers["Absent"] == nil)
  }

  @Test func `only letters of the alphabet lose their case`() {
    #expect(!HTTPHeaders.isSame("@", "`"))
    #expect(!HTTPHeaders.isSame("[", "{"))
    #expect(!HTTPHeaders.isSame("ä", "Ä"))
    #expect(!HTTPHeaders.isSame("a", "ab"))
    #expect(HTTPHeaders.isSame("ETag", "etag"))
  }

  @Test(
    arguments: [
      ("/a/b?c=d", "/a/b"), ("/", "/"), ("/?x", "/"), ("http://h:1/a?b", "/a"), ("http://h", "/"),
      ("http://h?a=/b", "/"), ("/a?b?c", "/a"), ("/a%2Fb", "/a%2Fb"), ("", ""), ("*", "*"),
      ("/a#b", "/a"), ("/a://b/c", "/a://b/c"),
    ])
  func `a path ends before the query`(url: String, path: String) {
    #expect(HTTPRequest(url: url).path == path)
  }

  @Test(
    arguments: [
      ("/?nonce=abc", "abc"), ("/?a=1&nonce=a%20b", "a b"), ("/?nonce=a+b", "a b"),
      ("/?nonce=", ""), ("/?nonce", ""), ("/?nonce=1&nonce=2", "1"), ("/?n%6Fnce=x", "x"),
      ("/?nonce=%C3%A4", "ä"), ("/?nonce=a=b", "a=b"), ("http://h/x?nonce=1#2", "1"),
    ])
  func `a query gives up its values`(url: String, value: String) {
    #expect(HTTPRequest(url: url).query("nonce") == value)
  }

  @Test(arguments: [
    "/", "/?", "/?a=nonce", "/?nonce=%", "/?nonce=%2", "/?nonce=%zz", "/?nonce=%ff",
  ])
  func `what a query lacks or writes wrongly is nil`(url: String) {
    #expect(HTTPRequest(url: url).query("nonce") == nil)
  }
}
