extension JSONWriter {
  /// Writes the shortest number that reads back as the same double, in the notation of JavaScript.
  ///
  /// Digits are the fewest that suffice, and of those the closest; there is an exponent only below
  /// 10^-6 and from 10^21 on. Negative zero is written as zero; what is not finite as `null`, for
  /// want of a number (``FieldValue/refusal`` finds it before it comes here).
  mutating func double(_ number: Double) {
    guard number.isFinite else { return append("null") }
    guard number != 0 else { return append(0x30) }
    if number < 0 { append(0x2D) }
    var digits: [UInt8] = []
    let point = Self.shortestDigits(of: number.magnitude, into: &digits)
    switch point {
    case 1...21: plain(digits, point: point)
    case -5...0:
      append("0.")
      for _ in point..<0 { append(0x30) }
      append(digits)
    default: exponential(digits, exponent: point - 1)
    }
  }

  private mutating func plain(_ digits: [UInt8], point: Int) {
    for index in 0..<max(point, digits.count) {
      if index == point { append(0x2E) }
      append(index < digits.count ? digits[index] : 0x30)
    }
  }

  private mutating func exponential(_ digits: [UInt8], exponent: Int) {
    append(digits[0])
    if digits.count > 1 { append(0x2E) }
    for digit in digits.dropFirst() { append(digit) }
    append(0x65)
    append(exponent < 0 ? 0x2D : 0x2B)
    unsigned(UInt64(exponent.magnitude))
  }

  /// Takes the digits of the standard library's shortest form, without zeros at either end.
  ///
  /// - Returns: How many digits stand before the point; negative for zeros behind it.
  private static func shortestDigits(of number: Double, into digits: inout [UInt8]) -> Int {
    var point = 0
    var isFraction = false
    var exponent = 0
    var isNegative = false
    var isExponent = false
    for byte in number.description.utf8 {
      switch byte {
      case 0x30...0x39 where isExponent: exponent = exponent * 10 + Int(byte - 0x30)
      case 0x30 where digits.isEmpty: if isFraction { point -= 1 }
      case 0x30...0x39:
        digits.append(byte)
        if !isFraction { point += 1 }
      case 0x2E: isFraction = true
      case 0x65: isExponent = true
      case 0x2D: isNegative = true
      default: break
      }
    }
    while digits.last == 0x30 { digits.removeLast() }
    return point + (isNegative ? -exponent : exponent)
  }
}
