#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Makes empty files that only their owner can read.
enum PrivateFile {
  /// Makes the file where there is none; SQLite's side files then get the same rights.
  ///
  /// The file gets its name only after its descriptor was closed: closing a descriptor of a
  /// database that another thread has opened meanwhile would drop that thread's locks.
  ///
  /// - Returns: Whether the file was made now.
  @discardableResult
  static func createIfMissing(_ path: String) throws(SQLiteError) -> Bool {
    guard unsafe access(path, F_OK) != 0 else { return false }
    guard errno == ENOENT else { throw failure(path) }
    var template = Array("\(path).XXXXXX".utf8CString)
    let descriptor = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe mkstemp($0) } ?? -1
    }
    guard descriptor >= 0 else { throw failure(path) }
    close(descriptor)
    defer { unsafe _ = unlink(template) }
    if unsafe link(template, path) == 0 { return true }
    guard errno == EEXIST else { return try createDirectly(path) }
    // Made by another meanwhile, or a link whose target SQLite would make readable by all.
    guard unsafe access(path, F_OK) == 0 else {
      throw .cannotOpen(path: path, reason: "it is a link that leads nowhere")
    }
    return false
  }

  /// Removes a file that was made here and is open nowhere.
  static func remove(_ path: String) {
    unsafe _ = unlink(path)
  }

  /// The way for file systems without hard links.
  private static func createDirectly(_ path: String) throws(SQLiteError) -> Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 || errno == EEXIST else { throw failure(path) }
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  private static func failure(_ path: String) -> SQLiteError {
    if isForLackOfSpace(errno) { return .full }
    return errno == EROFS
      ? .readOnly(path: path) : .cannotOpen(path: path, reason: reason(errno))
  }

  /// Whether an error number of the system says that the disk or the user's part of it is full.
  static func isForLackOfSpace(_ number: Int32) -> Bool {
    number == ENOSPC || number == EDQUOT
  }

  /// The system's words for an error number.
  static func reason(_ number: Int32) -> String {
    guard let words = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: words)
  }
}
