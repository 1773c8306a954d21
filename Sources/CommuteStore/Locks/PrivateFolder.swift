#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Folders and files that only their owner can read, written so that they survive power loss.
enum PrivateFolder {
  /// Makes a folder and those above it where there are none.
  static func make(_ path: String) throws(StoreError) {
    if mkdir(path, 0o700) == 0 { return }
    let number = errno
    if number == EEXIST {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw .unreadable(path: path, reason: "it is not a folder")
      }
      return
    }
    let parent = parent(of: path)
    guard number == ENOENT, parent != path else { throw SystemFailure.error(path: path) }
    try make(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemFailure.error(path: path) }
  }

  /// The folder that a path lies in.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path without links and dots; the path itself where it leads nowhere.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// How many bytes a file has; nil where there is none.
  static func size(of path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// Reads a small file; nil where there is none.
  static func read(_ path: String) throws(StoreError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw SystemFailure.error(path: path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = systemRead(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw SystemFailure.error(path: path) }
    return Array(bytes[..<count])
  }

  /// Replaces a file so that after power loss either the old or the new content is there.
  static func replace(_ path: String, with bytes: [UInt8]) throws(StoreError) {
    let fresh = "\(path).new"
    let descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure.error(path: fresh) }
    let written = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let failure = SystemFailure.error(path: fresh)
    close(descriptor)
    guard written else { throw failure }
    guard rename(fresh, path) == 0 else { throw SystemFailure.error(path: path) }
    try sync(folder: parent(of: path))
  }

  #if PLANTED
    /// Removes a file.
    static func remove(_ path: String) { unlink(path) }
  #endif

  /// Makes the names in a folder durable.
  private static func sync(folder: String) throws(StoreError) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure.error(path: folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw SystemFailure.error(path: folder) }
  }
}

/// The system's `read`, which a method of the same name would hide.
private func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8], _ count: Int) -> Int {
  read(descriptor, &bytes, count)
}
