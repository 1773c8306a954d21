/// A number as it is written, for exact conversion to the nearest double.
///
/// The standard library's conversion needs C's `strtod`, which a browser does not have.
struct DecimalNumber {
  /// No halfway point between two doubles has more significant digits than 767.
  private static let digitLimit = 800

  private var isNegative = false
  /// Digits without leading zeros, at most ``digitLimit``.
  private var digits: [UInt8] = []
  /// The power of ten of the last digit.
  private var exponent = 0
  /// Whether digits that are not zero were left out.
  private var isCut = false

  /// Reads bytes that are a number of JSON.
  init(_ bytes: [UInt8]) {
    var isFraction = false
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case 0x2D: isNegative = true
      case 0x2E: isFraction = true
      case 0x30...0x39: append(byte - 0x30, isFraction: isFraction)
      default:
        exponent += Self.exponent(bytes[at...])
        at = bytes.count
      }
    }
  }

  private mutating func append(_ digit: UInt8, isFraction: Bool) {
    if isFraction { exponent -= 1 }
    if digits.isEmpty && digit == 0 { return }
    if digits.count < Self.digitLimit {
      digits.append(digit)
    } else {
      exponent += 1
      isCut = isCut || digit != 0
    }
  }

  /// The number behind `e`; far beyond the range of doubles all are alike.
  private static func exponent(_ bytes: ArraySlice<UInt8>) -> Int {
    var number = 0
    for byte in bytes where byte >= 0x30 && byte <= 0x39 {
      number = min(number * 10 + Int(byte - 0x30), 100_000_000)
    }
    return bytes.first == 0x2D ? -number : number
  }

  /// The nearest double, ties to even; infinite beyond the range.
  var double: Double {
    let magnitude = self.magnitude
    return isNegative ? -magnitude : magnitude
  }

  private var magnitude: Double {
    let width = digits.count + exponent
    if digits.isEmpty || width < -330 { return 0 }
    if width > 310 { return .infinity }
    if digits.count <= 19 {
      var number: UInt64 = 0
      for digit in digits { number = number * 10 + UInt64(digit) }
      if number <= 1 << 53, exponent.magnitude <= 22 { return Self.product(number, exponent) }
      return rounded(BigNatural(number))
    }
    return rounded(wholeNumber)
  }

  /// All digits as one number, taken nine at a time.
  private var wholeNumber: BigNatural {
    var number = BigNatural(0)
    var group: UInt32 = 0
    var factor: UInt32 = 1
    for digit in digits {
      group = group * 10 + UInt32(digit)
      factor *= 10
      if factor == 1_000_000_000 {
        number.multiply(by: factor, adding: group)
        group = 0
        factor = 1
      }
    }
    number.multiply(by: factor, adding: group)
    return number
  }

  /// Both factors are exact doubles, so one rounding is all there is.
  private static func product(_ number: UInt64, _ exponent: Int) -> Double {
    var power = 1.0
    for _ in 0..<Int(exponent.magnitude) { power *= 10 }
    return exponent < 0 ? Double(number) / power : Double(number) * power
  }

  private func rounded(_ number: BigNatural) -> Double {
    var upper = number
    var lower = BigNatural(1)
    if exponent >= 0 {
      upper.multiply(byPowerOfTen: exponent)
    } else {
      lower.multiply(byPowerOfTen: -exponent)
    }
    let shift = 63 - (upper.bitWidth - lower.bitWidth)
    if shift > 0 { upper.shiftLeft(by: shift) } else { lower.shiftLeft(by: -shift) }
    let (quotient, isExact) = BigNatural.quotient(of: upper, by: lower)
    return Self.rounded(quotient, exponent: -shift, isExact: isExact && !isCut)
  }

  /// The double nearest to `quotient` × 2^`exponent`, or to a little more where that is not exact.
  private static func rounded(_ quotient: UInt64, exponent: Int, isExact: Bool) -> Double {
    let width = 64 - quotient.leadingZeroBitCount
    let leading = exponent + width - 1
    if leading > 1023 { return .infinity }
    let kept = leading >= -1022 ? 53 : 53 - (-1022 - leading)
    if kept < 0 { return 0 }
    let dropped = UInt64(width - kept)
    var mantissa = dropped >= 64 ? 0 : quotient >> dropped
    let rest = dropped >= 64 ? quotient : quotient & (1 << dropped - 1)
    let half: UInt64 = 1 << (dropped - 1)
    if rest > half || rest == half && (!isExact || mantissa & 1 == 1) { mantissa += 1 }
    // The leading bit of a normal number's mantissa adds one to the exponent's field.
    let field = UInt64(max(leading + 1022, 0))
    return Double(bitPattern: field << 52 + mantissa)
  }
}
