import Foundation

/// `commute demo`.
struct DemoCommand: Command {
  static let spec = CommandSpec(
    words: ["demo"], summary: "two devices, one server, nothing lost: shows it and checks it",
    details: [
      "It starts a server and two devices on free ports, takes one device offline, changes the",
      "same book on both, brings the device back, and compares the three files with sqlite3.",
      "On a terminal it stays until Ctrl-C, so that you can play on; nothing outlives it.",
    ],
    options: [OptionSpec("check", "ends when everything was checked, also on a terminal")])

  let endsBySignal = true
  private let onlyChecks: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    onlyChecks = arguments.has("check")
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let sample = try SampleFile.find()
    let playing = Task { () -> Result<[String], Failure> in
      do throws(Failure) {
        return .success(try await play(sample, output))
      } catch {
        return .failure(error)
      }
    }
    let listening = Task {
      await Signals.untilEnding()
      playing.cancel()
    }
    let failures = try await playing.value.get()
    listening.cancel()
    guard failures.isEmpty else {
      return Report(
        ["demo: FAILED, \(failures.count) of the promises above"],
        ["demo": "failed", "failures": JSON(failures)], code: .refused)
    }
    return Report(["demo: ok"], ["demo": "ok"])
  }

  /// Plays the demonstration; whatever happens, everything it started has ended afterwards.
  ///
  /// - Returns: The promises that were broken.
  private func play(_ sample: String, _ output: Output) async throws(Failure) -> [String] {
    let world = try await DemoWorld.make()
    var script = DemoScript(world: world, sample: sample, output: output)
    let result: Result<Void, Failure>
    do throws(Failure) {
      try await script.play()
      if script.failures.isEmpty, stays(output) { await stay(world, output) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    let code = await world.end()
    try result.get()
    output.say()
    script.check("the server ends with 0 when it is told to end", code == 0)
    output.say()
    return script.failures
  }

  private func stays(_ output: Output) -> Bool {
    Output.isTerminal && !onlyChecks && !output.isJSON
  }

  /// Says what to type, and waits until the task is cancelled.
  private func stay(_ world: DemoWorld, _ output: Output) async {
    output.say([
      "", "Both devices are online and the server goes on. In another terminal, type:", "",
      "  commute=\(SampleFile.program)",
      "  tablet=\"--device \(world.tablet.folder)\"",
      "  phone=\"--device \(world.phone.folder)\"",
      "  $commute books watch $tablet",
      "  $commute books rate \"Northanger Abbey\" 4 --sync $phone",
      "  $commute books --help", "",
      "Ctrl-C ends it, and removes \(world.folder).",
    ])
    while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
  }
}
