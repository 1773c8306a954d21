#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The few calls by which one file takes the place of another.
enum FileSystem {
  /// Whether there is something of this name.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The bytes of a file; 0 where there is none.
  static func size(of path: String) -> Int64 {
    var found = stat()
    return stat(path, &found) == 0 ? Int64(found.st_size) : 0
  }

  /// Removes files; those that are not there do no harm.
  static func remove(_ paths: [String]) {
    for path in paths { unlink(path) }
  }

  /// Gives a file another name, over whatever has it.
  static func rename(_ path: String, to name: String) throws(ServerDatabaseError) {
    #if canImport(Darwin)
      let code = Darwin.rename(path, name)
    #else
      let code = Glibc.rename(path, name)
    #endif
    guard code == 0 else { throw failure("\(path) cannot be named \(name)") }
  }

  /// Gives a file a second name that nothing has.
  static func link(_ path: String, to name: String) throws(ServerDatabaseError) {
    #if canImport(Darwin)
      let code = Darwin.link(path, name)
    #else
      let code = Glibc.link(path, name)
    #endif
    guard code == 0 else {
      if errno == EEXIST { throw .exists(path: name) }
      throw failure("\(path) cannot be named \(name)")
    }
  }

  /// Makes names that were given in the folder of a file durable.
  static func flushFolder(of path: String) throws(ServerDatabaseError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("\(folder) cannot be opened") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("\(folder) cannot be written") }
  }

  private static func failure(_ what: String) -> ServerDatabaseError {
    .failed(reason: "\(what): \(String(cString: strerror(errno)).lowercased())")
  }
}
