/// What must be true of every rule by which two copies become one.
///
/// A rule that keeps all three gives the same result however often and in whatever order copies
/// meet, which is what lets devices agree without a judge.
public enum MergeLaw: String, Hashable, Sendable, CaseIterable {
  /// The order of two copies does not matter.
  case commutative
  /// The order of three copies does not matter.
  case associative
  /// A copy that comes again changes nothing.
  case idempotent

  /// Looks for values that break a law, over every pair and triple of a small universe.
  ///
  /// - Parameters:
  ///   - universe: Copies to be combined, each with each.
  ///   - combine: The rule.
  /// - Returns: The first breach found; nil where all laws hold.
  public static func breach<Copy: Equatable>(
    over universe: [Copy], combine: (Copy, Copy) -> Copy
  ) -> Breach<Copy>? {
    for one in universe {
      if combine(one, one) != one { return Breach(law: .idempotent, copies: [one]) }
      for two in universe {
        let pair = combine(one, two)
        if pair != combine(two, one) { return Breach(law: .commutative, copies: [one, two]) }
        for three in universe where combine(pair, three) != combine(one, combine(two, three)) {
          return Breach(law: .associative, copies: [one, two, three])
        }
      }
    }
    return nil
  }

  /// Values that break a law.
  public struct Breach<Copy> {
    /// The law.
    public var law: MergeLaw
    /// The copies, in the order in which they were combined.
    public var copies: [Copy]
  }
}

extension MergeLaw.Breach: Sendable where Copy: Sendable {}
