/// What histories have shown and nobody has settled yet, whether the product or the oracle is wrong.
///
/// Each is told in Semantics.md; it is counted apart in a run and never in the hunt, where a planted
/// bug must be caught by what else it breaks or by the same promise. In all of them devices and
/// server agree.
enum OpenQuestion: Int, CaseIterable {
  /// A value stands beside another one although an operation that was refused had replaced it.
  case refusedSiblings
  /// A value that its writer had decided comes back as a seed when refused operations are made once
  /// more together.
  case retriedSeeds
  /// A count or an edit of a machine that was put back, or copied as it runs, while a request was
  /// under way.
  case putBackCounts
  /// A count that was refused and is made once more together with the seeds of its record.
  case retriedCounts
  /// A value of a copied device that lost is told to nobody, or one too many.
  case copiedConflicts

  /// The question that a history comes under; nil for none.
  init?(_ world: World) {
    guard let violation = world.violation else { return nil }
    let copies = [FaultClass.restoredFile, .restoredMachine, .clonedFile]
    let isCopied = copies.contains { world.report.faults[$0.rawValue] > 0 }
    switch violation.invariant {
    case 12 where violation.text.contains("stand side by side"): self = .refusedSiblings
    case 13 where violation.text.contains("comes once more as a decision"): self = .retriedSeeds
    case 13 where violation.text.contains("of the item is neither settled") && isCopied:
      self = .putBackCounts
    case 21 where isCopied: self = .putBackCounts
    case 21 where world.report.marks[Mark.retried.rawValue] > 0: self = .retriedCounts
    case 22 where violation.text.contains("lost to edits that had not seen them") && isCopied:
      self = .copiedConflicts
    default: return nil
    }
  }
}
