import Foundation

extension Report {
  private struct TellingJSON: Encodable {
    var held: [String: [Book]]
    var losses: [LossJSON]

    init(_ telling: Telling) {
      held = Dictionary(
        uniqueKeysWithValues: telling.held.map { place, books in (place.words, books) })
      losses = telling.losses.map {
        LossJSON(kind: $0.kind, place: $0.place.words, words: $0.words)
      }
    }
  }

  private struct LossJSON: Encodable {
    var kind: Loss.Kind
    var place: String
    var words: String
  }

  private struct OutcomeJSON: Encodable {
    var number: Int
    var story: String
    var promise: String
    var naive: TellingJSON
    var ours: TellingJSON
  }

  private struct ReportJSON: Encodable {
    var stories: [OutcomeJSON]
    var told: Int
    var lostByNaive: Int
    var lostByOurs: Int
    var without: String?
    var complaints: [String]
  }

  /// The report as one JSON object.
  func json() throws -> String {
    let report = ReportJSON(
      stories: outcomes.map {
        OutcomeJSON(
          number: $0.story.number, story: $0.story.name, promise: $0.story.promise,
          naive: TellingJSON($0.naive), ours: TellingJSON($0.ours))
      },
      told: outcomes.count, lostByNaive: lostByNaive, lostByOurs: lostByOurs.count,
      without: without?.rawValue, complaints: complaints)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }
}
