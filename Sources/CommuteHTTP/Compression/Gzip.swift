internal import CZlib

/// Packing and unpacking of whole bodies, with both sides of the ratio limit.
///
/// A receiver stops at 20:1, so a sender does not pack what would exceed that: both rules stand
/// here, beside each other.
enum Gzip {
  /// The most bytes that one packed byte may stand for.
  static let ratioLimit = 20
  /// The most bytes that a body may unpack to: 16 MiB.
  static let unpackedLimit = 16 << 20
  /// What is smaller is sent as it is: packing would save less than a packet.
  static let packingFloor = 1024

  /// Unpacks a body.
  ///
  /// - Throws: `tooLarge` as soon as a limit is passed, before the bytes beyond it are made.
  static func unpacked(
    _ packed: [UInt8], limit: Int = unpackedLimit
  ) throws(GzipError) -> [UInt8] {
    let cap = min(limit, packed.count * ratioLimit)
    var stream = z_stream()
    guard commute_gzip_inflate_start(&stream) == Z_OK else { throw .broken }
    defer { inflateEnd(&stream) }
    // One byte beyond the cap tells a body that is just as long from one that goes on.
    var output = [UInt8](repeating: 0, count: min(statedSize(of: packed), cap) + 1)
    var written = 0
    while true {
      switch inflateStep(&stream, from: packed, into: &output, at: &written) {
      case Z_STREAM_END:
        guard stream.avail_in == 0 else { throw .broken }
        guard written <= cap else { throw .tooLarge(limit: cap) }
        output.removeLast(output.count - written)
        return output
      case Z_OK, Z_BUF_ERROR:
        guard written == output.count else { throw .broken }
        guard written <= cap else { throw .tooLarge(limit: cap) }
        // The size it states was too small: grow, but never beyond the cap.
        output.append(contentsOf: repeatElement(0, count: min(cap + 1 - written, written + 1024)))
      default: throw .broken
      }
    }
  }

  /// Packs a body fast; nil where that saves too little or a receiver would refuse the ratio.
  static func packed(_ plain: [UInt8]) -> [UInt8]? {
    guard plain.count >= packingFloor, plain.count <= unpackedLimit else { return nil }
    var stream = z_stream()
    guard commute_gzip_deflate_start(&stream, 1) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let bound = Int(deflateBound(&stream, UInt(plain.count)))
    let packed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      plain.withUnsafeBufferPointer { input in
        // zlib only reads here; its pointer is not const for old compilers.
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(bound)
        let code = deflate(&stream, Z_FINISH)
        count = code == Z_STREAM_END ? bound - Int(stream.avail_out) : 0
      }
    }
    let isWorthIt = !packed.isEmpty && packed.count < plain.count / 10 * 9
    return isWorthIt && plain.count <= packed.count * ratioLimit ? packed : nil
  }

  private static func inflateStep(
    _ stream: inout z_stream, from packed: [UInt8], into output: inout [UInt8],
    at written: inout Int
  ) -> Int32 {
    packed.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        let consumed = Int(stream.total_in)
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress).map { $0 + consumed }
        stream.avail_in = UInt32(clamping: input.count - consumed)
        stream.next_out = output.baseAddress.map { $0 + written }
        stream.avail_out = UInt32(clamping: output.count - written)
        let code = inflate(&stream, Z_NO_FLUSH)
        written = output.count - Int(stream.avail_out)
        return code
      }
    }
  }

  /// The size in the last four bytes; a hint only, for they may lie.
  private static func statedSize(of packed: [UInt8]) -> Int {
    guard packed.count >= 18 else { return 0 }
    return packed.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
