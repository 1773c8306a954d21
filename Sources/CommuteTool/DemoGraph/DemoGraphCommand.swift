import CommuteCore
import CommuteStore
import CommuteTasks
import Foundation

/// `commute demo-graph`.
struct DemoGraphCommand: Command {
  static let spec = CommandSpec(
    words: ["demo-graph"],
    summary: "a graph of tasks whose process is killed in the middle: it goes on where it was",
    details: [
      "fetch → process and validate → upload. A first process is killed with SIGKILL while it",
      "processes; a second one goes on. Then it is told how often each node ran, by the list that",
      "the nodes wrote and by the file as the program sqlite3 reads it.",
    ],
    options: [
      OptionSpec("device", "DIR", "the folder to work in, which stays; a new one unless named"),
      OptionSpec("check", "the same; for scripts"),
    ])

  let endsBySignal = true
  private let device: String?

  init(_ arguments: Arguments) throws(UsageError) {
    device = try arguments.path("device")
  }

  func run(_ output: Output) async throws(Failure) -> Report {
    let playing = Task { () -> Result<Report, Failure> in
      let place: DemoGraphPlace
      do throws(Failure) { place = try DemoGraphPlace(device) } catch { return .failure(error) }
      defer { place.leave() }
      do throws(Failure) {
        return .success(try await DemoGraphScript(place: place, output: output).play())
      } catch {
        return .failure(error)
      }
    }
    let listening = Task {
      await Signals.untilEnding()
      playing.cancel()
    }
    let result = await playing.value
    listening.cancel()
    return try result.get()
  }
}

/// The folder that the demonstration works in.
struct DemoGraphPlace: Sendable {
  let device: String
  /// What is removed afterwards; nil where the person named the folder.
  private let made: String?

  init(_ named: String?) throws(Failure) {
    if let named {
      (device, made) = (named, nil)
      guard !FileManager.default.fileExists(atPath: DemoWork(named).journal) else {
        throw Failure(
          .refused, "\(named) holds a demonstration already; name another folder, or remove it")
      }
    } else {
      let folder = try DemoWorld.makeFolder()
      (device, made) = ("\(folder)/device", folder)
    }
  }

  func leave() {
    if let made { try? FileManager.default.removeItem(atPath: made) }
  }
}

/// The demonstration, step by step.
struct DemoGraphScript: Sendable {
  let place: DemoGraphPlace
  let output: Output

  /// Plays it.
  func play() async throws(Failure) -> Report {
    try await submit()
    let journal = DemoWork(place.device).journal
    output.say("a first process runs it …")
    try await killInTheMiddle()
    let before = try lines(of: journal)
    output.say(before.map { "  \($0)" })
    output.say("… and is killed with SIGKILL while it processes")
    output.say()
    let resumed = try await run(["queue", "run", "--drain"])
    let after = try lines(of: journal).dropFirst(before.count)
    output.say("a second process goes on …")
    output.say(after.map { "  \($0)" })
    guard resumed.code == 0 else {
      throw Failure(.refused, "the second process failed: \(resumed.complaint)")
    }
    output.say()
    let drawn = try await run(["queue", "graph", DemoWork.graphName])
    output.say(drawn.output.split(separator: "\n").map(String.init))
    output.say()
    return try await judge(lines(of: journal))
  }

  private func submit() async throws(Failure) {
    let open = try open()
    let result: Result<Void, Failure>
    do throws(QueueError) {
      let queue = try await TaskQueue(open.store, ProgramTasks.handlers(on: open))
      _ = try await queue.submit(DemoWork.graph, durability: .full)
      result = .success(())
    } catch {
      result = .failure(Failure(queue: error))
    }
    await open.store.close()
    try result.get()
  }

  /// Opens the device; one whose folder was removed after an earlier demonstration begins anew.
  private func open() throws(Failure) -> OpenDevice {
    var arguments = Arguments()
    arguments.add(OptionSpec("device", "DIR", ""), value: place.device)
    var options: DeviceOptions
    do throws(UsageError) {
      options = try DeviceOptions(arguments)
    } catch {
      throw Failure(.usage, error.message)
    }
    do throws(Failure) {
      return try OpenDevice.open(options)
    } catch {
      guard !FileManager.default.fileExists(atPath: "\(place.device)/commute.db") else {
        throw error
      }
      options.startsAnew = true
      return try OpenDevice.open(options)
    }
  }

  /// Runs the queue in a process of its own until `process` has begun and `validate` is over, and
  /// kills it there.
  private func killInTheMiddle() async throws(Failure) {
    let child = child(["queue", "run"], [DemoWork.holding: "1"])
    let process = child.makeProcess()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let ended = ExitNotice()
    process.terminationHandler = { ended.note($0.terminationStatus) }
    try child.start(process)
    defer { kill(process.processIdentifier, SIGKILL) }
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !isInTheMiddle() {
      guard process.isRunning, ContinuousClock.now < deadline, !Task.isCancelled else {
        throw Failure(.refused, "the first process did not come as far as it should; try again")
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
    kill(process.processIdentifier, SIGKILL)
    _ = await ended.code()
  }

  private func isInTheMiddle() async throws(Failure) -> Bool {
    let states = try await query(
      "SELECT node, state, started FROM q_task WHERE node IN ('process', 'validate') ORDER BY node")
    let journal = (try? lines(of: DemoWork(place.device).journal)) ?? []
    return states == "process|3|1\nvalidate|10|0\n" && journal.contains("process attempt 1")
  }

  private func child(_ words: [String], _ more: [String: String] = [:]) -> ChildProcess {
    ChildProcess(
      program: SampleFile.program, arguments: words + ["--device", place.device],
      environment: more)
  }

  private func run(_ words: [String]) async throws(Failure) -> ChildProcess.Outcome {
    try await child(words).run()
  }

  private func lines(of file: String) throws(Failure) -> [String] {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw Failure(.storage, "\(file) cannot be read; check its rights and the disk")
    }
    return text.split(separator: "\n").map(String.init)
  }

  private func query(_ sql: String) async throws(Failure) -> String {
    try await HeldBooks.query(sql, of: "\(place.device)/commute.db")
  }

  // MARK: - Judging

  /// One node: what its handlers wrote, and what the file says.
  private struct NodeCount {
    var node: String
    var begun: Int
    var effects: String
    var row: [String]
  }

  private func judge(_ journal: [String]) async throws(Failure) -> Report {
    let rows = try await query(
      """
      SELECT node, state, attempt, failures, crashes,
        (SELECT count(*) FROM demo_end WHERE demo_end.node = q_task.node)
      FROM q_task ORDER BY id
      """)
    let counts = rows.split(separator: "\n").map { line -> NodeCount in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      return NodeCount(
        node: cells[0], begun: journal.filter { $0.hasPrefix("\(cells[0]) ") }.count,
        effects: cells.last ?? "", row: Array(cells.dropFirst().dropLast()))
    }
    var table = TextTable(["node", "handler began", "attempts", "crashes", "effects", "state"])
    table.rows = counts.map { count in
      [
        count.node, String(count.begun), count.row[1], count.row[3], count.effects,
        count.row[0] == "10" ? "succeeded" : "state \(count.row[0])",
      ]
    }
    output.say(table.boxed)
    let expected = [
      "fetch": ["10", "1", "0", "0"], "process": ["10", "2", "0", "1"],
      "validate": ["10", "1", "0", "0"], "upload": ["10", "1", "0", "0"],
    ]
    let graph = try await query("SELECT state, open, bad FROM q_graph")
    let isRight =
      counts.count == expected.count && graph == "10|0|0\n"
      && counts.allSatisfy { count in
        count.row == expected[count.node] && count.effects == "1"
          && String(count.begun) == count.row[1]
      }
    let members = JSON.list(
      counts.map { count in
        [
          "node": .text(count.node), "began": JSON(count.begun), "attempts": .text(count.row[1]),
          "effects": .text(count.effects),
        ]
      })
    guard isRight else {
      return Report(
        ["demo-graph: FAILED"], ["demo-graph": "failed", "nodes": members], code: .refused,
        complaint: "the graph did not go on as it should; the table above says where")
    }
    return Report(
      [
        "process ran twice, because its process died in it; everything else once, effects all once",
        "demo-graph: ok",
      ], ["demo-graph": "ok", "nodes": members])
  }
}
