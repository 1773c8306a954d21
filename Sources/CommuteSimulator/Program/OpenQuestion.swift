/// What histories have shown and nobody has settled yet: the product or the oracle is wrong.
///
/// Each is told in Semantics.md; it is counted apart in a run and never in the hunt, where a
/// planted bug must be caught by what else it breaks or by the same promise. In all of them devices
/// and server agree.
enum OpenQuestion: Int, CaseIterable {
  /// A value that one of two copies sent stands beside the one that replaced it on the other, where
  /// the server refused that other's.
  case copiedSiblings
  /// A count or an edit of a machine that was put back, or copied as it runs, while a request was
  /// under way.
  case putBackCounts
  /// A value of a copied device that lost is told to nobody, or one too many.
  case copiedConflicts

  /// The question that a history comes under; nil for none.
  init?(_ world: World) {
    guard let violation = world.violation else { return nil }
    let copies = [FaultClass.restoredFile, .restoredMachine, .clonedFile]
    guard copies.contains(where: { world.report.faults[$0.rawValue] > 0 }) else { return nil }
    switch violation.invariant {
    case 12 where violation.text.contains("stand side by side"): self = .copiedSiblings
    case 13 where violation.text.contains("of the item is neither settled"): self = .putBackCounts
    case 21: self = .putBackCounts
    case 22 where violation.text.contains("lost to edits that had not seen them"):
      self = .copiedConflicts
    default: return nil
    }
  }
}
