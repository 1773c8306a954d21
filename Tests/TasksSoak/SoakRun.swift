import CommuteTestKit
import Foundation

/// One run: starts processes, kills and stops them, sets the clock, fills the disk, and judges.
final class SoakRun: @unchecked Sendable {
  private let plan: SoakPlan
  private let place: SoakPlace
  private let log = RemoteLog()
  private let clock: SoakClock
  private var random: SeededGenerator
  private var workers: [ChildProcess] = []
  private var submitter: ChildProcess?
  private var ledger = SoakLedger()
  private var port: UInt16 = 0
  private var isAllQueued = false
  private var kills = 0
  private var stops = 0
  private var steps = 0
  private var held: [(process: ChildProcess, until: ContinuousClock.Instant)] = []
  private var wasFull = false
  private let began = ContinuousClock.now
  private var lastProgress = ContinuousClock.now

  /// Takes a folder of its own on a disk of its own.
  init(_ plan: SoakPlan) throws(SoakFailure) {
    self.plan = plan
    place = try SoakPlace()
    clock = try SoakClock("\(place.folder)/clock")
    random = SeededGenerator(seed: plan.seed)
  }

  /// Plays the run.
  func play() async throws(SoakFailure) -> SoakReport {
    port = try log.start()
    let result = await withCheckedContinuation { continuation in
      // It waits for processes, which no thread of Swift's own may do.
      Thread { continuation.resume(returning: Result { try self.work() }) }.start()
    }
    await log.stop()
    do {
      return try result.get()
    } catch {
      throw error as? SoakFailure ?? SoakFailure(message: "\(error)")
    }
  }

  private func work() throws -> SoakReport {
    submitter = try start(.submitter)
    for _ in 0..<plan.workers { workers.append(try start(.worker)) }
    var nextAct = ContinuousClock.now
    let limit = Watch(.seconds(1_800))
    while true {
      let processes = workers + [submitter].compactMap { $0 }
      for (_, lines) in Watch(.milliseconds(20)).next(processes) { lines.forEach(hear) }
      try replaceEnded()
      let now = ContinuousClock.now
      for (process, _) in held.filter({ $0.until <= now }) { process.hold(false) }
      held.removeAll { $0.until <= now }
      if now >= nextAct {
        act()
        nextAct = now + .milliseconds(60 + random.draw(180))
      }
      showProgress()
      if isAllQueued, kills >= plan.kills, wasFull, try openTasks() == 0 { break }
      if limit.isOver { break }
    }
    for (process, _) in held { process.hold(false) }
    for worker in workers { _ = worker.finish() }
    _ = submitter?.finish()
    return try report()
  }

  private func start(_ role: SoakOrder.Role) throws(SoakFailure) -> ChildProcess {
    let order = SoakOrder(
      role: role, folder: "\(place.folder)/device", clock: "\(place.folder)/clock", port: port,
      seed: plan.seed, tasks: plan.tasks, graphs: plan.graphs, isNaive: plan.isNaive)
    do {
      return try ChildProcess(role.rawValue, mode: "--child", order: order)
    } catch {
      throw SoakFailure(message: error.message)
    }
  }

  private func hear(_ line: String) {
    let words = line.split(separator: " ")
    if line == "all queued" {
      isAllQueued = true
    } else if words.count == 3, words[0] == "queued", let last = Int(words[1]),
      let graphs = Int(words[2])
    {
      ledger.told.formUnion(1...max(1, min(last, plan.tasks)))
      let nodes = SoakDraw.graphStart..<SoakDraw.graphStart + graphs * SoakDraw.graphSize
      ledger.told.formUnion(nodes)
    }
  }

  /// Starts anew what has ended: killed by this run, or by a task that kills.
  private func replaceEnded() throws(SoakFailure) {
    for place in workers.indices where workers[place].hasEnded() {
      _ = workers[place].reap()
      workers[place] = try start(.worker)
    }
    if let ended = submitter, ended.hasEnded() {
      for line in ended.isOpen ? ended.takeLines() : [] { hear(line) }
      _ = ended.reap()
      submitter = isAllQueued ? nil : try start(.submitter)
    }
  }

  private func act() {
    if !wasFull, ledger.told.count > plan.tasks * 2 / 5 || isAllQueued {
      wasFull = true
      place.fill(for: .milliseconds(800))
      return
    }
    let worker = workers[random.draw(workers.count)]
    switch random.draw(100) {
    case 0..<60:
      worker.kill()
      kills += 1
    case 60..<85:
      worker.hold(true)
      held.append((worker, .now + .milliseconds(50 + random.draw(1_400))))
      stops += 1
    case 85..<93:
      let lengths: [Int64] = [1_000, 60_000, 3_600_000, 86_400_000]
      clock.set(by: lengths[random.draw(lengths.count)] * (random.draw(2) == 0 ? 1 : -1))
      steps += 1
    default:
      guard let submitter else { return }
      submitter.kill()
      kills += 1
    }
  }

  private func openTasks() throws -> Int {
    let rows = try query("SELECT count(*) FROM q_task WHERE state < 10")
    return rows.first?.first.flatMap { Int($0) } ?? 1
  }

  private func query(_ sql: String) throws -> [[Substring]] {
    do {
      return try SQLiteProgram.rows("\(place.folder)/device/commute.db", sql)
    } catch {
      throw SoakFailure(message: error.message)
    }
  }

  private func showProgress() {
    guard isatty(STDERR_FILENO) == 1, ContinuousClock.now - lastProgress > .seconds(1) else {
      return
    }
    lastProgress = .now
    let line = "\r\u{1B}[K\(ledger.told.count) queued, \(kills) kills, \(stops) stops"
    FileHandle.standardError.write(Data(line.utf8))
  }

  // MARK: - Judging

  private func report() throws -> SoakReport {
    if isatty(STDERR_FILENO) == 1 { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    let draw = SoakDraw(seed: plan.seed, tasks: plan.tasks)
    ledger.poison = Set((1...plan.tasks).filter(draw.isPoison))
    ledger.calls = log.account
    for row in try query("SELECT number FROM soak_queued") {
      if let number = Int(row[0]) { ledger.committed.insert(number) }
    }
    let tasks = try query(
      """
      SELECT json_extract(CAST(payload AS TEXT), '$.number'), state, hex(uid), attempt FROM q_task
      """)
    for row in tasks {
      guard let number = Int(row[0]), let state = Int(row[1]), let attempts = Int(row[3]) else {
        throw SoakFailure(message: "a row of the queue cannot be read: \(row)")
      }
      ledger.entries[number, default: []].append(
        SoakLedger.Entry(state: state, key: Self.key(row[2]), attempts: attempts))
    }
    for row in try query("SELECT number, task_key FROM soak_done") {
      if let number = Int(row[0]) { ledger.effects[number, default: []].append(String(row[1])) }
    }
    var verdict = ledger.verdict()
    verdict.faults += try faultsOfFile()
    let crashes = try query("SELECT sum(crashes) FROM q_task").first?.first.flatMap { Int($0) }
    let repeated = ledger.calls.values.filter { $0.values.reduce(0, +) > 1 }.count
    let time = (ContinuousClock.now - began) / .seconds(1)
    return SoakReport(
      plan: plan, tasks: ledger.committed.count, kills: kills, stops: stops, steps: steps,
      repeated: repeated, crashes: crashes ?? 0, seconds: time, verdict: verdict)
  }

  /// What must hold in the file as a whole.
  private func faultsOfFile() throws -> [String] {
    let checks = [
      (
        "the integrity check",
        "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"
      ),
      ("tasks that are not over", "SELECT count(*) FROM q_task WHERE state < 10"),
      ("graphs that have not succeeded", "SELECT count(*) FROM q_graph WHERE state <> 10"),
      ("graphs too few or too many", "SELECT count(*) <> \(plan.graphs) FROM q_graph"),
      ("gaps in the events", "SELECT coalesce(max(seq), 0) - count(*) FROM q_event"),
      (
        "figures that are not those of the table",
        """
        SELECT count(*) FROM (SELECT lane, urgency, state, count(*) AS n FROM q_task
          GROUP BY 1, 2, 3 EXCEPT SELECT lane, urgency, state, count FROM q_figure)
        """
      ),
      (
        "nodes that ended before one they come after",
        """
        WITH over AS MATERIALIZED
          (SELECT task, min(seq) AS seq FROM q_event WHERE type = 20 GROUP BY task)
        SELECT count(*) FROM q_edge
          JOIN q_task AS a ON a.id = parent JOIN q_task AS b ON b.id = child
          JOIN over AS first ON first.task = a.uid JOIN over AS second ON second.task = b.uid
        WHERE first.seq > second.seq
        """
      ),
    ]
    var faults: [String] = []
    for (name, sql) in checks {
      let found = try query(sql).first?.first ?? "nothing"
      if found != "0" { faults.append("\(name): \(found)") }
    }
    return faults
  }

  /// The id as handlers write it.
  private static func key(_ hex: Substring) -> String {
    let digits = Array(hex.lowercased())
    guard digits.count == 32 else { return String(hex) }
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}
