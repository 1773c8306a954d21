/// One way in which a place does not hold what it must.
struct Loss: Hashable, Sendable {
  /// What kind of loss it is.
  enum Kind: String, Hashable, Sendable, Codable {
    /// A book is not there.
    case missing
    /// A book is there that was deleted, or that nobody added.
    case back
    /// A book is in the list of somebody else.
    case foreign
    /// One book is there several times.
    case twice
    /// A tick is missing, or is there without anybody having ticked.
    case tick
    /// A note is not the one that must be there.
    case note
    /// What a person did came to nothing, and nobody is told.
    case silent
    /// A person's edit was refused, or its change never left the device.
    case refused
  }

  var kind: Kind
  var place: Place
  var words: String
}

extension Loss {
  /// What places lack of the outcome that is nearest to what they hold.
  static func between(_ held: [Place: [Book]], _ outcomes: [[Place: [Book]]]) -> [Loss] {
    let readings = outcomes.map { outcome in
      Place.all.flatMap { place in between(held[place] ?? [], outcome[place] ?? [], at: place) }
    }
    return readings.min { $0.count < $1.count } ?? []
  }

  /// What one place lacks of one outcome, title by title.
  static func between(_ held: [Book], _ wanted: [Book], at place: Place) -> [Loss] {
    let names = Set((held + wanted).map(\.name)).sorted()
    return names.flatMap { name in
      let differences = differences(
        held.filter { $0.name == name }, wanted.filter { $0.name == name })
      return differences.map { Loss(kind: $0.kind, place: place, words: "\(name) \($0.words)") }
    }
  }

  private static func differences(
    _ held: [Book], _ wanted: [Book]
  ) -> [(kind: Kind, words: String)] {
    guard let first = wanted.first else {
      guard let other = held.first else { return [] }
      return other.owner == nil ? [(.back, "is back")] : [(.foreign, "is somebody else’s")]
    }
    if held.isEmpty { return [(.missing, "is gone")] }
    var differences: [(kind: Kind, words: String)] = []
    if held.count > wanted.count {
      differences.append((.twice, "is there \(held.count == 2 ? "twice" : "\(held.count) times")"))
    }
    if !held.contains(where: { $0.read == first.read }) {
      differences.append((.tick, first.read != 0 ? "lost its tick" : "is ticked by nobody"))
    }
    if !held.contains(where: { $0.note == first.note }), let other = held.first?.note {
      let found = other.isEmpty ? "no note" : "“\(other)”"
      differences.append((.note, "has \(found) instead of “\(first.note)”"))
    }
    return differences
  }
}
