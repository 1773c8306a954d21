/// One story: what happens on two devices, what must be there in the end, and what a naive design
/// is said to lose.
struct Story: Sendable {
  let number: Int
  /// What happens, in a few words.
  let name: String
  /// What must be true in the end.
  let promise: String
  /// What the naive design is said to lose; all of it must really be lost.
  let naiveLosses: Set<Loss.Kind>
  /// What happens, in order.
  let steps: [Step]
  /// What may be there in the end; it must be the same everywhere.
  let outcomes: [[Book]]
}
