/// The records of a page that are nothing but values under one stamp, still lying in its bytes.
///
/// Nearly every record of a first pull is of this kind. No text, list or map is made of them: a
/// store takes the values from the bytes as they came. They say the same as ``RecordMessage``s, and
/// ``message(at:)`` makes one where that is wanted.
package struct PlainRecords: Sendable {
  /// A table and the names of the fields that records of it have here, in their order.
  package struct Layout: Hashable, Sendable {
    /// The table.
    package var table: Key
    /// The names in ascending order.
    package var names: [Key]

    /// Makes a layout.
    package init(table: Key, names: [Key]) {
      self.table = table
      self.names = names
    }
  }

  /// A value, or where it stands in ``PlainRecords/bytes``.
  package enum Value: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case instant(Int64)
    case double(Double)
    /// The bytes between the quotes; there are no escapes among them.
    case text(start: Int32, count: Int32)
    /// A JSON array of texts without escapes and without spaces between them.
    case list(start: Int32, count: Int32)
  }

  /// One record.
  package struct Record: Sendable {
    /// The record's id.
    package var id = RecordID.zero
    /// Its revision.
    package var revision = Revision(epoch: Epoch(rawValue: 0), number: 0)
    /// The stamp and origin of all its fields.
    package var stamp = Stamp.floor
    /// Its place in ``PlainRecords/layouts``.
    package var layout = 0
    /// Its author's place in ``PlainRecords/authors``.
    package var author = 0
    /// Where its values begin in ``PlainRecords/values``; there is one for each name.
    package var firstValue = 0
    /// How many records of the page that are not plain stand before it.
    package var others = 0
  }

  /// The message in which all stands.
  package var bytes: [UInt8] = []
  /// The records in the order of the page.
  package var records: [Record] = []
  /// The values of all of them.
  package var values: [Value] = []
  /// What the records look like; few.
  package var layouts: [Layout] = []
  /// The users who changed them; few, the first one nobody.
  package var authors: [String] = [""]

  /// Begins without any.
  package init() {}

  /// Whether there is none.
  package var isEmpty: Bool { records.isEmpty }

  /// The record's table and id.
  package func key(at index: Int) -> RecordKey {
    RecordKey(table: layouts[records[index].layout].table, id: records[index].id)
  }

  /// The record as any other of a message.
  package func message(at index: Int) -> RecordMessage {
    let record = records[index]
    let names = layouts[record.layout].names
    var fields = FieldCollector<FieldState>(capacity: names.count)
    for (position, name) in names.enumerated() {
      let value = fieldValue(values[record.firstValue + position])
      fields.add(name, FieldState(value: value, stamp: record.stamp))
    }
    let state = RecordState(
      revision: record.revision, author: authors[record.author],
      fields: fields.finish() ?? FieldMap())
    return RecordMessage(key: key(at: index), state: state)
  }

  private func fieldValue(_ value: Value) -> FieldValue {
    switch value {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .instant(let number): return .instant(number)
    case .double(let number): return .double(number)
    case .text(let start, let count):
      return .text(text(Int(start), Int(start) + Int(count)))
    case .list(let start, let count):
      // `["one","two"]`: every second quote ends a text.
      var texts: [String] = []
      var opened: Int?
      for at in Int(start)..<Int(start) + Int(count) where bytes[at] == 0x22 {
        if let first = opened {
          texts.append(text(first, at))
          opened = nil
        } else {
          opened = at + 1
        }
      }
      return .list(texts)
    }
  }

  private func text(_ start: Int, _ end: Int) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }
}

extension SyncAnswer.Feed {
  /// All records in the order of the page, those that were kept plain among them.
  package var messages: [RecordMessage] {
    if plain.isEmpty { return records }
    var messages: [RecordMessage] = []
    messages.reserveCapacity(records.count + plain.records.count)
    for index in plain.records.indices {
      let others = min(plain.records[index].others, records.count)
      let read = messages.count - index
      if others > read { messages += records[read..<others] }
      messages.append(plain.message(at: index))
    }
    messages += records[(messages.count - plain.records.count)...]
    return messages
  }

  /// How many records the page has.
  package var recordCount: Int { records.count + plain.records.count }
}
