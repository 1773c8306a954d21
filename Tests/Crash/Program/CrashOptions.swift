import Foundation

/// What the command line asks for.
struct CrashOptions {
  /// What the process is.
  enum Mode {
    /// The runner: it kills, checks and restarts.
    case kill
    /// The runner of the measurement: how much memory so many records take.
    case memory(records: Int)
    /// It says how the program is used.
    case help
    case device(DeviceOrder)
    case server(ServerOrder)
    case writer(WriterOrder)
    case reader(ReaderOrder)
    case care(CareOrder)
  }

  /// A command line that cannot be carried out.
  struct Refusal: Error {
    var message: String
  }

  var mode = Mode.kill
  /// How often a device is killed, and how often the server.
  var kills = 200
  var seed: UInt64 = 1
  /// The lie that the children are told to tell.
  var plant: Plant?
  /// Whether the report is one JSON object.
  var isJSON = false
  /// Whether the files stay, whatever was found.
  var keepsFiles = false

  static let help = """
    usage: CrashRunner [--kills N] [--seed S] [--json] [--keep] [--plant LIE]
           CrashRunner --memory RECORDS [--json]

    Kills devices in the middle of writes and rounds of sync, and their server in the middle of
    requests, with SIGKILL; reads the files with the sqlite3 program, and goes on with them.

      --kills N         how often a device is killed, and how often the server; 200 by default
      --seed S          what all choices follow from; 1 by default
      --json            one JSON object instead of lines
      --keep            the files stay; otherwise only where something was found
      --plant LIE       a run that must fail, because the killed processes lie:
                        \(Plant.allCases.map(\.rawValue).joined(separator: ", "))
      --memory RECORDS  lets a device sync so many books from nothing, and tells how much memory
                        device and server took; more than 150 MB is a failure
    """

  /// Reads the arguments that follow the program's name.
  init(_ arguments: [String]) throws(Refusal) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--kills":
        kills = try Self.number(&rest, after: name)
        guard kills > 0 else { throw Refusal(message: "--kills wants a number from 1") }
      case "--seed": seed = UInt64(try Self.number(&rest, after: name))
      case "--memory": mode = .memory(records: try Self.number(&rest, after: name))
      case "--json": isJSON = true
      case "--keep": keepsFiles = true
      case "--plant":
        let lie = try Self.text(&rest, after: name)
        guard let known = Plant(rawValue: lie) else {
          throw Refusal(message: "no such lie: \(lie); --help lists them")
        }
        plant = known
      case "--device-child": mode = .device(try Self.order(&rest, after: name))
      case "--server-child": mode = .server(try Self.order(&rest, after: name))
      case "--writer-child": mode = .writer(try Self.order(&rest, after: name))
      case "--reader-child": mode = .reader(try Self.order(&rest, after: name))
      case "--care-child": mode = .care(try Self.order(&rest, after: name))
      case "--help", "-h": mode = .help
      default: throw Refusal(message: "no such option: \(name); --help lists them")
      }
    }
  }

  private static func text(
    _ rest: inout ArraySlice<String>, after name: String
  ) throws(Refusal) -> String {
    guard let value = rest.popFirst() else {
      throw Refusal(message: "\(name) wants a value; --help says which")
    }
    return value
  }

  private static func number(
    _ rest: inout ArraySlice<String>, after name: String
  ) throws(Refusal) -> Int {
    let value = try text(&rest, after: name)
    guard let number = Int(value), number >= 0 else {
      throw Refusal(message: "\(name) wants a number from 0, not '\(value)'")
    }
    return number
  }

  private static func order<Order: Decodable>(
    _ rest: inout ArraySlice<String>, after name: String
  ) throws(Refusal) -> Order {
    let value = try text(&rest, after: name)
    guard let order = try? JSONDecoder().decode(Order.self, from: Data(value.utf8)) else {
      throw Refusal(message: "\(name) is how the runner starts its children; leave it to it")
    }
    return order
  }
}
