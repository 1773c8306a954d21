/// A natural number of any size: just what exact conversion of decimal fractions needs.
struct BigNatural {
  /// The 32-bit digits, least first, without zeros at the end.
  private(set) var words: [UInt32]

  init(_ number: UInt64) {
    words = [UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32)]
    trim()
  }

  /// The number of bits up to the highest one that is set.
  var bitWidth: Int {
    guard let top = words.last else { return 0 }
    return words.count * 32 - top.leadingZeroBitCount
  }

  private mutating func trim() {
    while words.last == 0 { words.removeLast() }
  }

  /// Multiplies by a factor and adds a summand.
  mutating func multiply(by factor: UInt32, adding summand: UInt32 = 0) {
    var carry = UInt64(summand)
    for index in words.indices {
      carry += UInt64(words[index]) * UInt64(factor)
      words[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry > 0 { words.append(UInt32(truncatingIfNeeded: carry)) }
  }

  /// Multiplies by a power of ten.
  mutating func multiply(byPowerOfTen exponent: Int) {
    for _ in 0..<exponent / 9 { multiply(by: 1_000_000_000) }
    var rest: UInt32 = 1
    for _ in 0..<exponent % 9 { rest *= 10 }
    multiply(by: rest)
  }

  /// Multiplies by a power of two.
  mutating func shiftLeft(by count: Int) {
    guard count > 0, !words.isEmpty else { return }
    let bits = UInt64(count % 32)
    var carry: UInt64 = 0
    for index in words.indices {
      let shifted = UInt64(words[index]) << bits | carry
      words[index] = UInt32(truncatingIfNeeded: shifted)
      carry = shifted >> 32
    }
    if carry > 0 { words.append(UInt32(truncatingIfNeeded: carry)) }
    words.insert(contentsOf: repeatElement(0, count: count / 32), at: 0)
  }

  /// Divides a number by one of 63 bits less, and says whether something remains.
  ///
  /// Long division with 32-bit digits; the quotient has 63 or 64 bits.
  static func quotient(
    of dividend: BigNatural, by divisor: BigNatural
  ) -> (quotient: UInt64, isExact: Bool) {
    // The divisor's highest bit must be set, and two digits of it must be there to guess with.
    var upper = dividend
    var lower = divisor
    let shift = (32 - divisor.bitWidth % 32) % 32 + (divisor.words.count < 2 ? 32 : 0)
    upper.shiftLeft(by: shift)
    lower.shiftLeft(by: shift)
    let count = lower.words.count
    while upper.words.count < count + 2 { upper.words.append(0) }
    let high = upper.subtractMultiple(of: lower, at: 1)
    let low = upper.subtractMultiple(of: lower, at: 0)
    return (UInt64(high) << 32 | UInt64(low), upper.words.allSatisfy { $0 == 0 })
  }

  /// Finds one digit of a quotient and takes its multiple of the divisor away.
  private mutating func subtractMultiple(of divisor: BigNatural, at place: Int) -> UInt32 {
    let count = divisor.words.count
    let top = UInt64(divisor.words[count - 1])
    let above = place + count < words.count ? UInt64(words[place + count]) : 0
    let numerator = above << 32 | UInt64(words[place + count - 1])
    var digit = min(numerator / top, UInt64(UInt32.max))
    var rest = numerator - digit * top
    while rest <= UInt64(UInt32.max),
      digit * UInt64(divisor.words[count - 2]) > rest << 32 | UInt64(words[place + count - 2])
    {
      digit -= 1
      rest += top
    }
    if subtract(divisor, times: digit, at: place) {
      digit -= 1
      addBack(divisor, at: place)
    }
    return UInt32(truncatingIfNeeded: digit)
  }

  /// Takes a multiple away and says whether that went below zero.
  private mutating func subtract(_ other: BigNatural, times factor: UInt64, at place: Int) -> Bool {
    var carry: UInt64 = 0
    var borrow: UInt64 = 0
    for index in 0...other.words.count {
      let word = index < other.words.count ? UInt64(other.words[index]) : 0
      carry += word * factor
      guard place + index < words.count else { return carry + borrow != 0 }
      let difference = UInt64(words[place + index]) &- carry & 0xFFFF_FFFF &- borrow
      words[place + index] = UInt32(truncatingIfNeeded: difference)
      borrow = difference >> 63
      carry >>= 32
    }
    return borrow != 0
  }

  private mutating func addBack(_ other: BigNatural, at place: Int) {
    var carry: UInt64 = 0
    for index in 0...other.words.count where place + index < words.count {
      carry += UInt64(words[place + index])
      if index < other.words.count { carry += UInt64(other.words[index]) }
      words[place + index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
  }
}
