import CommuteStore

/// `commute schema check`.
struct SchemaCheckCommand: Command {
  static let spec = CommandSpec.schema(
    "check", "compares what is declared with the schema file that is checked in",
    details: [
      "It ends with 1 where they differ, and says what to do;",
      "`commute schema export` writes the file of a new version.",
    ])

  private let folder: SchemaFolder

  init(_ arguments: Arguments) throws(UsageError) {
    folder = try SchemaFolder(arguments)
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let declared = try SchemaFolder.declared()
    guard let released = try folder.released(declared.name) else {
      throw Failure(
        .refused,
        "no file of \(declared.name) is in \(folder.path); write the first: commute schema export")
    }
    let differences = declared.differences(from: released)
    let isLost = differences.contains { $0.effect == .destruction }
    return Report(
      differences, from: released, to: declared,
      complaint: isLost
        ? "what is declared cannot follow version \(released.version); do what the lines say"
        : "version \(declared.version) has no file yet; write it: commute schema export")
  }
}

/// `commute schema diff [FILE]`.
struct SchemaDiffCommand: Command {
  static let spec = CommandSpec.schema(
    "diff", "shows in what the declaration differs from a schema file, or one file from another",
    details: ["It ends with 1 where they differ."],
    [
      ArgumentSpec("FILE", isOptional: true, "the earlier schema; the last released if left out"),
      ArgumentSpec("LATER", isOptional: true, "the later schema; the declared one if left out"),
    ])

  private let folder: SchemaFolder
  private let earlier: String?
  private let later: String?

  init(_ arguments: Arguments) throws(UsageError) {
    folder = try SchemaFolder(arguments)
    earlier = try arguments.file("FILE")
    later = try arguments.file("LATER")
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let declared: SchemaDescription
    if let later {
      declared = try SchemaFolder.read(later)
    } else {
      declared = try SchemaFolder.declared()
    }
    let named: SchemaDescription?
    if let earlier {
      named = try SchemaFolder.read(earlier)
    } else {
      named = try folder.released(declared.name)
    }
    guard let released = named else {
      throw Failure(
        .refused, "no file of \(declared.name) is in \(folder.path); name one: --files DIR")
    }
    let differences = declared.differences(from: released)
    return Report(
      differences, from: released, to: declared,
      complaint: "\(Plural.text(differences.count, "difference")) from version"
        + " \(released.version)")
  }
}

/// `commute schema export`.
struct SchemaExportCommand: Command {
  static let spec = CommandSpec.schema(
    "export", "writes the file of the declared schema, for checking in",
    details: [
      "A file that is there is never changed,",
      "and a version that would lose what its predecessor holds is not written.",
    ])

  private let folder: SchemaFolder

  init(_ arguments: Arguments) throws(UsageError) {
    folder = try SchemaFolder(arguments)
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let declared = try SchemaFolder.declared()
    let file = folder.file(of: declared)
    if let released = try folder.released(declared.name) {
      let differences = declared.differences(from: released)
      if differences.contains(where: { $0.effect == .destruction }) {
        return Report(
          differences, from: released, to: declared,
          complaint: "\(file) was not written; do what the lines say")
      }
      if differences.isEmpty {
        return Report(
          ["\(file) is as declared"], ["file": .text(file), "written": .boolean(false)])
      }
    }
    do throws(StoreError) {
      try declared.write(to: file)
    } catch {
      throw Failure(error)
    }
    return Report(
      ["\(file) written; check it in"], ["file": .text(file), "written": .boolean(true)])
  }
}
