import CommuteSQLite

/// Copying the rows of a damaged table, as many as can be read.
///
/// A table is read from its beginning until the damage, and from its end back to it; where rows are
/// known by a number or an id, what lies between two damaged places is looked for by halving.
struct Salvage {
  let source: Connection
  let target: Connection
  let table: String
  /// The columns that make the key, in order; nothing where rows have numbers.
  let key: [String]
  private var copied = 0
  private var losses: [String] = []
  /// How many more places are looked at between damaged ones.
  private var probes = 400

  init(_ table: String, from source: Connection, to target: Connection) throws(SQLiteError) {
    self.table = table
    self.source = source
    self.target = target
    let isNumbered =
      try source.value(
        """
        SELECT sql NOT LIKE '%WITHOUT ROWID%' FROM sqlite_schema
        WHERE type = 'table' AND name = \(table)
        """) == .integer(1)
    key =
      isNumbered
      ? []
      : try target.all("SELECT name FROM pragma_table_info(\(table)) WHERE pk > 0 ORDER BY pk") {
        (row) throws(SQLiteError) in row.text(0)
      }
  }

  /// Copies what can be read.
  ///
  /// - Returns: How many rows, and what was not read.
  mutating func run() -> (copied: Int, losses: [String]) {
    var waiting = [Gap(low: nil, high: nil, error: .closed)]
    var dead: [Gap] = []
    // Breadth first: rows between two damaged pages are found before either page is searched.
    while !waiting.isEmpty {
      let range = waiting.removeFirst()
      guard let gap = copy(range) else { continue }
      guard let middle = middle(of: gap), probes > 0 else {
        dead.append(gap)
        continue
      }
      probes -= 2
      waiting.append(Gap(low: gap.low, high: middle, error: gap.error))
      waiting.append(Gap(low: middle, high: gap.high, error: gap.error))
    }
    note(dead)
    return (copied, losses)
  }

  /// Copies a range from both of its ends; what lies between is given back.
  private mutating func copy(_ range: Gap) -> Gap? {
    let up = scan(after: range.low, before: range.high, descending: false)
    guard let error = up.error else { return nil }
    let low = up.last ?? range.low
    let down = scan(after: low, before: range.high, descending: true)
    return Gap(low: low, high: down.last ?? range.high, error: error)
  }

  /// Names what cannot be read, ranges that touch as one.
  private mutating func note(_ dead: [Gap]) {
    var rest = dead
    while var gap = rest.popLast() {
      while let next = rest.firstIndex(where: { gap.touches($0) }) {
        gap = gap.joined(with: rest.remove(at: next))
      }
      let start = gap.low.map { "after \(Self.words($0))" } ?? "from the beginning"
      let end = gap.high.map { "before \(Self.words($0))" } ?? "to the end"
      losses.append("\(table): rows \(start) \(end) cannot be read (\(gap.error))")
    }
  }

  /// A range of keys of which nothing is known; both ends are outside of it.
  private struct Gap {
    var low: [SQLValue]?
    var high: [SQLValue]?
    var error: SQLiteError

    func touches(_ other: Gap) -> Bool {
      (high != nil && high == other.low) || (low != nil && low == other.high)
    }

    func joined(with other: Gap) -> Gap {
      high == other.low
        ? Gap(low: low, high: other.high, error: error)
        : Gap(low: other.low, high: high, error: error)
    }
  }

  private static func words(_ key: [SQLValue]) -> String {
    key.map { value in
      switch value {
      case .null: "null"
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .text(let text): "'\(text)'"
      case .bytes(let bytes):
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      case .pair(let high, let low):
        String(high, radix: 16) + String(low, radix: 16)
      }
    }.joined(separator: "/")
  }

  /// A key in the middle of a gap; nil where there is none, or none that can be computed.
  private func middle(of gap: Gap) -> [SQLValue]? {
    if key.isEmpty {
      let first = Self.number(gap.low) ?? 0
      let last = Self.number(gap.high) ?? first &+ 1 << 32
      return last > first && last - first > 1 ? [.integer(first + (last - first) / 2)] : nil
    }
    guard key == ["id"] else { return nil }
    let first = Self.id(gap.low) ?? 0
    let last = Self.id(gap.high) ?? .max
    guard last > first, last - first > 1 else { return nil }
    let half = first + (last - first) / 2
    return [.bytes((0..<16).map { UInt8(truncatingIfNeeded: half >> (120 - 8 * $0)) })]
  }

  private static func number(_ key: [SQLValue]?) -> Int64? {
    if case .integer(let number)? = key?.first { number } else { nil }
  }

  private static func id(_ key: [SQLValue]?) -> UInt128? {
    guard case .bytes(let bytes)? = key?.first, bytes.count == 16 else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Copies row by row until the end or the first that cannot be read.
  private mutating func scan(
    after low: [SQLValue]?, before high: [SQLValue]?, descending: Bool
  ) -> (last: [SQLValue]?, error: SQLiteError?) {
    var last: [SQLValue]?
    do throws(SQLiteError) {
      let statement = try selection(after: low, before: high, descending: descending)
      defer { statement.reset() }
      let width = max(key.count, 1)
      let count = statement.columnCount - width
      let names = (0..<count).map { SQL.quoted(statement.columnName($0 + width)) }
      let insertion = try target.prepare(
        "INSERT OR IGNORE INTO \(SQL.quoted(table))"
          + (key.isEmpty ? "(rowid, " : "(") + names.joined(separator: ", ") + ") VALUES ("
          + Array(repeating: "?", count: count + (key.isEmpty ? 1 : 0)).joined(separator: ", ")
          + ")")
      while try statement.step() {
        let values = statement.withRow { row in
          (0..<(count + width)).map { row.value($0) }
        }
        last = Array(values[..<width])
        insert(values, by: insertion, from: key.isEmpty ? 0 : width)
      }
      return (last, nil)
    } catch {
      return (last, error)
    }
  }

  private mutating func insert(
    _ values: [SQLValue], by insertion: Statement, from first: Int
  ) {
    for (index, value) in values[first...].enumerated() { insertion.bind(value, at: index + 1) }
    do throws(SQLiteError) {
      try insertion.run()
      copied += target.changes
    } catch {
      losses.append(
        "\(table): row \(Self.words(Array(values[..<max(key.count, 1)]))) holds what no column"
          + " takes (\(error))")
    }
  }

  private func selection(
    after low: [SQLValue]?, before high: [SQLValue]?, descending: Bool
  ) throws(SQLiteError) -> Statement {
    let names = key.isEmpty ? ["rowid"] : key.map { SQL.quoted($0) }
    let tuple = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
    let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
    let bound = names.count == 1 ? "?" : "(\(places))"
    var conditions: [String] = []
    if low != nil { conditions.append("\(tuple) > \(bound)") }
    if high != nil { conditions.append("\(tuple) < \(bound)") }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let order = names.map { $0 + (descending ? " DESC" : "") }.joined(separator: ", ")
    // Without an index of its own a table is read in the order of its key; others may be damaged.
    let statement = try source.prepare(
      "SELECT \(names.joined(separator: ", ")), * FROM \(SQL.quoted(table)) NOT INDEXED\(filter)"
        + " ORDER BY \(order)")
    statement.bind(all: (low ?? []) + (high ?? []))
    return statement
  }
}
