/// Where the parts of a head lie in memory, to see whether any byte of it went unseen.
///
/// libmicrohttpd 0.9 reads a head where it lies: it overwrites blanks, colons and line ends by
/// NULs and points at what is between. A NUL that was sent, or a value that was continued on the
/// next line, cannot be seen in what it shows then. But the parts do not follow each other
/// as they must: request line, then each field right behind the line end of the one before, up
/// to the empty line. Only numbers are compared here, nothing is read.
struct HeadLayout {
  /// A stretch of memory.
  struct Span {
    var start: UInt
    var count: UInt

    /// The first place behind it.
    var end: UInt { start &+ count }
  }

  var method: Span
  var target: Span
  var version: Span
  /// Name and value of each field.
  var fields: [(name: Span, value: Span)] = []
  /// All bytes, from the method to the empty line.
  var size: UInt

  /// Whether the parts, the blanks and line ends between them are all there is.
  var isPlain: Bool {
    let lineEnd: UInt = 2
    guard target.start == method.end &+ 1, version.start == target.end &+ 1 else { return false }
    var next = version.end &+ lineEnd
    for field in fields {
      // Between the colon and the value there may be any number of blanks.
      guard field.name.start == next, field.value.start > field.name.end else { return false }
      next = field.value.end &+ lineEnd
    }
    return next &+ lineEnd == method.start &+ size
  }
}
