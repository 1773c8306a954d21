import CommuteRelay

/// The devices of one telling, and what has been lost so far.
struct Cast {
  /// One device: its program, what it was started with, and the switch of its network.
  private struct Device {
    var setting: DeviceSetting
    var client: any StoryClient
    var relay: Relay
  }

  private let design: Design
  private let time: StoryTime
  private let server: any StoryServer
  private var a: Device
  private var b: Device
  private var losses: [Loss] = []

  init(
    _ design: Design, of story: Story, in folder: String, time: StoryTime,
    server: any StoryServer
  ) throws {
    self.design = design
    self.time = time
    self.server = server
    func device(_ name: DeviceName) throws -> Device {
      let relay = try Relay(to: server.port)
      let setting = DeviceSetting(
        folder: "\(folder)/\(name.rawValue)", name: name,
        server: "http://127.0.0.1:\(relay.port)", clock: DeviceClock(time),
        person: story.people[name])
      return Device(setting: setting, client: try design.makeClient(setting), relay: relay)
    }
    a = try device(.a)
    b = try device(.b)
  }

  private subscript(name: DeviceName) -> Device {
    get { name == .a ? a : b }
    set { if name == .a { a = newValue } else { b = newValue } }
  }

  /// Plays all steps, lets the devices exchange everything, and reads what is there.
  mutating func play(_ story: Story) async throws -> Telling {
    for step in story.steps { try await play(step) }
    for name in DeviceName.allCases { await self[name].relay.switchOn() }
    for _ in 0..<2 {
      for name in DeviceName.allCases { try await sync(name) }
    }
    var held: [Place: [Book]] = [.server: try booksOnServer(of: story)]
    for name in DeviceName.allCases {
      held[.device(name)] = try books(on: name)
      losses += try await self[name].client.leftovers().map {
        Loss(kind: .refused, place: .device(name), words: $0)
      }
    }
    return Telling(held: held, losses: losses + Loss.between(held, story.outcomes))
  }

  /// Ends the devices' programs and networks.
  func leave() async {
    for device in [a, b] {
      await device.client.close()
      await device.relay.close()
    }
  }

  // MARK: - Steps

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
    case .passDays(let days):
      time.pass(days: days)
      try await server.catchUp()
    case .care(let care): try await server.perform(care)
    case .letGo(let name, let notes): try await letGo(notes, on: name)
    case .slip(let name, let hours): self[name].setting.clock.slip(hours: hours)
    case .leap(let name, let days): self[name].setting.clock.leap(days: days)
    case .fallTo1970(let name): self[name].setting.clock.fallTo1970()
    case .clone(let name, let copy): try await clone(name, to: copy)
    case .signIn(let name, let person):
      await self[name].client.close()
      self[name].setting.person = person
      try start(name)
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

  private mutating func letGo(_ notes: [String], on name: DeviceName) async throws {
    let found = Set(try await self[name].client.letGo())
    for note in Set(notes).subtracting(found).sorted() {
      let words = "nobody is told that the note “\(note)” came to nothing"
      losses.append(Loss(kind: .silent, place: .device(name), words: words))
    }
    for note in found.subtracting(notes).sorted() {
      let words = "the note “\(note)” came to nothing"
      losses.append(Loss(kind: .refused, place: .device(name), words: words))
    }
  }

  private func sync(_ name: DeviceName) async throws {
    guard try await self[name].client.sync() else {
      throw StoryError("no answer reached \(name.rawValue), although its network is on")
    }
  }

  /// Starts a device's program again.
  private mutating func start(_ name: DeviceName) throws {
    self[name].setting.starts += 1
    self[name].client = try design.makeClient(self[name].setting)
  }

  private mutating func clone(_ name: DeviceName, to copy: DeviceName) async throws {
    await self[name].client.close()
    await self[copy].client.close()
    try DeviceFiles(self[name].setting).copy(to: DeviceFiles(self[copy].setting))
    try start(name)
    try start(copy)
  }

  // MARK: - Reading

  private mutating func look(_ name: DeviceName, _ wanted: [Book]) throws {
    for var loss in Loss.between(try books(on: name), wanted, at: .device(name)) {
      loss.words += " meanwhile"
      losses.append(loss)
    }
  }

  private func books(on name: DeviceName) throws -> [Book] {
    let device = self[name]
    return try device.client.onDevice.books().map { $0.of(device.setting.person) }
  }

  private func booksOnServer(of story: Story) throws -> [Book] {
    let owners: [Person?] = story.people.isEmpty ? [nil] : Person.allCases
    return try owners.flatMap { owner in
      let sql = design.onServer(tenant: owner?.tenant ?? "local")
      return try SQLReading(file: server.database, sql: sql).books().map { $0.of(owner) }
    }
  }
}
