/// How Goodreads writes the end of a line within a review: as `<br/>`.
enum LineBreaks {
  /// Makes LF of `<br/>`, `<br />` and `<br>` in any case, of CR LF and of CR.
  ///
  /// Every other mark-up stays as it is written.
  static func lines(of text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let length = breakLength(in: text, at: index)
      result.append(length > 0 ? .lineFeed : text[index])
      index += max(length, 1)
    }
    return result
  }

  /// Makes `<br/>` of LF, CR LF and CR, so that a review takes one line of the file.
  static func marked(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in lines(of: Array(text.utf8)[...]) {
      if byte == .lineFeed { result.append(contentsOf: "<br/>".utf8) } else { result.append(byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// How many bytes the line break at `index` takes; 0 if none begins there.
  private static func breakLength(in text: ArraySlice<UInt8>, at index: Int) -> Int {
    let rest = text[index...]
    if rest.first == .carriageReturn { return rest.dropFirst().first == .lineFeed ? 2 : 1 }
    let opens = rest.first == UInt8(ascii: "<") && rest.prefix(3).equalsIgnoringCase("<br")
    guard opens else { return 0 }
    var end = index + 3
    while end < text.endIndex, text[end] == .space { end += 1 }
    if end < text.endIndex, text[end] == UInt8(ascii: "/") { end += 1 }
    guard end < text.endIndex, text[end] == UInt8(ascii: ">") else { return 0 }
    return end + 1 - index
  }
}
