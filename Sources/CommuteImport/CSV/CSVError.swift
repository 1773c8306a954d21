/// Why one record of a CSV file could not be taken, and where.
///
/// The reader stands behind the record when this is thrown: asking for the next one goes on.
public struct CSVError: Error, Hashable, Sendable {
  /// What is wrong with the record.
  @nonexhaustive
  public enum Problem: Hashable, Sendable {
    /// A quote was opened and the file ended, on `lastLine`, before it was closed.
    case unterminatedQuote(lastLine: Int)
    /// The byte does not belong to any UTF-8 text at this place.
    case notUTF8(byte: UInt8)
    /// The record holds the character U+0000, which no text field may hold.
    case nul
    /// A cell has more bytes than the reader was told to take.
    case cellTooLong(limit: Int)
    /// The record has more cells than the reader was told to take.
    case tooManyCells(limit: Int)
  }

  /// The line of the file, from 1, on which the problem begins.
  public let line: Int
  /// The place of the cell in its record, from 0.
  public let column: Int
  /// What is wrong there.
  public let problem: Problem
}

extension CSVError {
  /// What is wrong, as a person should read it; what becomes of the record is the reader's to say.
  public var reason: String {
    switch problem {
    case .unterminatedQuote: "the quote that opens here is never closed"
    case .notUTF8(let byte): "byte \(byte.hexadecimal) is not UTF-8 text; save the file as UTF-8"
    case .nul: "it holds a NUL character"
    case .cellTooLong(let limit): "it is longer than \(limit) bytes"
    case .tooManyCells(let limit): "it has more than \(limit) cells"
    }
  }
}

extension UInt8 {
  /// Two upper-case digits, as programmers write a byte.
  var hexadecimal: String {
    let digits = String(self, radix: 16, uppercase: true)
    return self < 16 ? "0" + digits : digits
  }
}
