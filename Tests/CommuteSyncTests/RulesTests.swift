import CommuteCore
import CommuteServer
import CommuteSQLite
import CommuteStore
import Testing

@testable import CommuteSync

/// A record with a field under each rule.
struct Trip: Record, Equatable {
  var id = RecordID.zero
  var name = ""
  var riders = 0
  var tickets = 0
  var fastest = 0
  var slowest = 1_000
  var stops: [String] = []
  var diary = ""
  var fare = 0
  var colour = ""
  var motto = ""

  static let table = Table("trip", feed: "trips", blank: Trip()) {
    Column("name", \.name)
    Column("riders", \.riders, merge: .counter)
    Column("tickets", \.tickets, merge: .growOnlyCounter)
    Column("fastest", \.fastest, merge: .maximum)
    Column("slowest", \.slowest, merge: .minimum)
    Column("stops", \.stops, merge: .set)
    Column("diary", \.diary, merge: .text)
    Column("fare", \.fare, merge: .serverWins)
    Column("colour", \.colour, merge: .clientWins)
    Column("motto", \.motto, merge: .keepBoth)
  }
}

/// Every merge rule through the whole product: typed records, two files, a server's real store.
@Suite(.timeLimit(.minutes(2))) struct RulesTests {
  let scene: Scene
  let first: Store
  let second: Store
  let firstDriver: SyncDriver
  let secondDriver: SyncDriver

  init() async throws {
    let schema = try Schema(name: "app", version: 1, tables: [Trip.table.schema])
    scene = try await Scene(rules: ServerRules(schema))
    first = try scene.open("first", tables: [Trip.table])
    second = try scene.open("second", tables: [Trip.table])
    firstDriver = scene.driver(first)
    secondDriver = scene.driver(second)
    try await first.write { tx in
      try tx.insert(
        Trip(
          id: id(1), name: "Line 7", riders: 10, tickets: 5, fastest: 30, slowest: 90,
          stops: ["Depot", "Market"], diary: "We left at noon.", fare: 200, colour: "red",
          motto: "on time"))
    }
    await settle()
  }

  /// Rounds on both until nothing is new.
  private func settle() async {
    for _ in 0..<2 {
      _ = await firstDriver.sync()
      _ = await secondDriver.sync()
    }
  }

  private func trip(_ store: Store) async throws -> Trip? {
    try await store.read { tx in try tx.fetch(Trip.self, id(1)) }
  }

  /// Two edits made apart, then told to each other; what both devices show then.
  private func merged(
    _ one: @escaping @Sendable (inout Trip) -> Void,
    _ other: @escaping @Sendable (inout Trip) -> Void
  ) async throws -> Trip? {
    try await first.write { tx in try tx.update(Trip.self, id(1), one) }
    try await second.write { tx in try tx.update(Trip.self, id(1), other) }
    await settle()
    let left = try await trip(first)
    let right = try await trip(second)
    #expect(left == right)
    return left
  }

  @Test func `what one device made the other holds under every rule`() async throws {
    let left = try await trip(first)
    let right = try await trip(second)
    #expect(left == right)
    #expect(right?.riders == 10)
    #expect(right?.stops == ["Depot", "Market"])
  }

  @Test func `counters add up what each device counted`() async throws {
    let trip = try await merged {
      $0.riders += 3
      $0.tickets += 3
    } _: {
      $0.riders -= 1
      $0.tickets += 4
    }
    #expect(trip?.riders == 12)
    #expect(trip?.tickets == 12)
  }

  @Test func `the greatest and the least value stay`() async throws {
    let trip = try await merged {
      $0.fastest = 45
      $0.slowest = 60
    } _: {
      $0.fastest = 40
      $0.slowest = 70
    }
    #expect(trip?.fastest == 45)
    #expect(trip?.slowest == 60)
  }

  @Test func `a set keeps what one added while the other removed something else`() async throws {
    let trip = try await merged {
      $0.stops.append("Harbour")
    } _: {
      $0.stops.removeAll { $0 == "Depot" }
    }
    #expect(Set(trip?.stops ?? []) == ["Market", "Harbour"])
  }

  @Test func `a text keeps both sentences`() async throws {
    let trip = try await merged {
      $0.diary = "We left at noon. It rained."
    } _: {
      $0.diary = "On Monday we left at noon."
    }
    #expect(trip?.diary.contains("It rained.") == true)
    #expect(trip?.diary.contains("On Monday") == true)
  }

  @Test func `the first to arrive stays where the server wins, and the other is told`() async throws
  {
    let trip = try await merged {
      $0.fare = 210
    } _: {
      $0.fare = 220
    }
    #expect(trip?.fare == 210)
    let conflicts = try await second.conflicts()
    #expect(conflicts.map(\.conflict.field) == ["fare"])
  }

  @Test func `the last to arrive stays where the client wins`() async throws {
    let trip = try await merged {
      $0.colour = "blue"
    } _: {
      $0.colour = "green"
    }
    #expect(trip?.colour == "green")
  }

  @Test func `two values stand side by side until one is chosen`() async throws {
    _ = try await merged {
      $0.motto = "never late"
    } _: {
      $0.motto = "slow and safe"
    }
    let path = "\(scene.folder)/first/commute.db"
    let connection = try Connection(.file(path), Configuration(.readOnly))
    defer { connection.close() }
    let hidden = try connection.prepare("SELECT hex(_commute) FROM trip").all { $0.text(0) }
    let known = ["never late", "slow and safe"].filter { value in
      let bytes = value.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      return hidden.first?.contains(bytes.joined()) == true
    }
    #expect(known.count == 2)
  }
}
