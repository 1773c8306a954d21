import Foundation
import Testing

@testable import SQLiteSimulator

/// Some histories in every run of the tests; `make simulate-sqlite` plays more.
///
/// One at a time: the layer that fails is one for the process.
@Suite(.serialized) struct HistoryTests {
  let place = "\(NSTemporaryDirectory())commute-sqlite-tests-\(getpid())"

  init() {
    if !Self.isInstalled { Issue.record("SQLite takes no file layer") }
  }

  // Once only: a second time it would take itself for the system's.
  private static let isInstalled = FaultLayer.install()

  @Test func `histories keep every promise`() async {
    for seed: UInt64 in 1...10 {
      let outcome = await History(seed: seed, place: place).play()
      #expect(outcome.breach == nil, "SEED=\(seed)")
      #expect(outcome.report.checks > 0)
    }
  }

  @Test func `one seed gives one history`() async {
    for seed: UInt64 in [3, 11] {
      let one = await History(seed: seed, place: place).play()
      let other = await History(seed: seed, place: place).play()
      #expect(one.report.trace == other.report.trace, "SEED=\(seed)")
      #expect(one.report.writes > 0)
    }
    let one = await History(seed: 3, place: place).play()
    let other = await History(seed: 11, place: place).play()
    #expect(one.report.trace != other.report.trace)
  }
}
