#if PLANTED
  import CommuteCore
  import Foundation

  /// Turns one defence off, as the program that tells the stories asks for.
  ///
  /// None of this exists in a shipped build: it is compiled only with `-D PLANTED`.
  enum PlantedDefence {
    /// The environment variable that names the bug to plant.
    static let variable = "COMMUTE_PLANTED"

    /// Plants the bug that the environment names; called first thing, before anything runs.
    static func turnOff() {
      guard let name = ProcessInfo.processInfo.environment[variable] else { return }
      unsafe Planted.active = Planted(rawValue: name)
    }
  }
#endif
