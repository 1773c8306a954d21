import Testing

@testable import CommuteHTTP

/// Heads as the library lays them out, without the library.
@Suite struct HeadLayoutTests {
  /// The layout of a head that the library reads as this text: blanks, colons and line ends are
  /// where they must be.
  private func layout(_ lines: [String]) -> HeadLayout {
    var at: UInt = 1000
    func span(_ text: some StringProtocol) -> HeadLayout.Span {
      defer { at += UInt(text.utf8.count) }
      return .init(start: at, count: UInt(text.utf8.count))
    }
    let words = lines[0].split(separator: " ")
    let start = at
    let method = span(words[0])
    at += 1
    let target = span(words[1])
    at += 1
    let version = span(words[2])
    at += 2
    var fields: [(name: HeadLayout.Span, value: HeadLayout.Span)] = []
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let name = span(parts[0])
      at += 1 + UInt(parts[1].prefix { $0 == " " }.count)
      fields.append((name, span(parts[1].drop { $0 == " " })))
      at += 2
    }
    at += 2
    return HeadLayout(
      method: method, target: target, version: version, fields: fields, size: at - start)
  }

  let head = ["GET /a?b HTTP/1.1", "Host: a", "X-A:b", "X-B:", "X-C:   c d"]

  @Test func `a plain head is plain`() {
    #expect(layout(head).isPlain)
    #expect(layout(["GET / HTTP/1.0"]).isPlain)
  }

  @Test func `any part that is shorter than what was sent shows`() {
    for number in 0..<4 {
      var layout = layout(head)
      layout.fields[number].value.count &-= number == 2 ? 0 : 1
      layout.fields[number].value.start &-= number == 2 ? 1 : 0
      #expect(!layout.isPlain, "field \(number)")
    }
    var target = layout(head)
    target.target.count -= 1
    #expect(!target.isPlain)
  }

  @Test func `any part that lies elsewhere shows`() {
    for number in 0..<4 {
      var layout = layout(head)
      layout.fields[number].name.start += 500
      #expect(!layout.isPlain, "field \(number)")
    }
    for number in 0..<4 {
      var layout = layout(head)
      layout.fields.remove(at: number)
      #expect(!layout.isPlain, "without field \(number)")
    }
  }

  @Test func `bytes behind the last field show`() {
    var layout = layout(head)
    layout.size += 1
    #expect(!layout.isPlain)
  }

  @Test func `numbers at the end of memory do not overflow`() {
    var layout = layout(head)
    layout.size = .max
    layout.fields[3].value = .init(start: .max, count: .max)
    #expect(!layout.isPlain)
  }
}
