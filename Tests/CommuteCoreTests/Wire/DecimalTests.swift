import CommuteCore
import CommuteTestKit
import Testing

/// Doubles against the C library's conversion, which shares nothing with ours.
@Suite struct DecimalTests {
  static func read(_ text: String) -> Double? {
    guard case .double(let number)? = try? FieldValue(json: Array("{\"d\":\(text)}".utf8)) else {
      return nil
    }
    return number
  }

  static func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let expected = Double(text).flatMap { $0.isFinite ? $0 : nil }
    #expect(read(text) == expected, "\(text)", sourceLocation: sourceLocation)
  }

  @Test func `random numbers are read as the C library reads them`() {
    var random = SeededGenerator(seed: 21)
    for _ in 0..<20_000 {
      var text = random.draw(2) == 0 ? "" : "-"
      text += "\(1 + random.draw(9))"
      for _ in 0..<random.draw(random.draw(10) == 0 ? 60 : 20) { text += "\(random.draw(10))" }
      if random.draw(2) == 0 {
        text += "."
        for _ in 0...random.draw(25) { text += "\(random.draw(10))" }
      }
      if random.draw(3) > 0 { text += "e\(random.draw(660) - 340)" }
      Self.expect(text)
    }
  }

  @Test func `the shortest form reads back as the same double`() {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<20_000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      let json = FieldValue.double(number).json
      let text = String(decoding: json.dropFirst(5).dropLast(), as: UTF8.self)
      #expect(Self.read(text) == number, "\(text)")
      #expect(Double(text) == number, "\(text)")
      #expect(text.utf8.count <= 25)
    }
  }

  @Test func `numbers with digits without end are read, too`() {
    for zeros in [10, 400, 900] {
      let many = String(repeating: "0", count: zeros)
      Self.expect("0.\(many)1")
      Self.expect("1\(many)e-\(zeros)")
      Self.expect("0.\(many)1e\(zeros)")
      // A digit far behind the halfway point decides.
      Self.expect("9007199254740993.\(many)1")
      Self.expect("9007199254740993.\(many)")
      Self.expect("9007199254740992.\(String(repeating: "9", count: zeros))")
    }
  }
}
