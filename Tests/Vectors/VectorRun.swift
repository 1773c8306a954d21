/// Golden vectors, played against the core: what was run, what failed, and a digest of all results.
///
/// A vector is a line `kind<TAB>input<TAB>expected`. Empty lines and lines that start with `#` are
/// skipped. What the core makes of an input is told by `vectorResult(kind:input:)`.
///
/// Two platforms that run the same vectors must come to equal runs: the digest also covers results
/// of vectors that failed.
public struct VectorRun: Hashable, Sendable {
  /// How many vectors were run.
  public private(set) var ran: UInt64 = 0
  /// How many of them gave another result than expected.
  public private(set) var failed: UInt64 = 0
  /// A hash (FNV-1a) of every result, in order.
  public private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Begins a run that has seen no vector yet.
  public init() {}

  /// Runs every vector of a file.
  ///
  /// - Returns: A line for each vector that failed, for people.
  public mutating func play(_ file: [UInt8], named name: String) -> [String] {
    var complaints: [String] = []
    var number: UInt64 = 0
    for line in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      ran += 1
      guard let complaint = complaint(about: line) else { continue }
      failed += 1
      complaints.append("\(name):\(number): \(complaint)")
    }
    return complaints
  }

  private mutating func complaint(about line: ArraySlice<UInt8>) -> String? {
    let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return "a vector is kind, input, expected, parted by tabs" }
    let kind = VectorKind(name: [UInt8](parts[0]))
    guard let result = vectorResult(kind: kind, input: [UInt8](parts[1])) else {
      return "no vector kind is called \(kind)"
    }
    mix(result)
    if result.elementsEqual(parts[2]) { return nil }
    let expected = String(decoding: parts[2], as: UTF8.self)
    return "\(kind): expected \(expected), got \(String(decoding: result, as: UTF8.self))"
  }

  /// Adds a result and its end to the digest.
  private mutating func mix(_ result: [UInt8]) {
    for byte in result { mix(byte) }
    mix(0xff)
  }

  private mutating func mix(_ byte: UInt8) {
    digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
  }
}
