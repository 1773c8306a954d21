import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file of tokens that is read again when it changes.
///
/// Replace it by renaming a new file over it, so that no half is ever read. While a changed file
/// cannot be used, the tokens read before stay in force and the log says so.
public final class TokenFile: Sendable {
  /// What tells one state of the file from another.
  private struct Mark: Equatable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var seconds: Int64
    var nanoseconds: Int64
  }

  private struct State {
    var table: TokenTable
    var mark: Mark?
  }

  /// The largest file that is read: 16 MiB.
  private static let sizeLimit: Int64 = 16 << 20

  /// Where it is.
  public let path: String
  private let state: Mutex<State>
  private let complain: @Sendable (TokenFileError) -> Void

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - complain: Told once for each change that cannot be used.
  /// - Throws: ``TokenFileError`` where it cannot be used now.
  public init(
    path: String, complain: @escaping @Sendable (TokenFileError) -> Void = { _ in }
  ) throws(TokenFileError) {
    self.path = path
    self.complain = complain
    let mark = Self.mark(of: path)
    state = Mutex(State(table: try Self.read(path), mark: mark))
  }

  /// The tokens in force; the file is looked at, and read only where it has changed.
  public var table: TokenTable {
    let mark = Self.mark(of: path)
    return state.withLock { state in
      if mark != state.mark { read(into: &state, mark: mark) }
      return state.table
    }
  }

  /// Reads the file anew, changed or not.
  public func reload() {
    let mark = Self.mark(of: path)
    state.withLock { state in read(into: &state, mark: mark) }
  }

  private func read(into state: inout State, mark: Mark?) {
    state.mark = mark
    do throws(TokenFileError) {
      state.table = try Self.read(path)
    } catch {
      complain(error)
    }
  }

  private static func mark(of path: String) -> Mark? {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    #if canImport(Darwin)
      let changed = found.st_mtimespec
    #else
      let changed = found.st_mtim
    #endif
    return Mark(
      device: UInt64(truncatingIfNeeded: found.st_dev),
      inode: UInt64(truncatingIfNeeded: found.st_ino), size: Int64(found.st_size),
      seconds: Int64(changed.tv_sec), nanoseconds: Int64(changed.tv_nsec))
  }

  private static func read(_ path: String) throws(TokenFileError) -> TokenTable {
    guard let file = fopen(path, "r") else {
      throw .unreadable(path: path, reason: String(cString: strerror(errno)).lowercased())
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= sizeLimit else {
        throw .unreadable(path: path, reason: "it is longer than \(sizeLimit) bytes")
      }
      guard count == buffer.count else { break }
    }
    guard ferror(file) == 0 else {
      throw .unreadable(path: path, reason: "the disk or the rights do not allow it")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unreadable(path: path, reason: "it is not UTF-8")
    }
    return try TokenTable(text)
  }
}
