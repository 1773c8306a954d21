import CommuteCore
import CommuteSQLite
import CommuteTasks

/// Processes look, handlers end, people take tasks back and try them again.
extension QueueWorld {
  /// All tasks as they lie in the table since the last commit.
  func rows() throws -> [TaskRow] {
    if let known = knownRows { return known }
    let rows = try connection.all("SELECT \(TaskRow.columns) FROM q_task ORDER BY id") { row in
      try TaskRow(row)
    }
    knownRows = rows
    return rows
  }

  private func terms(_ place: Int) -> ClaimTerms {
    let process = processes[place]
    return ClaimTerms(
      session: process.session ?? 0, signals: signals, lease: Self.lease, kinds: process.kinds,
      busy: Array(process.running.keys).sorted(), unreadable: process.unreadable)
  }

  // MARK: - A look

  func look(_ place: Int) throws {
    guard !processes[place].isStopped else { return }
    if processes[place].session == nil {
      let isOpen = try commit(place) { engine in
        try engine.openSession(process: Int64(place), lock: "lock")
      } note: { session in
        processes[place] = SimulatedProcess()
        processes[place].session = session
        // Some release of the app knows one kind more.
        if isHealing || draws.once(in: 3) { processes[place].kinds.insert("c") }
        processes[place].lastLook = monotonic
      }
      guard isOpen else { return }
    }
    for session in dead.keys.sorted() {
      guard try reap(session, by: place) else { return }
    }
    try commit(nil) { engine in
      try engine.observeClock()
    } note: { _ in
      for row in try rows() where row.life.state == .scheduled {
        guard let delay = row.life.delay, row.life.due - wall > delay + 250 else { continue }
        try fail("G25", "task \(row.number) is put off for longer than was asked")
      }
    }
    let before = try rows()
    let terms = terms(place)
    let explanation = Explanation(connection: connection, now: wall, terms: terms)
    var free: Set<Int64> = []
    for row in before where !row.life.state.isTerminal {
      if try explanation.blockers(of: row).isEmpty { free.insert(row.number) }
    }
    let running = processes[place].running.mapValues(\.row.life.attempt)
    let runsSuspect = processes[place].runsSuspect
    try commit(place) { engine in
      try engine.round(terms, running: running, runsSuspect: runsSuspect)
    } note: { round in
      try note(round, by: place, before, free, runsSuspect)
    }
  }

  private func reap(_ session: Int64, by place: Int) throws -> Bool {
    try commit(place) { engine in
      try engine.reap(session: session)
    } note: { _ in
      dead[session] = nil
      for (number, model) in models where model.owner?.session == session {
        models[number]?.owner = nil
        guard !model.isCancelRequested else { continue }
        models[number]?.crashes += 1
        if model.crashes + 1 >= 3 { models[number]?.mayHaveFailed = true }
      }
    }
  }

  private func note(
    _ round: ClaimRound, by place: Int, _ before: [TaskRow], _ free: Set<Int64>,
    _ runsSuspect: Bool
  ) throws {
    let after = Dictionary(uniqueKeysWithValues: try rows().map { ($0.number, $0) })
    let process = processes[place]
    var isMoved = false
    for row in before {
      guard let now = after[row.number], let model = models[row.number] else { continue }
      if now.life.state == .expired, row.life.state != .expired {
        isMoved = true
        count(.expired)
        if let startBy = model.startBy, monotonic < startBy - 250 {
          try fail("G25", "task \(row.number) expired \(startBy - monotonic) ms too early")
        }
        if !model.mayExpire {
          try fail("G25", "task \(row.number) had begun, or had no such time, and expired")
        }
      }
      guard let owner = model.owner, owner.session != process.session else { continue }
      let isKept =
        now.life.state == .running && now.owner == owner.session
        && now.life.attempt == owner.attempt
      if isKept {
        guard let other = processes.first(where: { $0.session == owner.session }),
          monotonic - other.lastLook > Self.lease + 500
        else { continue }
        try fail("G11", "task \(row.number) stays with a process that gives no sign of life")
      }
      isMoved = true
      count(.leaseLost)
      let other = processes.first { $0.session == owner.session }
      if let other, monotonic - other.lastLook < Self.lease * 2 / 3 - 500 {
        try fail("G11", "task \(row.number) was taken from a process that lives")
      }
      models[row.number]?.owner = nil
      if !model.isCancelRequested { models[row.number]?.interruptions += 1 }
    }
    for row in after.values where row.isUnreadable && row.life.state == .parked {
      if before.first(where: { $0.number == row.number })?.life.state != .parked {
        count(.unreadable)
      }
    }
    try note(round.claimed.map(\.row), by: place, before, after)
    try compare(
      Set(round.claimed.map(\.row.number)), with: free, before, after, isMoved: isMoved,
      runsSuspect: runsSuspect)
    processes[place].lastLook = monotonic
    for number in process.running.keys.sorted() {
      let owner = models[number]?.owner
      let isOurs = owner.map { $0.session == process.session } ?? false
      let goesOn = isOurs && models[number]?.isCancelRequested == false
      if goesOn == round.lost.contains(number) {
        try fail("G10", "of task \(number) it is told that it \(goesOn ? "is lost" : "goes on")")
      }
    }
  }

  private func note(
    _ claimed: [TaskRow], by place: Int, _ before: [TaskRow], _ after: [Int64: TaskRow]
  ) throws {
    let isAlone = processes[place].running.isEmpty && claimed.count == 1
    for row in claimed {
      tell("process \(place) begins task \(row.number), attempt \(row.life.attempt)")
      guard let model = models[row.number] else {
        try fail("G2", "a task begins that nobody queued")
      }
      if model.owner != nil { try fail("G8", "task \(row.number) runs twice") }
      if processes[place].running[row.number] != nil {
        try fail("G9", "task \(row.number) begins beside its last attempt")
      }
      if model.crashes > 0, !isAlone {
        try fail("G12", "task \(row.number) has crashed and does not run alone")
      }
      if let time = model.notBefore, monotonic < time - 250 {
        try fail("G25", "task \(row.number) begins \(time - monotonic) ms too early")
      }
      if let time = model.notBeforeWall, wall < time {
        try fail("G25", "task \(row.number) begins before its date")
      }
      if let time = model.startBy, monotonic > time + 250 {
        try fail("G25", "task \(row.number) begins \(monotonic - time) ms after its time")
      }
      if row.life.requires & ~signals != 0 { try fail("G23", "task \(row.number) lacks a signal") }
      if !processes[place].kinds.contains(row.kind) {
        try fail("G44", "task \(row.number) begins where nobody knows its kind")
      }
      guard row.life.attempt == UInt64(model.attempts + 1) else {
        try fail("G8", "task \(row.number) begins attempt \(row.life.attempt) once more")
      }
      models[row.number]?.attempts += 1
      models[row.number]?.startBy = nil
      models[row.number]?.mayExpire = false
      if let session = processes[place].session {
        models[row.number]?.owner = (session, row.life.attempt)
      }
      processes[place].running[row.number] = SimulatedProcess.Running(row: row)
    }
    try checkLines(claimed, after)
  }

  // MARK: - An end

  func endSomething(_ place: Int, healing: Bool = false) throws {
    guard processes[place].isActive,
      let number = draws.pick(processes[place].running.keys.sorted()),
      let running = processes[place].running[number]
    else { return }
    if models[number]?.nature == .poison, models[number]?.owner != nil {
      count(.poison)
      kill(place)
      return
    }
    let outcome = healing ? PlainOutcome(.done) : self.outcome()
    tell("task \(number) ends: \(outcome.ending)")
    let session = processes[place].session ?? 0
    processes[place].running[number] = nil
    if case .wait(let bits) = outcome.ending { signals &= ~bits }
    if outcome.isUnreadable { processes[place].unreadable.insert(number) }
    try commit(place) { engine -> TaskRow? in
      guard try engine.owned(running.row) != nil else { return nil }
      if outcome.ending == .done {
        let attempt = Int64(running.row.life.attempt)
        try engine.connection.run("INSERT INTO effect VALUES (\(number), \(attempt))")
      }
      return try engine.end(running.row, outcome)
    } note: { result in
      let isOwner = models[number]?.owner.map {
        $0.session == session && $0.attempt == running.row.life.attempt
      }
      guard let row = result else {
        if isOwner == true { try fail("G8", "the end of task \(number) was refused") }
        count(.staleEnd)
        return
      }
      guard isOwner == true else { try fail("G8", "a stale end of task \(number) counted") }
      try apply(outcome, to: row)
    }
  }

  private func outcome() -> PlainOutcome {
    switch draws.draw(100) {
    case 0..<52: return PlainOutcome(.done)
    case 52..<64:
      let after: UInt64? = draws.draw(3) == 0 ? UInt64(draws.draw(100_000)) : nil
      return PlainOutcome(.retry(after: after), because: "busy")
    case 64..<69: return PlainOutcome(.wait(signals: draws.pick(Self.signalBits) ?? 1))
    case 69..<72: return PlainOutcome(.park, because: "look")
    case 72..<80: return PlainOutcome(.fail, because: "never")
    case 80..<84:
      var outcome = PlainOutcome(.handOff)
      outcome.token = "token \(faults[.handedOff] ?? 0)"
      count(.handedOff)
      return outcome
    case 84..<92: return PlainOutcome(.interrupted)
    case 92..<98: return PlainOutcome(.timedOut)
    default: return PlainOutcome(.park, because: "unreadable", isUnreadable: true)
    }
  }

  /// What must have become of a task.
  private func apply(_ outcome: PlainOutcome, to row: TaskRow) throws {
    guard var model = models[row.number] else { return }
    model.owner = nil
    defer { models[row.number] = model }
    var expected: Set<TaskState> = []
    switch outcome.ending {
    case .done:
      model.effects += 1
      expected = [.succeeded]
    case _ where model.isCancelRequested: expected = [.cancelled]
    case .fail:
      model.mayHaveFailed = true
      expected = [.failed]
    case .park: expected = [.parked]
    case .handOff:
      expected = [.external]
      if let token = outcome.token { tokens[token] = row.number }
    case .wait(let bits):
      expected = [.ready]
      if row.life.requires & bits != bits { try fail("G23", "task \(row.number) does not wait") }
    case .interrupted:
      model.interruptions += 1
      expected = [.ready]
    case .retry, .timedOut:
      model.failures += 1
      expected = model.failures >= model.failureLimit ? [.failed] : [.ready, .scheduled]
      if expected == [.failed] {
        model.mayHaveFailed = true
      } else {
        try checkDelay(of: row, outcome, model)
        model.notBefore = monotonic + row.life.due - wall
        model.notBeforeWall = nil
      }
    case .ownerDied: break
    }
    guard expected.contains(row.life.state) else {
      try fail("G13", "task \(row.number) is \(row.life.state) after \(outcome.ending)")
    }
  }

  private func checkDelay(_ row: TaskRow, _ after: UInt64, _ model: TaskModel) throws {
    let whole = min(model.delayLimit, model.firstDelay << Int64(min(model.failures - 1, 20)))
    let delay = row.life.due - wall
    guard delay >= max(whole / 2, Int64(after)), delay <= max(whole, Int64(after)) else {
      try fail("G22", "task \(row.number) is tried again after \(delay) of \(whole) ms")
    }
  }

  private func checkDelay(of row: TaskRow, _ outcome: PlainOutcome, _ model: TaskModel) throws {
    var after: UInt64 = 0
    if case .retry(let asked) = outcome.ending { after = asked ?? 0 }
    try checkDelay(row, after, model)
  }
}
