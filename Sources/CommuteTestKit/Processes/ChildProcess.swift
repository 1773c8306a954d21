import Foundation

/// A process that this one has started, with a pipe in each direction.
///
/// It is used by one thread. The child ends when its input does, so that nothing outlives a runner
/// that is killed itself.
package final class ChildProcess {
  /// How a process ended.
  package enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Why a process could not be started.
  package struct Failure: Error {
    package var message: String

    package init(message: String) {
      self.message = message
    }
  }

  package let name: String
  package let pid: Int32
  /// Where it tells; to be polled.
  package let output: Int32
  private var input: Int32
  private var unread: [UInt8] = []
  private var ending: Ending?
  /// Whether it may still tell something.
  package private(set) var isOpen = true

  /// Starts a program; `joinsErrors` lets what it says of errors come with what it tells.
  package init(
    _ name: String, program: String, arguments: [String], joinsErrors: Bool = false
  ) throws(Failure) {
    guard let toChild = Pipe(), let fromChild = Pipe() else {
      throw Failure(message: "no file descriptor is free")
    }
    var actions = Self.noActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDOUT_FILENO)
    if joinsErrors {
      posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDERR_FILENO)
    }
    var words = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var pid = pid_t()
    let code = posix_spawnp(&pid, program, &actions, nil, words, environ)
    close(toChild.read)
    close(fromChild.write)
    guard code == 0 else {
      close(toChild.write)
      close(fromChild.read)
      throw Failure(message: "\(program) cannot be started: \(String(cString: strerror(code)))")
    }
    self.name = name
    self.pid = pid
    input = toChild.write
    output = fromChild.read
  }

  #if canImport(Darwin)
    private static func noActions() -> posix_spawn_file_actions_t? { nil }
  #else
    private static func noActions() -> posix_spawn_file_actions_t { .init() }
  #endif

  /// Starts this program once more, as one of its children.
  package convenience init(
    _ name: String, mode: String, order: some Encodable
  ) throws(Failure) {
    guard let bytes = try? JSONEncoder().encode(order) else {
      throw Failure(message: "the order of \(name) cannot be written down")
    }
    try self.init(
      name, program: Self.ownPath, arguments: [mode, String(decoding: bytes, as: UTF8.self)])
  }

  /// The path of the running program.
  private static let ownPath: String = {
    let link = "/proc/self/exe"
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    return path ?? CommandLine.arguments[0]
  }()

  deinit {
    if ending == nil { _ = finish() }
  }

  /// Tells the process a line; one that has ended hears nothing.
  package func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
  }

  /// Takes what the process has told since, without waiting; the output must be ready.
  ///
  /// - Returns: Whole lines; half a line waits for its end, and is dropped where none comes.
  package func takeLines() -> [String] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &bytes, bytes.count)
    if count < 0, errno == EINTR { return [] }
    guard count > 0 else {
      isOpen = false
      return []
    }
    unread.append(contentsOf: bytes[..<count])
    guard let end = unread.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = unread[..<end].split(separator: UInt8(ascii: "\n"))
    let texts = lines.map { String(decoding: $0, as: UTF8.self) }
    unread.removeSubrange(...end)
    return texts
  }

  /// Kills the process; it may have ended before.
  package func kill() {
    if ending == nil { _ = Foundation.kill(pid, SIGKILL) }
  }

  /// Stops the process as a system does that sleeps, or lets it go on.
  package func hold(_ isHeld: Bool) {
    if ending == nil { _ = Foundation.kill(pid, isHeld ? SIGSTOP : SIGCONT) }
  }

  /// Whether the process has ended by itself.
  package func hasEnded() -> Bool {
    if ending != nil { return true }
    var info = siginfo_t()
    return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo != 0
  }

  /// Waits for the process, which must have ended or be about to.
  package func reap() -> Ending {
    if let ending { return ending }
    close(input)
    input = -1
    close(output)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    let found: Ending = signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
    ending = found
    isOpen = false
    return found
  }

  /// Kills the process and waits for its end.
  package func finish() -> Ending {
    kill()
    return reap()
  }

  /// A pipe of which no other child inherits an end.
  private struct Pipe {
    let read: Int32
    let write: Int32

    init?() {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { return nil }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (read, write) = (ends[0], ends[1])
    }
  }
}
