import Foundation

/// Another program, started by the system's own call.
///
/// Foundation's `Process` of 6.3.1 looks through the open files of this process by copying whole
/// directory entries, and reads past the end of a buffer where more than about 1,300 files are
/// open, as they are among these tests.
final class Subprocess: Sendable {
  struct Failure: Error {
    let reason: String
  }

  private let pid: pid_t
  /// What it writes; read it to the end before waiting.
  let output: FileHandle

  /// Starts a program through the shell; `$1` and so on are the arguments.
  init(_ script: String, _ arguments: [String] = [], in folder: URL) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(reason: "no file descriptor is free") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    let place = "cd \"$0\" || exit 1\n\(script)"
    var words = (["/bin/sh", "-c", place, folder.path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var pid = pid_t()
    let code = posix_spawn(&pid, "/bin/sh", &actions, nil, words, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw Failure(reason: "/bin/sh cannot be started (\(code))")
    }
    self.pid = pid
    output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
  }

  /// Waits for its end.
  ///
  /// - Returns: Its exit code.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }

  /// Ends it, and waits until it has.
  func end() {
    kill(pid, SIGKILL)
    _ = wait()
  }
}
