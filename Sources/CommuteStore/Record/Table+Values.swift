import CommuteCore

extension Table {
  /// The values of a record's columns by field name.
  func values(
    of record: Model, mask: UInt64? = nil
  ) throws(StoreError) -> FieldMap<FieldValue> {
    var copy = record
    var outcome = Result<FieldMap<FieldValue>, StoreError>.success(FieldMap())
    withUnsafePointer(to: &copy) { pointer in
      do throws(StoreError) {
        outcome = .success(
          try layout.values(of: UnsafeRawPointer(pointer), mask: mask ?? layout.all))
      } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get()
  }

  /// The columns in which two records differ.
  func difference(_ one: Model, _ other: Model) -> UInt64 {
    withUnsafePointer(to: one) { one in
      withUnsafePointer(to: other) { other in
        layout.difference(UnsafeRawPointer(one), UnsafeRawPointer(other))
      }
    }
  }

  /// The record as it is read once what its columns hold was written; nil where a column does not
  /// take its own value back.
  func shown(_ record: Model, _ id: RecordID) -> Model? {
    var shown = blank
    shown.id = id
    let isWhole = withUnsafePointer(to: record) { record in
      withUnsafeMutablePointer(to: &shown) { shown in
        layout.access.allSatisfy { access in
          access.set(UnsafeMutableRawPointer(shown), access.get(UnsafeRawPointer(record)))
        }
      }
    }
    return isWhole ? shown : nil
  }

  /// Makes a record of fields; those that are missing or not understood keep the blank's value.
  func record(_ id: RecordID, _ fields: FieldMap<FieldState>) throws(StoreError) -> Model {
    var record = blank
    record.id = id
    withUnsafeMutablePointer(to: &record) { pointer in
      for (index, field) in layout.fields.enumerated() {
        guard let value = fields[field.name]?.value, field.admits(value) else { continue }
        _ = layout.access[index].set(UnsafeMutableRawPointer(pointer), value)
      }
    }
    return record
  }
}
