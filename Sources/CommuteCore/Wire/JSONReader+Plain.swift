/// How the plain record before looked, by places in the message.
struct PlainForm {
  var table = JSONText(start: 0, end: 0, isPlain: true)
  /// Each field's name with its quotes and colon.
  var names: [JSONText] = []
  /// Its place among the page's layouts; nil before the first record.
  var layout: Int?
  var author = JSONText(start: 0, end: 0, isPlain: true)
  /// Its author's place among the page's.
  var authorIndex = 0
}

extension JSONReader {
  /// Reads the records of a page; those that are plain apart.
  mutating func records(plain page: inout PlainRecords) throws(JSONFault) -> [RecordMessage] {
    var records: [RecordMessage] = []
    try openArray()
    if peek() == 0x7B {
      let count = min((end - offset) / 300 + 1, 4_096)
      page.records.reserveCapacity(count)
      page.values.reserveCapacity(count * 8)
    }
    var form = PlainForm()
    var isFirst = true
    while try nextElement(isFirst: &isFirst) {
      if plainRecord(into: &page, &form, after: records.count) { continue }
      records.append(try record())
    }
    return records
  }

  /// Reads a record if it is plain and stands there as servers of ours write it.
  ///
  /// - Returns: Whether it was; if not, the reader stands where it stood. What is wrong with a
  ///   record, the general way finds out.
  private mutating func plainRecord(
    into page: inout PlainRecords, _ form: inout PlainForm, after others: Int
  ) -> Bool {
    skipSpace()
    let start = offset
    let depth = depth
    let count = page.values.count
    do throws(JSONFault) {
      if let record = try plain(into: &page, &form, others: others),
        offset - start <= WireLimit.record.value
      {
        page.records.append(record)
        return true
      }
    } catch {
      // The general way says what it is.
    }
    offset = start
    self.depth = depth
    page.values.removeLast(page.values.count - count)
    form.layout = nil
    return false
  }

  private mutating func plain(
    into page: inout PlainRecords, _ form: inout PlainForm, others: Int
  ) throws(JSONFault) -> PlainRecords.Record? {
    var record = PlainRecords.Record()
    guard passes("{\"id\":") else { return nil }
    record.id = try identifier(try scanText())
    guard passes(",\"table\":") else { return nil }
    let table = try scanText()
    guard passes(",\"revision\":") else { return nil }
    record.revision = try revision()
    if passes(",\"author\":") {
      guard let author = plainAuthor(try scanText(), in: &page, &form) else { return nil }
      record.author = author
    }
    guard passes(",\"stamps\":{") else { return nil }
    record.stamp = try stamp(try scanText())
    guard passes(":\"*\"},\"fields\":{") else { return nil }
    record.firstValue = page.values.count
    record.others = others
    guard let layout = try plainFields(of: table, into: &page, &form) else { return nil }
    record.layout = layout
    return passes("}") ? record : nil
  }

  /// Passes a literal, if that is what comes.
  @inline(__always)
  private mutating func passes(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard count <= end - offset else { return false }
    for index in 0..<count {
      let expected = unsafe literal.utf8Start[index]
      if unsafe buffer[offset + index] != expected { return false }
    }
    offset += count
    return true
  }

  /// The author's place among those of the page; nil where there are too many.
  private mutating func plainAuthor(
    _ text: JSONText, in page: inout PlainRecords, _ form: inout PlainForm
  ) -> Int? {
    if form.authorIndex > 0, isSame(text, form.author) { return form.authorIndex }
    let name = string(text)
    var found = page.authors.firstIndex { $0.hasSameBytes(as: name) }
    if found == nil, page.authors.count < Self.mostKinds {
      found = page.authors.count
      page.authors.append(name)
    }
    guard let found else { return nil }
    form.author = text
    form.authorIndex = found
    return found
  }

  /// Reads the fields, whose names mostly are those of the record before.
  ///
  /// - Returns: The place of their layout; nil where they are not plain.
  private mutating func plainFields(
    of table: JSONText, into page: inout PlainRecords, _ form: inout PlainForm
  ) throws(JSONFault) -> Int? {
    var isSame = form.layout != nil && self.isSame(table, form.table)
    var position = 0
    while byte(offset) != 0x7D {
      if position > 0 {
        guard passes(",") else { return nil }
      }
      if isSame, position < form.names.count, passes(form.names[position]) {
        position += 1
      } else {
        form.names.removeLast(form.names.count - position)
        isSame = false
        let start = offset
        guard try scanText().isPlain, passes(":") else { return nil }
        form.names.append(JSONText(start: start, end: offset, isPlain: true))
        position += 1
      }
      guard try plainValue(into: &page) else { return nil }
    }
    offset += 1
    if isSame, position == form.names.count { return form.layout }
    form.names.removeLast(form.names.count - position)
    return try plainLayout(of: table, in: &page, &form)
  }

  /// Passes what stands at another place of the message, if the same comes.
  @inline(__always)
  private mutating func passes(_ text: JSONText) -> Bool {
    guard text.count <= end - offset, isSame(text.start, offset, count: text.count) else {
      return false
    }
    offset += text.count
    return true
  }

  /// The layout with these names, a new one where there is none; nil where names are out of order
  /// or the page has too many layouts.
  private mutating func plainLayout(
    of table: JSONText, in page: inout PlainRecords, _ form: inout PlainForm
  ) throws(JSONFault) -> Int? {
    var layout = PlainRecords.Layout(table: try key(table), names: [])
    for text in form.names {
      let name = try key(JSONText(start: text.start + 1, end: text.end - 2, isPlain: true))
      if let last = layout.names.last, !(last < name) { return nil }
      layout.names.append(name)
    }
    var found = page.layouts.firstIndex(of: layout)
    if found == nil, page.layouts.count < Self.mostKinds {
      found = page.layouts.count
      page.layouts.append(layout)
    }
    form.table = table
    form.layout = found
    return found
  }

  /// How many authors and layouts a page is searched for.
  private static var mostKinds: Int { 64 }

  /// Reads a value.
  ///
  /// - Returns: Whether it is plain.
  @inline(__always)
  private mutating func plainValue(into page: inout PlainRecords) throws(JSONFault) -> Bool {
    switch byte(offset) {
    case 0x22:
      let text = try scanText()
      guard text.isPlain, text.count <= WireLimit.text.value else { return false }
      page.values.append(.text(start: Int32(text.start), count: Int32(text.count)))
    case 0x74, 0x66: page.values.append(.boolean(try boolean()))
    case 0x6E:
      try literal("null")
      page.values.append(.null)
    case 0x5B: return try plainList(into: &page)
    case 0x7B:
      switch try taggedValue() {
      case .integer(let number): page.values.append(.integer(number))
      case .instant(let number): page.values.append(.instant(number))
      case .double(let number): page.values.append(.double(number))
      default: return false
      }
    default: return false
    }
    return true
  }

  private mutating func plainList(into page: inout PlainRecords) throws(JSONFault) -> Bool {
    let start = offset
    offset += 1
    while byte(offset) != 0x5D {
      if offset > start + 1 {
        guard passes(",") else { return false }
      }
      let text = try scanText()
      guard text.isPlain, text.count <= WireLimit.text.value else { return false }
    }
    offset += 1
    page.values.append(.list(start: Int32(start), count: Int32(offset - start)))
    return true
  }
}
