import CommuteRelay

/// The devices of one telling, and what has been lost so far.
struct Cast {
  /// One device: its program, its clock, and the switch of its network.
  private struct Device {
    var client: any StoryClient
    var clock: DeviceClock
    var relay: Relay
  }

  private let design: Design
  private let time: StoryTime
  private let server: any StoryServer
  private let a: Device
  private let b: Device
  private var losses: [Loss] = []

  init(
    _ design: Design, in folder: String, time: StoryTime, server: any StoryServer
  ) throws {
    self.design = design
    self.time = time
    self.server = server
    func device(_ name: DeviceName) throws -> Device {
      let relay = try Relay(to: server.port)
      let clock = DeviceClock(time)
      let setting = DeviceSetting(
        folder: "\(folder)/\(name.rawValue)", name: name,
        server: "http://127.0.0.1:\(relay.port)", clock: clock)
      return Device(client: try design.makeClient(setting), clock: clock, relay: relay)
    }
    a = try device(.a)
    b = try device(.b)
  }

  private subscript(name: DeviceName) -> Device { name == .a ? a : b }

  /// Plays all steps, lets the devices exchange everything, and reads what is there.
  mutating func play(_ story: Story) async throws -> Telling {
    for step in story.steps { try await play(step) }
    for name in DeviceName.allCases { await self[name].relay.switchOn() }
    for _ in 0..<2 {
      for name in DeviceName.allCases { try await sync(name) }
    }
    var held: [Place: [Book]] = [:]
    for name in DeviceName.allCases {
      let client = self[name].client
      held[.device(name)] = try client.onDevice.books()
      losses += try await client.leftovers().map {
        Loss(kind: .refused, place: .device(name), words: $0)
      }
    }
    held[.server] = try SQLReading(file: server.database, sql: design.onServer).books()
    return Telling(held: held, losses: losses + Loss.between(held, story.outcomes))
  }

  /// Ends the devices' programs and networks.
  func leave() async {
    for device in [a, b] {
      await device.client.close()
      await device.relay.close()
    }
  }

  private mutating func play(_ step: Step) async throws {
    switch step {
    case .edit(let name, let edit): await perform(edit, on: name)
    case .sync(let name): try await sync(name)
    case .syncInVain(let name):
      guard try await !self[name].client.sync() else {
        throw StoryError("an answer reached \(name.rawValue), which none should")
      }
    case .goOffline(let name): await self[name].relay.switchOff()
    case .comeOnline(let name): await self[name].relay.switchOn()
    case .loseNextAnswer(let name): await self[name].relay.loseNextAnswer()
    case .pass(let seconds): time.pass(seconds: seconds)
    case .slip(let name, let hours): self[name].clock.slip(hours: hours)
    case .look(let name, let wanted): try look(name, wanted)
    }
  }

  /// Lets a person do something; where the book is not there any more, the edit is lost.
  private mutating func perform(_ edit: Edit, on name: DeviceName) async {
    do {
      try await self[name].client.perform(edit)
    } catch {
      let words = "nobody can \(edit.words): \(error)"
      losses.append(Loss(kind: .refused, place: .device(name), words: words))
    }
  }

  private func sync(_ name: DeviceName) async throws {
    guard try await self[name].client.sync() else {
      throw StoryError("no answer reached \(name.rawValue), although its network is on")
    }
  }

  private mutating func look(_ name: DeviceName, _ wanted: [Book]) throws {
    let place = Place.device(name)
    for var loss in Loss.between(try self[name].client.onDevice.books(), wanted, at: place) {
      loss.words += " before it is sent"
      losses.append(loss)
    }
  }
}
