/// A sum of totals in 128 bits, so that no number of replicas overflows it.
struct WideSum: Hashable, Sendable {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// Adds a total.
  mutating func add(_ number: UInt64) {
    let (sum, overflow) = low.addingReportingOverflow(number)
    low = sum
    if overflow { high &+= 1 }
  }

  /// The difference of two sums, held within 64 bits.
  func minus(_ other: WideSum) -> Int64 {
    if other.isGreater(than: self) {
      let rest = other.less(self)
      guard rest.high == 0, rest.low < 1 << 63 else { return Int64.min }
      return -Int64(rest.low)
    }
    let rest = less(other)
    return rest.high > 0 || rest.low > UInt64(Int64.max) ? Int64.max : Int64(rest.low)
  }

  private func isGreater(than other: WideSum) -> Bool {
    high != other.high ? high > other.high : low > other.low
  }

  private func less(_ other: WideSum) -> WideSum {
    let (difference, borrows) = low.subtractingReportingOverflow(other.low)
    var result = WideSum()
    result.low = difference
    result.high = high &- other.high &- (borrows ? 1 : 0)
    return result
  }
}
