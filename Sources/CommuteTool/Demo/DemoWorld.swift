import CommuteRelay
import Foundation

/// A server, two devices, and a switch in the network of each; all of it in one folder.
struct DemoWorld: Sendable {
  /// A device: a folder, and a relay that leads to the server.
  struct Device: Sendable {
    /// What people call it.
    var name: String
    /// Its folder.
    var folder: String
    /// Its network.
    var relay: Relay
    /// Its database.
    var database: String { "\(folder)/commute.db" }
  }

  /// Where everything lies.
  let folder: String
  /// The server.
  let server: ServerProcess
  /// The device that imports the list.
  let tablet: Device
  /// The device that goes offline.
  let phone: Device

  /// The server's database.
  var serverDatabase: String { "\(folder)/server.db" }

  /// Starts the server, then makes the devices and their relays.
  static func make() async throws(Failure) -> DemoWorld {
    let folder = try makeFolder()
    do throws(Failure) {
      let server = try await ServerProcess.start(
        ChildProcess(
          program: SampleFile.program,
          arguments: ["serve", "--port", "0", "--db", "\(folder)/server.db", "--with-input"]))
      do throws(RelayError) {
        return DemoWorld(
          folder: folder, server: server,
          tablet: Device(
            name: "kitchen tablet", folder: "\(folder)/kitchen-tablet",
            relay: try Relay(to: server.port)),
          phone: Device(
            name: "pocket phone", folder: "\(folder)/pocket-phone",
            relay: try Relay(to: server.port)))
      } catch {
        _ = await server.stop()
        throw Failure(.refused, error.message)
      }
    } catch {
      remove(folder)
      throw error
    }
  }

  /// Ends everything and removes the folder.
  ///
  /// - Returns: The code the server ended with.
  func end() async -> Int32 {
    let code = await server.stop()
    await tablet.relay.close()
    await phone.relay.close()
    Self.remove(folder)
    return code
  }

  /// Runs a command of the reading list on a device, as a person would.
  func books(_ words: [String], on device: Device) async throws(Failure) -> ChildProcess.Outcome {
    try await ChildProcess(
      program: SampleFile.program, arguments: ["books"] + words + ["--device", device.folder],
      environment: ["XDG_STATE_HOME": "\(folder)/state"]
    ).run()
  }

  static func makeFolder() throws(Failure) -> String {
    let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/commute-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure(.storage, "no folder can be made in \(base); is there space left?")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func remove(_ folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
  }
}
