import CommuteCore
import Testing

/// The known answers are among the golden vectors; these are about how bytes are handed in.
@Suite struct SHA256Tests {
  @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 127, 128, 1_000])
  func `bytes may come in any portions`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for portion in [1, 3, 64, 100] {
      var hash = SHA256()
      var rest = bytes[...]
      while !rest.isEmpty {
        hash.update(rest.prefix(portion))
        rest = rest.dropFirst(portion)
      }
      #expect(hash.finish() == SHA256.hash(bytes), "\(count) bytes, \(portion) at a time")
    }
  }

  @Test func `a million letters have the hash of the standard`() {
    let digest = SHA256.hash([UInt8](repeating: 0x61, count: 1_000_000))
    #expect(
      digest.text == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func `the digest's bytes are those of its text`() {
    let digest = SHA256.hash([])
    #expect(digest.bytes.count == 32)
    #expect(Array(digest.bytes.prefix(2)) == [0xE3, 0xB0])
    #expect(digest.text.hasPrefix("e3b0"))
  }
}
