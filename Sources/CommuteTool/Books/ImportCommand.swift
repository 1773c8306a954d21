import CommuteFeatures
import CommuteImport

/// `commute books import FILE`.
struct ImportCommand: ChangingCommand {
  static let spec = CommandSpec.books(
    "import", "takes in the list that Goodreads exports",
    details: [
      "Importing a file twice, or on two devices, doubles nothing, and no tick, note or rating of",
      "yours is overwritten. Books that were deleted stay deleted and are listed.",
    ],
    [ArgumentSpec("FILE", "a CSV file; - reads the standard input")],
    options: [OptionSpec("again", "adds deleted books again, as new ones"), .sync])

  /// The largest file that is read: 256 MiB.
  private static let sizeLimit = 256 << 20

  let device: DeviceOptions
  let syncs: Bool
  private let file: String
  private let again: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    device = try DeviceOptions(arguments)
    syncs = arguments.has("sync")
    file = try arguments.file("FILE") ?? "-"
    again = arguments.has("again")
  }

  func change(_ device: OpenDevice) async throws(Failure) -> Change {
    let bytes = try Self.read(file)
    let result = try await Self.translating {
      try await device.list.importFile(bytes, again: again)
    }
    let outcome = result.outcome
    return Change(
      result.report.lines + outcome.lines,
      [
        JSON.Member(name: "rows", value: JSON(result.report.rows)),
        JSON.Member(name: "added", value: JSON(outcome.added)),
        JSON.Member(name: "addedAgain", value: JSON(outcome.addedAgain)),
        JSON.Member(name: "completed", value: JSON(outcome.completed)),
        JSON.Member(name: "alreadyThere", value: JSON(outcome.alreadyThere)),
        JSON.Member(name: "deletedEarlier", value: JSON(outcome.deletedEarlier)),
        JSON.Member(name: "notTaken", value: JSON(result.report.notes.map(\.text))),
      ])
  }

  private static func read(_ file: String) throws(Failure) -> [UInt8] {
    let bytes = try PersonsFile(path: file).read(limit: sizeLimit)
    guard bytes.count <= sizeLimit else {
      throw Failure(.refused, "\(file) has more than \(sizeLimit >> 20) MiB; import it in parts")
    }
    guard !bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw Failure(
        .refused,
        "\(file) is a database; `commute books migrate` takes over a list from before sync")
    }
    return bytes
  }
}
