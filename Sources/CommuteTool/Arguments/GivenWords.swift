/// The words of the command line, as bytes first: what is not UTF-8 is refused and not mended.
enum GivenWords {
  /// Reads the words behind the program's name.
  ///
  /// - Throws: ``UsageError/notText(place:seen:)``, since a mended word is not what was meant.
  static func read() throws(UsageError) -> [String] {
    var words: [String] = []
    for place in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[place] else { break }
      guard let word = String(validatingCString: bytes) else {
        throw .notText(place: place, seen: String(cString: bytes))
      }
      words.append(word)
    }
    return words
  }
}
