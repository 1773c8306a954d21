import CommuteTestKit
import Foundation

/// Measures how much memory it takes to sync many books from nothing, on both sides.
final class MemoryRun {
  /// What a device and a server may take, in kibibytes.
  private static let limit = 150 * 1_000_000 / 1_024

  private let records: Int
  private let options: CrashOptions
  private let output: CrashOutput
  private let folder: String
  private var processes: [ChildProcess] = []

  init(records: Int, _ options: CrashOptions, _ output: CrashOutput) {
    self.records = records
    self.options = options
    self.output = output
    folder = FileManager.default.temporaryDirectory.path + "/commute-memory-\(getpid())"
  }

  /// Measures, and tells the result.
  ///
  /// - Returns: The exit code: 0 only where both stay within the limit.
  func perform() -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    defer {
      for process in processes { _ = process.finish() }
      try? FileManager.default.removeItem(atPath: folder)
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return try measure()
    } catch let failure as ChildProcess.Failure {
      output.complain("memory: \(failure.message)")
    } catch {
      output.complain("memory: \(error)")
    }
    return 1
  }

  private func measure() throws -> Int32 {
    let (server, port) = try startServer()
    let url = "http://127.0.0.1:\(port)"
    let writer = try start(
      "writer", mode: "--writer-child", order: WriterOrder(server: url, records: records))
    _ = try answer(of: writer, "done")
    let begun = ContinuousClock.now
    let reader = try start(
      "device", mode: "--reader-child",
      order: ReaderOrder(directory: "\(folder)/device", server: url))
    let books = try answer(of: reader, "books")
    let tenths = Int((ContinuousClock.now - begun) / .milliseconds(100))
    let device = try highWaterMark(of: reader)
    let serving = try highWaterMark(of: server)
    let isGood = books == String(records) && max(device, serving) <= Self.limit
    if options.isJSON {
      let (device, serving) = (device * 1_024, serving * 1_024)
      output.say(
        #"{"records":\#(books),"device":\#(device),"server":\#(serving),"ok":\#(isGood)}"#)
    } else {
      output.say(
        "memory: \(books) books from nothing in \(tenths / 10).\(tenths % 10) s, "
          + "device \(Self.megabytes(device)), server \(Self.megabytes(serving)), "
          + "limit \(Self.megabytes(Self.limit)): \(isGood ? "ok" : "too much")")
    }
    return isGood ? 0 : 1
  }

  private func startServer() throws -> (ChildProcess, port: String) {
    let server = try start(
      "server", mode: "--server-child", order: ServerOrder(file: "\(folder)/server.db", port: 0))
    return (server, try answer(of: server, "listening"))
  }

  private func start(
    _ name: String, mode: String, order: some Encodable
  ) throws(ChildProcess.Failure) -> ChildProcess {
    let process = try ChildProcess(name, mode: mode, order: order)
    processes.append(process)
    return process
  }

  /// Waits until a process tells a word.
  ///
  /// - Returns: The rest of the line.
  private func answer(
    of process: ChildProcess, _ word: String
  ) throws(ChildProcess.Failure) -> String {
    let watch = Watch(.seconds(600))
    while process.isOpen, !watch.isOver {
      for (_, lines) in watch.next([process]) {
        for line in lines {
          let words = line.split(separator: " ", maxSplits: 1)
          if words.first == word[...] { return words.count > 1 ? String(words[1]) : "" }
          throw ChildProcess.Failure(message: "\(process.name) says: \(line)")
        }
      }
    }
    throw ChildProcess.Failure(message: "\(process.name) ended before it told its result")
  }

  /// The most memory that a process had, in kibibytes, as the kernel counts it.
  private func highWaterMark(of process: ChildProcess) throws(ChildProcess.Failure) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let words = line?.split(whereSeparator: \.isWhitespace), words.count > 1,
      let kibibytes = Int(words[1])
    else {
      throw ChildProcess.Failure(message: "this system does not tell how much memory was used")
    }
    return kibibytes
  }

  private static func megabytes(_ kibibytes: Int) -> String {
    "\((kibibytes * 1_024 + 500_000) / 1_000_000) MB"
  }
}
