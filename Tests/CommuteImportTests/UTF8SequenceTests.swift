import Testing

@testable import CommuteImport

@Suite struct UTF8SequenceTests {
  /// Where the first byte stands that Swift's own decoder does not take.
  private func isText(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  private func isTextHere(_ bytes: [UInt8]) -> Bool {
    var index = 0
    while index < bytes.count {
      guard let length = UTF8Sequence.length(in: bytes, at: index) else { return false }
      index += length
    }
    return true
  }

  @Test func `every pair of bytes is judged as Swift judges it`() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        if isText(bytes) != isTextHere(bytes) { Issue.record("\(bytes)") }
      }
    }
  }

  @Test func `every edge of three and four bytes is judged as Swift judges it`() {
    let leads: [UInt8] = [0x7F, 0xC1, 0xC2, 0xDF] + Array(0xE0...0xF8) + [0xFF]
    let edges: [UInt8] = [
      0x00, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xBE, 0xBF, 0xC0, 0xC2, 0xE1, 0xF0, 0xFF,
    ]
    for lead in leads {
      for second in edges {
        for third in edges {
          let three = [lead, second, third]
          if isText(three) != isTextHere(three) { Issue.record("\(three)") }
          for fourth in edges {
            let four = three + [fourth]
            if isText(four) != isTextHere(four) { Issue.record("\(four)") }
          }
        }
      }
    }
  }
}
