import CommuteCore

/// The changed fields of an operation in one run of bytes: the column `fields` of the outbox.
///
/// ```
/// format 1 · stamps · count · fields
/// field = name · value · place of the stamp × 8 + 1 if over + 2 if base + 4 if rule members · …
/// ```
enum PackedChange {
  private static let format: UInt8 = 1

  /// Writes changed fields.
  static func pack(
    _ fields: FieldMap<OperationField>, names: inout NumberedNames
  ) -> [UInt8] {
    var packer = Packer()
    pack(fields, names: &names, into: &packer)
    return packer.bytes
  }

  /// Writes changed fields in place of what the packer held.
  static func pack(
    _ fields: FieldMap<OperationField>, names: inout NumberedNames, into packer: inout Packer
  ) {
    packer.removeAll()
    packer.put(byte: format)
    var list = StampList()
    for entry in fields.entries { _ = list.place(of: entry.value.stamp) }
    packer.put(list.stamps, names: &names)
    packer.put(fields.count)
    for entry in fields.entries {
      let field = entry.value
      packer.put(entry.name.text)
      packer.put(field.value)
      var word = list.place(of: field.stamp) << 3
      if field.over != nil { word |= 1 }
      if field.base != nil { word |= 2 }
      let members = field.ruleMembers
      if !members.isEmpty { word |= 4 }
      packer.put(word)
      if let over = field.over {
        packer.put(over.stamp, names: &names)
        packer.put(over.origin, names: &names)
      }
      if let base = field.base { packer.put(base) }
      if !members.isEmpty { packer.put(members) }
    }
  }

  /// Writes the fields of a record that is made now, straight from memory, as ``pack`` would.
  static func packFresh(
    _ record: UnsafeRawPointer, stamp: Stamp, shape: TableShape, names: inout NumberedNames,
    into packer: inout Packer
  ) {
    packer.removeAll()
    packer.put(byte: format)
    packer.put(1)
    packer.put(stamp, names: &names)
    packer.put(shape.layout.count)
    for field in shape.sorted {
      packer.put(raw: shape.packedNames[field])
      shape.layout.pack(record, field, into: &packer)
      packer.put(0)
    }
  }

  /// Writes fields of a plain row that are changed now, as ``pack`` would.
  static func packChanged(
    _ row: PlainRow, changed: UInt64, stamp: Stamp, shape: TableShape,
    names: inout NumberedNames, into packer: inout Packer
  ) {
    packer.removeAll()
    packer.put(byte: format)
    packer.put(1)
    packer.put(stamp, names: &names)
    packer.put(changed.nonzeroBitCount)
    var place = 0
    for field in shape.sorted where changed >> UInt64(field) & 1 == 1 {
      packer.put(raw: shape.packedNames[field])
      packer.put(raw: row.changes.bytes[row.changeRanges[place]])
      // Over what showed, whose stamp is its origin, too, and with its value as base.
      packer.put(3)
      let over = row.stamp(of: field)
      packer.put(over, names: &names)
      packer.put(over, names: &names)
      packer.put(raw: row.value(of: field))
      place += 1
    }
  }

  /// Reads changed fields.
  ///
  /// - Throws: ``StoreError/corrupt(reason:)`` for anything that was not written by ``pack``.
  static func unpack(
    _ bytes: UnsafeRawBufferPointer, names: NumberedNames
  ) throws(StoreError) -> FieldMap<OperationField> {
    var reader = Unpacker(bytes)
    guard try reader.byte() == format else { throw Unpacker.damage }
    let stamps = try reader.stamps(names: names)
    var fields = FieldMap<OperationField>()
    let count = try reader.count()
    fields.reserveCapacity(count)
    for _ in 0..<count {
      let name = Key(try reader.text())
      let value = try reader.value()
      let word = try reader.index()
      guard stamps.indices.contains(word >> 3) else { throw Unpacker.damage }
      var field = OperationField(value: value, stamp: stamps[word >> 3])
      if word & 1 != 0 {
        let stamp = try reader.stamp(names: names)
        field.over = Over(stamp: stamp, origin: try reader.stamp(names: names))
      }
      if word & 2 != 0 { field.base = try reader.value() }
      if word & 4 != 0 { try take(try reader.members(), into: &field) }
      fields.append(name, field)
    }
    return fields
  }

  private static func take(
    _ members: FieldMap<[UInt8]>, into field: inout OperationField
  ) throws(StoreError) {
    do throws(WireError) {
      try field.setRuleMembers(members)
    } catch {
      throw Unpacker.damage
    }
  }
}
