/// Why a story could not be told, or a client could not do what a person wanted; one line.
struct StoryError: Error, Hashable, CustomStringConvertible {
  var message: String

  init(_ message: String) {
    self.message = message
  }

  var description: String { message }
}
