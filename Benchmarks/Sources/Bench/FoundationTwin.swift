import Foundation

/// The same answer as plain Codable structs, for Foundation's coders.
///
/// The fields are a struct of typed members, which is the quickest way those coders have; the
/// product's own codec keeps fields it does not know, which this twin cannot.
struct AnswerTwin: Codable {
  struct Integer: Codable { var i: String }
  struct Instant: Codable { var t: String }

  struct Fields: Codable {
    var title: String
    var author: String
    var tags: [String]
    var read: Bool
    var readAt: Instant?
    var rating: Integer?
    var notes: String
    var isbn: String?
  }

  /// An epoch and a number in one array.
  struct Revision: Codable {
    var epoch: String
    var number: UInt64

    init(from decoder: any Decoder) throws {
      var parts = try decoder.unkeyedContainer()
      epoch = try parts.decode(String.self)
      number = try parts.decode(UInt64.self)
    }

    func encode(to encoder: any Encoder) throws {
      var parts = encoder.unkeyedContainer()
      try parts.encode(epoch)
      try parts.encode(number)
    }
  }

  struct Record: Codable {
    var id: String
    var table: String
    var revision: Revision
    var author: String
    var fields: Fields
    var stamps: [String: String]
  }

  struct Feed: Codable {
    var feed: String
    var grant: UInt64
    var cursor: UInt64?
    var fence: UInt64?
    var records: [Record]
    var more: Bool?
  }

  var `protocol`: Int
  var epoch: String
  var time: Int64
  var nonce: String
  var feeds: [Feed]
}
