import CommuteCore
import Foundation

/// A schema as it is written into a file that is checked in: its tables, and the named steps.
///
/// ```
/// schema people 2
/// step v2-split-name person.name
/// table person deleteWins
/// field first text latest
/// field last text latest
/// ```
/// `commute schema` does it for the apps of this project; an app of your own does it in a test:
/// ```swift
/// let declared = try SchemaDescription(
///   name: "people", version: 2, tables: tables, migrations: steps)
/// let released = try SchemaDescription(text: String(contentsOf: file, encoding: .utf8))
/// #expect(declared.differences(from: released).map(\.message) == [])
/// ```
public struct SchemaDescription: Hashable, Sendable {
  /// A named step, and the tables and columns whose content it takes care of.
  public struct Step: Hashable, Sendable {
    /// The step's name.
    public let name: String
    /// `table` or `table.column` each.
    public let replacing: [String]
  }

  /// A table: a line each for its rule, its fields and its other declarations.
  struct Table: Hashable, Sendable {
    var rule: String
    /// What follows a field's name: kind and rule.
    var fields: [String: [String]] = [:]
    /// The lines about references and unique keys.
    var others: [String] = []
  }

  /// The schema's name.
  public let name: String
  /// Its version.
  public let version: UInt64
  /// The steps in order.
  public let steps: [Step]
  let tables: [String: Table]
  /// The whole file.
  public let text: String

  /// Describes what an app declares.
  ///
  /// - Throws: ``StoreError/declaration(reason:)`` for what cannot be declared.
  public init(
    name: String, version: UInt64, tables: [any TableDeclaration],
    migrations: [StoreMigration] = []
  ) throws(StoreError) {
    let schema: Schema
    do {
      schema = try Schema(
        name: Key(name), version: version,
        tables: tables.map(\.declared).filter { !$0.isLocal }.map(\.layout.schema))
    } catch {
      throw .declaration(reason: error.message)
    }
    try StoreMigration.refuseDoubleNames(migrations)
    for word in migrations.flatMap({ [$0.name] + $0.replacing }) where !Self.isWord(word) {
      throw .declaration(
        reason: "'\(word)' cannot name a step or what it replaces; leave out spaces")
    }
    let steps = migrations.map { step in
      "step \(([step.name] + step.replacing).joined(separator: " "))\n"
    }
    try self.init(
      text: "schema \(name) \(version)\n\(steps.joined())\(schema.canonicalText)")
  }

  /// Reads a file.
  ///
  /// - Throws: ``StoreError/declaration(reason:)`` naming the line that is no description.
  public init(text: String) throws(StoreError) {
    var heading: (name: String, version: UInt64)?
    var steps: [Step] = []
    var tables: [String: Table] = [:]
    var last: String?
    for (number, line) in text.split(separator: "\n").enumerated() {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "schema" where words.count == 3 && heading == nil:
        heading = UInt64(words[2]).map { (words[1], $0) }
      case "step" where words.count > 1:
        steps.append(Step(name: words[1], replacing: Array(words[2...])))
      case "table" where words.count == 3:
        last = words[1]
        tables[words[1]] = Table(rule: words[2])
      case "field" where words.count == 4:
        guard let last else { throw Self.strange(number, line) }
        tables[last]?.fields[words[1]] = Array(words[2...])
      case "reference", "unique":
        guard let last else { throw Self.strange(number, line) }
        tables[last]?.others.append(String(line))
      default: throw Self.strange(number, line)
      }
    }
    guard let heading else {
      throw .declaration(
        reason: "a schema file begins with 'schema NAME VERSION'; export it anew")
    }
    name = heading.name
    version = heading.version
    self.steps = steps
    self.tables = tables
    self.text = text
  }

  private static func strange(_ number: Int, _ line: Substring) -> StoreError {
    .declaration(
      reason: "line \(number + 1) of the schema file is none that is known: '\(line)'; export it"
        + " anew")
  }

  private static func isWord(_ word: String) -> Bool {
    !word.isEmpty && !word.contains { $0.isWhitespace }
  }
}

extension SchemaDescription {
  /// Writes the file; one that is there is never written over.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  public func write(to path: String) throws(StoreError) {
    guard PrivateFolder.size(of: path) == nil else {
      throw .unreadable(path: path, reason: "a released schema is never changed; raise the version")
    }
    do {
      let folder = URL(filePath: path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw .unreadable(path: path, reason: "\(error.localizedDescription)")
    }
  }
}
