import Testing

@testable import CommuteHTTP

@Suite struct GzipTests {
  /// Text that packs about 7:1, like records do.
  static func records(_ count: Int) -> [UInt8] {
    var state: UInt64 = 42
    var text = ""
    for number in 0..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let id = String(state, radix: 16)
      text += "{\"id\":\"\(id)\",\"title\":\"Title \(number)\",\"read\":false},"
    }
    return Array(text.utf8)
  }

  @Test(arguments: [20, 1000, 20_000]) func `what was packed unpacks to the same`(count: Int)
    throws
  {
    let plain = Self.records(count)
    let packed = try #require(Gzip.packed(plain))
    #expect(packed.count < plain.count / 2)
    let unpacked = try Gzip.unpacked(packed)
    let isSame = unpacked == plain
    #expect(isSame)
  }

  @Test func `what a receiver would refuse is not packed`() {
    #expect(Gzip.packed([UInt8](repeating: 97, count: 100_000)) == nil)
    #expect(Gzip.packed(Array(Self.records(5).prefix(1023))) == nil)
    var state: UInt64 = 1
    let noise = (0..<5000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40)
    }
    #expect(Gzip.packed(noise) == nil)
  }

  @Test func `a bomb goes no further than the ratio`() throws {
    let bomb = try GzipBomb.make(unpackedSize: 10 << 20)
    #expect(bomb.count < 100_000)
    #expect(throws: GzipError.tooLarge(limit: bomb.count * 20)) { try Gzip.unpacked(bomb) }
  }

  @Test func `nothing unpacks beyond the limit, whatever it says of itself`() throws {
    let plain = Self.records(2000)
    var packed = try #require(Gzip.packed(plain))
    let exact = try Gzip.unpacked(packed, limit: plain.count)
    let isSame = exact == plain
    #expect(isSame)
    #expect(throws: GzipError.tooLarge(limit: plain.count - 1)) {
      try Gzip.unpacked(packed, limit: plain.count - 1)
    }
    // The size that the last bytes state is a hint; zlib notices that it lies.
    packed.replaceSubrange(packed.count - 4..<packed.count, with: [1, 0, 0, 0])
    #expect(throws: GzipError.broken) { try Gzip.unpacked(packed) }
  }

  @Test func `a broken stream is said to be broken`() throws {
    let packed = try #require(Gzip.packed(Self.records(100)))
    #expect(throws: GzipError.broken) { try Gzip.unpacked([]) }
    #expect(throws: GzipError.broken) { try Gzip.unpacked(Array("plain text".utf8)) }
    #expect(throws: GzipError.broken) { try Gzip.unpacked(packed + [0]) }
    #expect(throws: GzipError.broken) { try Gzip.unpacked(packed + packed) }
    for count in stride(from: 0, to: packed.count, by: 97) {
      #expect(throws: GzipError.broken) { try Gzip.unpacked(Array(packed.prefix(count))) }
    }
  }

  @Test func `any single flipped byte is noticed or harmless`() throws {
    let plain = Self.records(20)
    let packed = try #require(Gzip.packed(plain))
    for place in packed.indices {
      var flipped = packed
      flipped[place] ^= 0x55
      let unpacked = try? Gzip.unpacked(flipped)
      let isHarmless = unpacked == nil || unpacked == plain
      #expect(isHarmless, "byte \(place)")
    }
  }

  @Test(
    arguments: [
      ("gzip", true), ("GZIP", true), ("deflate, gzip;q=0.5", true), ("gzip; q=1", true),
      ("gzip;q=0", false), ("gzip; q=0.000", false), ("br, deflate", false), ("", false),
      ("gzippy", false), ("identity;q=1, gzip", true),
    ])
  func `a client says whether it takes gzip`(text: String, isTaken: Bool) {
    #expect(ContentCoding.acceptsGzip(["Accept-Encoding": text]) == isTaken)
  }

  @Test func `a client that says nothing takes no gzip`() {
    #expect(!ContentCoding.acceptsGzip([:]))
  }
}
