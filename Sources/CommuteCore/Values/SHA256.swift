/// The hash of derived ids, operation bytes and schemas (FIPS 180-4).
///
/// It lives here because this module imports nothing and must give the same bytes in a browser.
public struct SHA256: Sendable {
  /// The 256 bits of a finished hash, as four big-endian quarters.
  public struct Digest: Hashable, Sendable {
    /// Bits 0 to 63.
    public var first: UInt64
    /// Bits 64 to 127.
    public var second: UInt64
    /// Bits 128 to 191.
    public var third: UInt64
    /// Bits 192 to 255.
    public var fourth: UInt64

    /// Makes a digest of its four quarters.
    public init(first: UInt64, second: UInt64, third: UInt64, fourth: UInt64) {
      self.first = first
      self.second = second
      self.third = third
      self.fourth = fourth
    }

    /// The 64 lower-case hexadecimal digits.
    public var text: String {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(64)
      for part in [first, second, third, fourth] {
        Hexadecimal.append(part, digits: 16, to: &bytes)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The 32 bytes, most significant first.
    public var bytes: [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(32)
      for part in [first, second, third, fourth] {
        for shift in stride(from: 56, through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: part >> UInt64(shift)))
        }
      }
      return bytes
    }

    /// Reads 64 lower-case hexadecimal digits; nil for anything else.
    public init?(text: String) {
      let bytes = Array(text.utf8)[...]
      guard bytes.count == 64, let first = Hexadecimal.read(bytes, from: 0, digits: 16),
        let second = Hexadecimal.read(bytes, from: 16, digits: 16),
        let third = Hexadecimal.read(bytes, from: 32, digits: 16),
        let fourth = Hexadecimal.read(bytes, from: 48, digits: 16)
      else { return nil }
      self.init(first: first, second: second, third: third, fourth: fourth)
    }
  }

  /// The eight words of a hash under way.
  private struct State {
    var a: UInt32 = 0x6A09_E667
    var b: UInt32 = 0xBB67_AE85
    var c: UInt32 = 0x3C6E_F372
    var d: UInt32 = 0xA54F_F53A
    var e: UInt32 = 0x510E_527F
    var f: UInt32 = 0x9B05_688C
    var g: UInt32 = 0x1F83_D9AB
    var h: UInt32 = 0x5BE0_CD19
  }

  private var state = State()
  /// The bytes of the block that is not full yet.
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  /// Starts a hash of nothing.
  public init() {}

  /// Hashes bytes in one call.
  public static func hash(_ bytes: [UInt8]) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// Adds bytes.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    let isDone: Void? = bytes.withContiguousStorageIfAvailable { unsafe absorb($0) }
    if isDone != nil { return }
    for byte in bytes {
      pending.append(byte)
      length &+= 1
      if pending.count == 64 { compressPending() }
    }
  }

  /// Adds bytes that lie side by side; whole blocks are not copied.
  private mutating func absorb(_ bytes: UnsafeBufferPointer<UInt8>) {
    length &+= UInt64(bytes.count)
    var at = 0
    if !pending.isEmpty {
      at = min(64 - pending.count, bytes.count)
      unsafe pending.append(contentsOf: bytes[..<at])
      guard pending.count == 64 else { return }
      compressPending()
    }
    while bytes.count - at >= 64 {
      unsafe compress(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[at..<at + 64]))
      at += 64
    }
    unsafe pending.append(contentsOf: bytes[at...])
  }

  /// Ends the hash and gives it.
  public mutating func finish() -> Digest {
    let bits = length &* 8
    pending.append(0x80)
    if pending.count > 56 {
      while pending.count < 64 { pending.append(0) }
      compressPending()
    }
    while pending.count < 56 { pending.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      pending.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    compressPending()
    return Digest(
      first: UInt64(state.a) << 32 | UInt64(state.b),
      second: UInt64(state.c) << 32 | UInt64(state.d),
      third: UInt64(state.e) << 32 | UInt64(state.f),
      fourth: UInt64(state.g) << 32 | UInt64(state.h))
  }

  private mutating func compressPending() {
    let block = pending
    pending.removeAll(keepingCapacity: true)
    unsafe block.withUnsafeBytes { unsafe compress($0) }
  }

  /// Takes in a block of 64 bytes.
  private mutating func compress(_ block: UnsafeRawBufferPointer) {
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for index in 0..<16 {
        let word = unsafe block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        unsafe words[index] = UInt32(bigEndian: word)
      }
      for index in 16..<64 {
        let low = unsafe words[index - 15]
        let high = unsafe words[index - 2]
        let first = Self.rotated(low, 7) ^ Self.rotated(low, 18) ^ low >> 3
        let second = Self.rotated(high, 17) ^ Self.rotated(high, 19) ^ high >> 10
        unsafe words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      unsafe Self.constants.withUnsafeBufferPointer { constants in
        unsafe mix(UnsafeBufferPointer(words), constants)
      }
    }
  }

  /// The 64 rounds.
  private mutating func mix(
    _ words: UnsafeBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
  ) {
    var now = state
    for index in 0..<64 {
      let big = Self.rotated(now.e, 6) ^ Self.rotated(now.e, 11) ^ Self.rotated(now.e, 25)
      let choice = now.e & now.f ^ ~now.e & now.g
      let first = unsafe now.h &+ big &+ choice &+ constants[index] &+ words[index]
      let small = Self.rotated(now.a, 2) ^ Self.rotated(now.a, 13) ^ Self.rotated(now.a, 22)
      let majority = now.a & now.b ^ now.a & now.c ^ now.b & now.c
      now.h = now.g
      now.g = now.f
      now.f = now.e
      now.e = now.d &+ first
      now.d = now.c
      now.c = now.b
      now.b = now.a
      now.a = first &+ small &+ majority
    }
    state.a &+= now.a
    state.b &+= now.b
    state.c &+= now.c
    state.d &+= now.d
    state.e &+= now.e
    state.f &+= now.f
    state.g &+= now.g
    state.h &+= now.h
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]
}
