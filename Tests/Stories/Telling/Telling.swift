/// How a story came out with one design.
struct Telling: Sendable {
  /// What is there in the end, read with SQL.
  var held: [Place: [Book]]
  /// What was lost; empty where the promise was kept.
  var losses: [Loss]

  /// The books at a place, on one line.
  func line(_ place: Place) -> String {
    let books = held[place] ?? []
    return books.isEmpty ? "no books" : books.map(\.words).joined(separator: " · ")
  }

  /// What was lost, a line for each thing, with all places where it is.
  var lossLines: [String] {
    var order: [String] = []
    var places: [String: [Place]] = [:]
    for loss in losses {
      if places[loss.words] == nil { order.append(loss.words) }
      places[loss.words, default: []].append(loss.place)
    }
    return order.map { words in
      let names = Set(places[words] ?? []).sorted().map(\.words).joined(separator: ", ")
      return "\(words) (\(names))"
    }
  }
}
