import Foundation

/// A file that a person named on the command line, read and written with errors in plain words.
struct PersonsFile: Sendable {
  /// Where it is; `-` is the standard input.
  var path: String

  /// Reads the file up to one byte more than the limit.
  func read(limit: Int) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("read", errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 256 << 10)
    while bytes.count <= limit {
      let count = systemRead(descriptor, &part, min(part.count, limit + 1 - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("read", errno) }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return bytes
  }

  /// Writes the file; one that is there is replaced as a whole, or stays as it is.
  func write(_ bytes: [UInt8]) throws(Failure) {
    var found = stat()
    let isThere = stat(path, &found) == 0
    if isThere, found.st_mode & S_IFMT == S_IFDIR { throw failure("written", EISDIR) }
    // A pipe or a terminal has nothing to replace.
    let isPlain = !isThere || found.st_mode & S_IFMT == S_IFREG
    let target = realPath
    let place = isPlain ? "\(target).\(getpid()).part" : target
    let flags = O_WRONLY | O_CLOEXEC | (isPlain ? O_CREAT | O_TRUNC : 0)
    let descriptor = open(place, flags, isThere ? found.st_mode & 0o777 : 0o666)
    guard descriptor >= 0 else { throw failure("written", errno) }
    var problem = Self.put(bytes, to: descriptor)
    if isPlain, problem == 0, fsync(descriptor) != 0 { problem = errno }
    close(descriptor)
    if isPlain, problem == 0, rename(place, target) != 0 { problem = errno }
    guard problem == 0 else {
      if isPlain { unlink(place) }
      throw failure("written", problem)
    }
  }

  /// Where a link leads, so that the file is replaced and not the link.
  private var realPath: String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// - Returns: The system's number of what went wrong, 0 for nothing.
  private static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return errno }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  private func failure(_ done: String, _ number: Int32) -> Failure {
    let code: ExitCode = [ENOSPC, EDQUOT, EIO].contains(number) ? .storage : .refused
    return Failure(code, "\(path) cannot be \(done): \(reason(number))")
  }

  private func reason(_ number: Int32) -> String {
    switch number {
    case ENOENT:
      let folder = URL(filePath: path).deletingLastPathComponent().path
      return FileManager.default.fileExists(atPath: folder)
        ? "it is not there; check the path" : "there is no folder \(folder); make it first"
    case ENOTDIR: return "a part of the path is no folder; check the path"
    case EISDIR: return "it is a folder; name a file"
    case EACCES, EPERM: return "its rights do not allow it; change them, or name another file"
    case EROFS: return "the disk may only be read; name a file elsewhere"
    case ENOSPC, EDQUOT: return "the disk is full; free some space and try again"
    case ENAMETOOLONG: return "the name is too long; name a shorter one"
    default: return "the system says error \(number); check the path and the disk"
    }
  }
}

/// The system's `read`, which a method of the same name would hide.
private func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8], _ count: Int) -> Int {
  read(descriptor, &bytes, count)
}

/// The system's `write`, which a method of the same name would hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
