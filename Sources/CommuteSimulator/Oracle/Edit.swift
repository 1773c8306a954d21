/// A point in the order of writes: a number that only rises, and who wrote.
struct Moment: Equatable, Comparable {
  var time: UInt64
  var writer: UInt64

  /// The moment of seeds, before everything that anybody wrote.
  static let start = Moment(time: 0, writer: 0)

  static func < (left: Moment, right: Moment) -> Bool {
    left.time != right.time ? left.time < right.time : left.writer < right.writer
  }
}

/// A value as the oracle knows it: its first sixteen bytes, which tell all values of a history
/// apart.
struct Content: Equatable, Comparable {
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private(set) var count: Int32 = 0

  /// Packs bytes.
  init(_ bytes: some Sequence<UInt8>) {
    append(bytes)
  }

  /// Packs a number in eight bytes, the highest first.
  init(number: UInt64) {
    first = number
    count = 8
  }

  /// Packs bytes behind their count.
  init(counted bytes: some Collection<UInt8>) {
    append(CollectionOfOne(UInt8(truncatingIfNeeded: bytes.count)))
    append(bytes)
  }

  private mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if count < 8 {
        first |= UInt64(byte) &<< (56 &- UInt64(count) &* 8)
      } else if count < 16 {
        second |= UInt64(byte) &<< (120 &- UInt64(count) &* 8)
      }
      count += 1
    }
  }

  /// Orders by bytes, the shorter first.
  static func < (left: Content, right: Content) -> Bool {
    if left.first != right.first { return left.first < right.first }
    if left.second != right.second { return left.second < right.second }
    return left.count < right.count
  }

  /// A number that differs where contents do.
  var hash: UInt64 { first ^ second &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(count) }

  /// The bytes as text or numbers, for reports.
  var text: String {
    var bytes: [UInt8] = []
    for index in 0..<min(count, 16) {
      let half = index < 8 ? first : second
      bytes.append(UInt8(truncatingIfNeeded: half >> (56 - UInt64(index % 8) * 8)))
    }
    let isPlain = bytes.allSatisfy { $0 >= 0x20 }
    if isPlain { return String(decoding: bytes, as: UTF8.self) }
    return "0x" + bytes.drop { $0 == 0 }.map { String($0, radix: 16) }.joined(separator: ".")
  }
}

/// One field that a user wrote, or one record that a user deleted.
struct Edit {
  let device: Int
  /// Which field of which record, as one number.
  let place: Int
  let content: Content
  /// The edit whose value the writer saw; 0 where there was none.
  let parent: Int
  /// The commit of the device's file that holds it.
  let version: Int
  let isSeed: Bool
  /// The moment the writer gave it.
  var claimed: Moment
  /// The moment under which the server settled it.
  var settled: Moment?
  /// The moment under which a history of the server that is lost had settled it.
  var settledBefore: Moment?
  /// Whether its device no longer holds what the server told of it: the record was swept, or its
  /// feed taken away.
  var isReleased = false
  /// The commit of the device's file that marked it sent.
  var sentAt: Int?
  /// Whether the server told that the record had been deleted before.
  var isBuried = false
  /// Whether it was refused, and shown so.
  var isFailed = false
  /// Whether it went with a power loss or a restored file.
  var isLost = false
  /// The commit in which its writer took it back before it left.
  var withdrawnAt: Int?

  /// Whether it was sent, as far as its device's file knows.
  var hasLeft: Bool { sentAt != nil }

  /// Whether its writer took it back.
  var isWithdrawn: Bool { withdrawnAt != nil }
}

/// A promise that the oracle saw broken.
struct Breach {
  var invariant: Int
  var text: String
  /// The limit of the contract that it comes under; nil for none.
  var limit: KnownLimit?
}

/// What the contract states as a limit: an order that may be wrong, in which all agree.
enum KnownLimit: Int, CaseIterable {
  /// A file or a machine was put back that had sent more since.
  case putBack
  /// A file was copied while it held unsent work.
  case copied
  /// A server was put back that had settled a claim from the future, and its answer was lost.
  case lostAnswer
}
