import CommuteCore
import CommuteFeatures
import CommuteStore
import Foundation

/// The folder with the checked-in files of every released schema: `NAME-VERSION.schema`.
struct SchemaFolder: Sendable {
  /// The option that names it.
  static let specs = [
    OptionSpec("files", "DIR", "where the schema files are; Documentation/Schemas if left out")
  ]

  var path: String

  init(_ arguments: Arguments) throws(UsageError) {
    path = try arguments.path("files") ?? "Documentation/Schemas"
  }

  /// What this program declares.
  static func declared() throws(Failure) -> SchemaDescription {
    do throws(StoreError) {
      return try SchemaDescription(
        name: ReadingList.schemaName, version: ReadingList.schemaVersion,
        tables: ReadingList.tables)
    } catch {
      throw Failure(error)
    }
  }

  /// The file of a version.
  func file(of schema: SchemaDescription) -> String {
    "\(path)/\(schema.name)-\(schema.version).schema"
  }

  /// The last released schema of a name; nil where none is here.
  func released(_ name: String) throws(Failure) -> SchemaDescription? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    var last: SchemaDescription?
    for file in names where file.hasPrefix("\(name)-") && file.hasSuffix(".schema") {
      let found = try Self.read("\(path)/\(file)")
      if found.version > last?.version ?? 0 { last = found }
    }
    return last
  }

  /// Reads a file.
  static func read(_ path: String) throws(Failure) -> SchemaDescription {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure(.refused, "\(path) cannot be read; name a schema file")
    }
    do throws(StoreError) {
      return try SchemaDescription(text: text)
    } catch {
      throw Failure(.refused, "\(path): \(error.message)")
    }
  }
}

extension CommandSpec {
  /// A command about schema files.
  static func schema(
    _ word: String, _ summary: String, details: [String] = [], _ arguments: [ArgumentSpec] = []
  ) -> CommandSpec {
    CommandSpec(
      words: ["schema", word], summary: summary, details: details, arguments: arguments,
      options: SchemaFolder.specs)
  }
}

extension Report {
  /// The differences, a line each.
  init(
    _ differences: [SchemaDifference], from released: SchemaDescription,
    to declared: SchemaDescription, complaint: String
  ) {
    let json = differences.map { difference -> JSON in
      [
        "effect": .text("\(difference.effect)"), "text": .text(difference.text),
        "cure": JSON(difference.cure),
      ]
    }
    var lines = differences.flatMap { difference in
      [difference.text] + (difference.cure.map { ["  → \($0)"] } ?? [])
    }
    if differences.isEmpty {
      lines = ["\(declared.name) \(declared.version) is as \(released.version) was released"]
    }
    self.init(
      lines,
      [
        "schema": .text(declared.name), "version": .text("\(declared.version)"),
        "released": .text("\(released.version)"), "differences": .list(json),
      ], code: differences.isEmpty ? .done : .refused,
      complaint: differences.isEmpty ? nil : complaint)
  }
}
