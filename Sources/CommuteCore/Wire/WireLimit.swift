/// A limit of the wire; `Documentation/Protocol.md` lists them.
public enum WireLimit: UInt8, Hashable, Sendable, CaseIterable {
  /// The bytes of a request.
  case request
  /// The bytes of an answer, the same as a decompressed body may have.
  case answer
  /// The bytes of one operation with its bases.
  case operation
  /// The bytes of a record that merging made.
  case record
  /// The bytes of one text, byte string or unknown value of a field.
  case text
  /// The bytes of the name of a table, field or feed.
  case name
  /// The bytes of what a request says about its sender.
  case label
  /// The feeds of one request.
  case feeds
  /// How deeply JSON is nested.
  case depth

  /// How deeply JSON is nested that is kept and relayed unread; no message holds it deeper than the
  /// difference to ``depth``.
  static let keptDepth = 16

  /// The greatest value allowed.
  public var value: Int {
    switch self {
    case .request: Limits.requestBytes
    case .answer: 16 << 20
    case .operation: Limits.operationBytes
    case .record: Limits.mergedBytes
    case .text: Limits.textBytes
    case .name: Limits.feedNameBytes
    case .label: 1_024
    case .feeds: Limits.feeds
    case .depth: Limits.depth
    }
  }

  /// The limit's name.
  public var name: String {
    switch self {
    case .request: "request"
    case .answer: "answer"
    case .operation: "operation"
    case .record: "record"
    case .text: "text"
    case .name: "name"
    case .label: "label"
    case .feeds: "feeds"
    case .depth: "depth"
    }
  }

  /// The limit in words.
  public var message: String {
    switch self {
    case .request: "a request takes at most \(value) bytes; send fewer operations at once"
    case .answer: "an answer takes at most \(value) bytes"
    case .operation: "an operation takes at most \(value) bytes; make the change smaller"
    case .record: "a record takes at most \(value) bytes"
    case .text: "a text or byte string of a field takes at most \(value) bytes; shorten it"
    case .name: "a name of a table, field or feed takes at most \(value) bytes"
    case .label: "owner, build and device names take at most \(value) bytes"
    case .feeds: "a request asks about at most \(value) feeds"
    case .depth: "JSON is nested at most \(value) deep"
    }
  }
}
