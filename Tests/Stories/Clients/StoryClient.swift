/// A device's program, as a story drives it; both designs are driven alike.
protocol StoryClient: Sendable {
  /// Does what a person does, at once and without a network.
  func perform(_ edit: Edit) async throws
  /// Exchanges what has changed with the server.
  ///
  /// - Returns: Whether the server's answer came.
  func sync() async throws -> Bool
  /// Lets go of what was refused or has nothing left to be applied to.
  ///
  /// - Returns: The notes among it.
  func letGo() async throws -> [String]
  /// What is left over when everything is exchanged: changes that wait or were refused.
  func leftovers() async throws -> [String]
  /// Ends the program; the file stays.
  func close() async
  /// How the books are read from the device's file.
  var onDevice: SQLReading { get }
  /// How the books that it sent for a tenant are read from the server's file.
  static func onServer(tenant: String) -> String
}

/// What a device's program is started with, each time.
struct DeviceSetting: Sendable {
  /// The folder that is the device.
  var folder: String
  /// The device's name.
  var name: DeviceName
  /// The server's address, through the device's own relay.
  var server: String
  /// The device's clock.
  var clock: DeviceClock
  /// Who is signed in; nobody in most stories.
  var person: Person?
  /// How often the program was started before.
  var starts: UInt64 = 0

  /// What random ids are drawn from: others each time, but the same in each telling.
  var seed: UInt64 { name.seed + 16 * starts }
  /// Where a device keeps what no backup of its files holds.
  var hostFolder: String { folder + "-host" }
}

/// The two designs that are compared.
enum Design: String, Hashable, Sendable, CaseIterable {
  case naive, ours

  func makeClient(_ setting: DeviceSetting) throws -> any StoryClient {
    switch self {
    case .naive: try NaiveClient(setting)
    case .ours: try OwnClient(setting)
    }
  }

  /// How the books of a tenant are read from the server's file.
  func onServer(tenant: String) -> String {
    switch self {
    case .naive: NaiveClient.onServer(tenant: tenant)
    case .ours: OwnClient.onServer(tenant: tenant)
    }
  }
}
