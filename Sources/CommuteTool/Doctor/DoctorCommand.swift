import CommuteStore
import Foundation

/// `commute doctor`.
struct DoctorCommand: Command {
  static let spec = CommandSpec(
    words: ["doctor"],
    summary: "looks a device over: database, clock, pending work, inboxes, sync",
    details: [
      "It changes nothing. It ends with 1 where something needs you: the lines marked !.",
      "--repair makes a working database of a damaged one; what waits is written down first.",
    ],
    options: [
      OptionSpec("device", "DIR", "the folder of the device"),
      OptionSpec("token-file", "FILE", "looks at the file of this token's account"),
      OptionSpec("repair", "recovers a damaged database; the damaged file is kept beside it"),
    ])

  private let options: DeviceOptions
  private let repairs: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    options = try DeviceOptions(arguments)
    repairs = arguments.has("repair")
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let place = try DevicePlace(options)
    guard FileManager.default.fileExists(atPath: place.directory) else {
      throw Failure(.refused, "there is no device in \(place.directory); name it: --device DIR")
    }
    if repairs, let report = try await Repair(options: options, place: place).run() {
      return report
    }
    let device = try OpenDevice.open(options, at: place)
    let findings = await Checkup(device: device).findings()
    await device.store.close()
    return Self.report(findings)
  }

  private static func report(_ findings: [Finding]) -> Report {
    var table = TextTable(["", "", ""], widthLimit: 400)
    for finding in findings {
      table.rows.append([finding.mark, finding.name, finding.text])
      if let cure = finding.cure { table.rows.append(["", "", "→ \(cure)"]) }
    }
    let needs = findings.filter { $0.state == .needsYou }.map(\.name)
    var report = Report(
      table.plain + (needs.isEmpty ? ["", "nothing needs you"] : []),
      [
        "needsYou": JSON(needs), "findings": .list(findings.map(\.json)),
      ])
    if !needs.isEmpty {
      report.code = .refused
      let names = needs.joined(separator: ", ")
      report.complaint =
        needs.count == 1
        ? "1 thing needs you: \(names); the line marked ! says what to do"
        : "\(needs.count) things need you: \(names); the lines marked ! say what to do"
    }
    return report
  }
}
