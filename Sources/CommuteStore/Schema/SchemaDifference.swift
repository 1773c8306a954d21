/// One thing in which a schema differs from the one that was released before it.
public struct SchemaDifference: Hashable, Sendable {
  /// What a difference means for files that are there already.
  public enum Effect: Hashable, Sendable {
    /// Something is new; files take it by themselves.
    case addition
    /// Something is gone, and a named step takes care of what it held.
    case replacement
    /// Something is gone or is another thing under the same name: it must not be released.
    case destruction
  }

  /// What it means.
  public let effect: Effect
  /// What differs, in a line.
  public let text: String
  /// What to do about it; nil where nothing need be done.
  public let cure: String?

  /// The line for people.
  public var message: String { cure.map { "\(text); \($0)" } ?? text }
}

extension SchemaDescription {
  /// In what this schema differs from one that was released; nothing where they are the same.
  ///
  /// Columns and tables that are gone need a named step that says so. What the server and other
  /// devices rely on (a field's rule, a table's rule) never changes under the same name.
  public func differences(from released: SchemaDescription) -> [SchemaDifference] {
    guard text != released.text else { return [] }
    var found = steps(since: released)
    let replaced = Set(steps.flatMap(\.replacing))
    for name in Set(tables.keys).union(released.tables.keys).sorted() {
      switch (released.tables[name], tables[name]) {
      case (nil, .some): found.append(.added("table \(name)"))
      case (.some, nil): found.append(.gone(name, "table \(name)", replaced))
      case (.some(let old), .some(let new)):
        found += Self.differences(of: name, from: old, to: new, replaced)
      case (nil, nil): break
      }
    }
    if name != released.name {
      found.append(
        SchemaDifference(
          effect: .destruction, text: "the schema is called \(name), was \(released.name)",
          cure: "call it \(released.name) again"))
    }
    if version < released.version || (version == released.version && !found.isEmpty) {
      found.append(
        SchemaDifference(
          effect: .destruction, text: "the version is \(version), \(released.version) is released",
          cure: "raise it to \(released.version + 1)"))
    }
    if found.isEmpty {
      found.append(.added("the version is \(version), was \(released.version)"))
    }
    return found
  }

  private func steps(since released: SchemaDescription) -> [SchemaDifference] {
    let old = Set(released.steps.map(\.name))
    guard let first = steps.firstIndex(where: { !old.contains($0.name) }) else {
      return steps == released.steps ? [] : [.added("steps \(names(released.steps)) changed")]
    }
    if let later = steps[first...].first(where: { old.contains($0.name) }) {
      return [
        SchemaDifference(
          effect: .destruction, text: "the step \(steps[first].name) stands before \(later.name)",
          cure: "put new steps at the end")
      ]
    }
    return steps[first...].map { .added("step \($0.name)") }
  }

  private func names(_ steps: [Step]) -> String {
    steps.map(\.name).joined(separator: ", ")
  }

  private static func differences(
    of table: String, from old: Table, to new: Table, _ replaced: Set<String>
  ) -> [SchemaDifference] {
    var found: [SchemaDifference] = []
    if old.rule != new.rule {
      found.append(.changed("table \(table)", old.rule, new.rule, "table"))
    }
    for name in Set(old.fields.keys).union(new.fields.keys).sorted() {
      let path = "\(table).\(name)"
      switch (old.fields[name], new.fields[name]) {
      case (nil, .some): found.append(.added("column \(path)"))
      case (.some, nil): found.append(.gone(path, "column \(path)", replaced))
      case (.some(let before), .some(let after)) where before != after:
        found.append(
          .changed(
            "column \(path)", before.joined(separator: " "), after.joined(separator: " "),
            "column"))
      default: break
      }
    }
    for line in new.others where !old.others.contains(line) {
      found.append(.added("\(line) of table \(table)"))
    }
    for line in old.others where !new.others.contains(line) {
      found.append(.gone(table, "\(line) of table \(table)", replaced))
    }
    return found
  }
}

extension SchemaDifference {
  fileprivate static func added(_ text: String) -> SchemaDifference {
    SchemaDifference(effect: .addition, text: "new: \(text)", cure: nil)
  }

  fileprivate static func gone(
    _ path: String, _ text: String, _ replaced: Set<String>
  ) -> SchemaDifference {
    if replaced.contains(path) {
      return SchemaDifference(effect: .replacement, text: "gone: \(text)", cure: nil)
    }
    return SchemaDifference(
      effect: .destruction, text: "gone: \(text)",
      cure: "declare it again, or add a step that moves what it held:"
        + " StoreMigration(\"…\", replacing: [\"\(path)\"]) { tx in … }")
  }

  fileprivate static func changed(
    _ text: String, _ before: String, _ after: String, _ kind: String
  ) -> SchemaDifference {
    SchemaDifference(
      effect: .destruction, text: "changed: \(text) from '\(before)' to '\(after)'",
      cure: "devices of both versions share it; keep it and add a \(kind) of another name")
  }
}
