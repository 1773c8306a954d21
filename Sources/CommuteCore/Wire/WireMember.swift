/// The members that messages have.
///
/// Reading turns a name into one of these by its bytes, so that no text is made for it; a bit for
/// the raw value marks what an object already had.
enum WireMember: UInt8, Hashable, Sendable, CaseIterable {
  case after, again, ancestry, author, base, build, bytes, code, creates, cursor, declares, deleted
  case device, devices, ended, epoch, feed, feeds, fence, fields, grant, hash, heads, holder, id,
    limit
  case message, more, name, needs, nonce, number, offers, operations, origin, origins, over, owner
  case `protocol`, record, records, renew, replaces, replica, replicas, reset, revision, revives
  case revoked, rule, schema, stamp, stamps, state, table, tags, time, total, value, verdict
  case verdicts, version
  /// A name that no message of this build has.
  case unknown

  /// The name on the wire; at most eight bytes, but for `operations`.
  var name: StaticString {
    switch self {
    case .after: "after"
    case .again: "again"
    case .ancestry: "ancestry"
    case .author: "author"
    case .base: "base"
    case .build: "build"
    case .bytes: "bytes"
    case .code: "code"
    case .creates: "creates"
    case .cursor: "cursor"
    case .declares: "declares"
    case .deleted: "deleted"
    case .device: "device"
    case .devices: "devices"
    case .ended: "ended"
    case .epoch: "epoch"
    case .feed: "feed"
    case .feeds: "feeds"
    case .fence: "fence"
    case .fields: "fields"
    case .grant: "grant"
    case .hash: "hash"
    case .heads: "heads"
    case .holder: "holder"
    case .id: "id"
    case .limit: "limit"
    case .message: "message"
    case .more: "more"
    case .name: "name"
    case .needs: "needs"
    case .nonce: "nonce"
    case .number: "number"
    case .offers: "offers"
    case .operations: "operations"
    case .origin: "origin"
    case .origins: "origins"
    case .over: "over"
    case .owner: "owner"
    case .protocol: "protocol"
    case .record: "record"
    case .records: "records"
    case .renew: "renew"
    case .replaces: "replaces"
    case .replica: "replica"
    case .replicas: "replicas"
    case .reset: "reset"
    case .revision: "revision"
    case .revives: "revives"
    case .revoked: "revoked"
    case .rule: "rule"
    case .schema: "schema"
    case .stamp: "stamp"
    case .stamps: "stamps"
    case .state: "state"
    case .table: "table"
    case .tags: "tags"
    case .time: "time"
    case .total: "total"
    case .value: "value"
    case .verdict: "verdict"
    case .verdicts: "verdicts"
    case .version: "version"
    case .unknown: ""
    }
  }
}

/// Finds members by the bytes of their names.
struct WireMemberTable: Sendable {
  /// The first eight bytes of a name, the first one lowest, by slot; zero where the slot is empty.
  private var words = [UInt64](repeating: 0, count: 256)
  /// The member of a slot.
  private var members = [WireMember](repeating: .unknown, count: 256)

  /// The table of all members.
  static let shared = WireMemberTable()

  private init() {
    for member in WireMember.allCases where member != .unknown {
      let word = Self.word(of: member.name)
      var slot = Self.slot(of: word)
      while words[slot] != 0 { slot = (slot + 1) & 0xFF }
      words[slot] = word
      members[slot] = member
    }
  }

  /// The member whose name begins with these bytes; the caller sees whether there are more.
  @inline(__always)
  func member(beginning word: UInt64) -> WireMember {
    var slot = Self.slot(of: word)
    while words[slot] != 0 {
      if words[slot] == word { return members[slot] }
      slot = (slot + 1) & 0xFF
    }
    return .unknown
  }

  @inline(__always)
  private static func slot(of word: UInt64) -> Int {
    Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  private static func word(of name: StaticString) -> UInt64 {
    name.withUTF8Buffer { bytes in
      var word: UInt64 = 0
      for index in 0..<min(8, bytes.count) {
        word |= unsafe UInt64(bytes[index]) << UInt64(index * 8)
      }
      return word
    }
  }
}
