import CommuteCore

/// A small list to begin with, the same on every device.
///
/// Their ids are constants: two devices that both begin with the sample share it. They are seeds,
/// so whatever a person does to one of them wins.
public enum SampleBooks {
  /// The sample.
  public static let all: [Book] = [
    Book(
      id: id(1), title: "The Time Machine", author: "H. G. Wells", tags: ["classics", "science"]),
    Book(
      id: id(2), title: "Frankenstein", author: "Mary Shelley", tags: ["classics", "gothic"]),
    Book(
      id: id(3), title: "Three Men in a Boat", author: "Jerome K. Jerome", tags: ["humour"]),
    Book(
      id: id(4), title: "Jane Eyre", author: "Charlotte Brontë", tags: ["classics", "england"]),
    Book(
      id: id(5), title: "Around the World in Eighty Days", author: "Jules Verne",
      tags: ["classics", "travel"]),
  ]

  /// The book of the sample with this title and author, byte for byte.
  static func book(title: String, author: String) -> Book? {
    all.first {
      $0.title.utf8.elementsEqual(title.utf8) && $0.author.utf8.elementsEqual(author.utf8)
    }
  }

  private static func id(_ number: UInt64) -> RecordID {
    // A UUIDv8 that spells “commute book”.
    RecordID(high: 0x636f_6d6d_7574_8562, low: 0x8f6f_6b00_0000_0000 | number)
  }
}
