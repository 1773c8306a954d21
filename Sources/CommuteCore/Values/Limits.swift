/// The default limits of the contract; each is an error that names the limit where data enters.
public enum Limits {
  /// Bytes of one record on the wire: 1 MiB.
  public static let recordBytes = 1 << 20
  /// Bytes of one operation with its bases on the wire: 2 MiB.
  public static let operationBytes = 2 << 20
  /// Bytes of a record that merging made: four times a record.
  public static let mergedBytes = 4 << 20
  /// Bytes of one field's text: 256 KiB.
  public static let textBytes = 256 << 10
  /// Bytes of a request: 8 MiB.
  public static let requestBytes = 8 << 20
  /// Bytes of a page: 1 MiB.
  public static let pageBytes = 1 << 20
  /// Nesting of JSON.
  public static let depth = 32
  /// Bytes of a feed's name.
  public static let feedNameBytes = 128
  /// Feeds of one device.
  public static let feeds = 1_000
  /// How far a stamp may be ahead of the server's time before it is settled anew, in milliseconds.
  public static let skewMilliseconds: UInt64 = 60_000
}

extension FieldValue {
  /// About how many bytes the value takes on the wire.
  public var approximateSize: Int {
    switch self {
    case .null, .boolean: 5
    case .integer, .instant, .double: 28
    case .text(let text): text.utf8.count + 2
    case .bytes(let bytes): bytes.count / 3 * 4 + 12
    case .list(let texts): texts.reduce(2) { $0 + $1.utf8.count + 3 }
    case .unknown(let json): json.count
    }
  }
}

extension Operation {
  /// About how many bytes the operation takes on the wire.
  public var approximateSize: Int {
    var size = 256
    for entry in fields.entries {
      size += entry.name.text.utf8.count * 2 + entry.value.value.approximateSize + 90
      if entry.value.rule != .latest { size += entry.value.approximateDetailSize }
    }
    for line in declares { size += line.text.utf8.count + 3 }
    return size + needs.count * 60
  }
}

extension OperationField {
  /// About how many bytes take what the rule needs beside the value.
  var approximateDetailSize: Int {
    let base = rule == .text ? base?.approximateSize ?? 0 : 0
    switch detail {
    case .none: return base + 16
    case .total(let shares): return 24 + shares.count * 120
    case .tags(let change):
      return change.added.reduce(24 + change.removed.count * 40) {
        $0 + $1.element.utf8.count + 44
      }
    case .replaces(let origins): return 32 + origins.count * 38
    }
  }
}

extension RecordState {
  /// About how many bytes the record takes on the wire.
  public var approximateSize: Int {
    var size = 160
    for entry in fields.entries {
      size += entry.name.text.utf8.count + entry.value.value.approximateSize + 4
      size += entry.value.merge.count
    }
    return size
  }
}
