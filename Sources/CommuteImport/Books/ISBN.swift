/// The number of an edition, always in its form of 13 digits.
struct ISBN: Hashable, Sendable {
  /// Why some text is no ISBN.
  enum Problem: Error, Hashable, Sendable {
    /// Neither 10 nor 13 digits, hyphens and blanks not counted.
    case notTenOrThirteenDigits
    /// The last digit does not fit the others: one of them is mistyped.
    case wrongCheckDigit
    /// A number of 13 digits for something that is no book.
    case notABook
  }

  /// Thirteen ASCII digits.
  let digits: [UInt8]

  /// Reads 10 or 13 digits; hyphens and blanks between them are passed over.
  init(_ text: ArraySlice<UInt8>) throws(Problem) {
    let digits = text.filter { $0 != UInt8(ascii: "-") && !$0.isBlank }
    switch digits.count {
    case 10:
      guard Self.isTenDigits(digits) else { throw .notTenOrThirteenDigits }
      guard Self.tenIsConsistent(digits) else { throw .wrongCheckDigit }
      let body = Array("978".utf8) + digits.prefix(9)
      self.digits = body + [Self.checkDigit(after: body)]
    case 13:
      guard digits.allSatisfy({ $0.digitValue != nil }) else { throw .notTenOrThirteenDigits }
      guard digits.starts(with: "978".utf8) || digits.starts(with: "979".utf8) else {
        throw .notABook
      }
      guard Self.checkDigit(after: digits.dropLast()) == digits[12] else { throw .wrongCheckDigit }
      self.digits = digits
    default:
      throw .notTenOrThirteenDigits
    }
  }

  /// The number as text.
  var text: String { String(decoding: digits, as: UTF8.self) }

  /// The older form of 10 digits; only numbers that begin with 978 have one.
  var tenDigits: String? {
    guard digits.starts(with: "978".utf8) else { return nil }
    let body = digits[3..<12]
    var sum = 0
    for (index, digit) in body.enumerated() { sum += (10 - index) * (digit.digitValue ?? 0) }
    let check = (11 - sum % 11) % 11
    let last = check == 10 ? UInt8(ascii: "X") : UInt8(ascii: "0") + UInt8(check)
    return String(decoding: body + [last], as: UTF8.self)
  }

  private static func isTenDigits(_ digits: [UInt8]) -> Bool {
    digits.prefix(9).allSatisfy { $0.digitValue != nil }
      && (digits[9].digitValue != nil || digits[9].asciiLowercased == UInt8(ascii: "x"))
  }

  private static func tenIsConsistent(_ digits: [UInt8]) -> Bool {
    var sum = 0
    for (index, digit) in digits.enumerated() { sum += (10 - index) * (digit.digitValue ?? 10) }
    return sum % 11 == 0
  }

  /// The digit that makes the weighted sum (1, 3, 1, 3, …) a multiple of ten.
  private static func checkDigit(after body: some Sequence<UInt8>) -> UInt8 {
    var sum = 0
    var weight = 1
    for digit in body {
      sum += weight * (digit.digitValue ?? 0)
      weight = 4 - weight
    }
    return UInt8(ascii: "0") + UInt8((10 - sum % 10) % 10)
  }
}
