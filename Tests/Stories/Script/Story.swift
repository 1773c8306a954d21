/// One story: what happens on two devices, what must be there in the end, and what a naive design
/// is said to lose.
struct Story: Sendable {
  let number: Int
  /// What happens, in a few words.
  let name: String
  /// What must be true in the end.
  let promise: String
  /// What the naive design is said to lose; all of it must really be lost.
  let naiveLosses: Set<Loss.Kind>
  /// What happens, in order.
  let steps: [Step]
  /// What may be there in the end, at all places.
  let outcomes: [[Place: [Book]]]
  /// Who is signed in on the devices at first; nobody in most stories.
  var people: [DeviceName: Person] = [:]
}

extension Story {
  /// All stories, in the order in which they are told.
  static let all = seven + clocks + copies + accounts + absences

  /// The same books at all places.
  static func everywhere(_ books: Book...) -> [Place: [Book]] {
    Dictionary(uniqueKeysWithValues: Place.all.map { ($0, books) })
  }
}
