@testable import CommuteHTTP

/// A small gzip stream that unpacks to a lot.
enum GzipBomb {
  /// Zeros, packed by hand in the fixed code of RFC 1951: a literal, then runs of 258.
  ///
  /// The product's own packer refuses to make such a thing.
  static func make(unpackedSize: Int) throws -> [UInt8] {
    var bits = BitWriter()
    bits.write(1, count: 1)  // The last block,
    bits.write(1, count: 2)  // in the fixed code.
    bits.writeReversed(0x30, count: 8)  // A zero.
    let runs = (unpackedSize - 1) / 258
    for _ in 0..<runs {
      bits.writeReversed(0b1100_0101, count: 8)  // A run of 258,
      bits.writeReversed(0, count: 5)  // from one byte back.
    }
    bits.writeReversed(0, count: 7)
    let size = 1 + runs * 258
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bits.finished()
    bytes += littleEndian(checksum(ofZeros: size)) + littleEndian(UInt32(size))
    return bytes
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func checksum(ofZeros count: Int) -> UInt32 {
    let table = (0..<256).map { start -> UInt32 in
      (0..<8).reduce(UInt32(start)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
      }
    }
    var value = UInt32.max
    for _ in 0..<count { value = table[Int(value & 0xFF)] ^ value >> 8 }
    return ~value
  }

  private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var count: UInt32 = 0

    mutating func write(_ value: UInt32, count width: UInt32) {
      pending |= value << count
      count += width
      while count >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: pending))
        pending >>= 8
        count -= 8
      }
    }

    /// Codes are packed from their highest bit on.
    mutating func writeReversed(_ value: UInt32, count width: UInt32) {
      for bit in (0..<width).reversed() { write(value >> bit & 1, count: 1) }
    }

    func finished() -> [UInt8] {
      count > 0 ? bytes + [UInt8(truncatingIfNeeded: pending)] : bytes
    }
  }
}
