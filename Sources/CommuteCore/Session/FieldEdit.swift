/// What a person does to one field.
///
/// What an edit means depends on the field's rule: ``set(_:)`` fits every rule, the others one.
public enum FieldEdit: Sendable {
  /// The field gets a value.
  ///
  /// On a counter that is the difference to what the view shows, on a set the elements that are
  /// new and those that are missing; under `keepBoth` it takes the place of the value that shows
  /// and of no other.
  case set(FieldValue)
  /// A counter rises and falls by these amounts.
  case count(up: UInt64, down: UInt64)
  /// A set gets elements and loses others.
  case elements(insert: [String], remove: [String])
  /// Under `keepBoth`: the value takes the place of all that stand side by side.
  case resolve(FieldValue)

  /// A counter rises by an amount, or falls where it is negative.
  public static func add(_ amount: Int64) -> FieldEdit {
    .count(up: max(amount, 0).magnitude, down: min(amount, 0).magnitude)
  }

  /// A set gets elements.
  public static func insert(_ elements: String...) -> FieldEdit {
    .elements(insert: elements, remove: [])
  }

  /// A set loses elements, wherever they came from.
  public static func remove(_ elements: String...) -> FieldEdit {
    .elements(insert: [], remove: elements)
  }
}

extension OperationField {
  /// The same edit again, for a refused change that a person wants to make once more.
  ///
  /// A counter's share and a set's additions are made anew; removals of elements are meant for the
  /// elements whose additions `shown` still has.
  public func edit(over shown: FieldState?) -> FieldEdit {
    switch detail {
    case .none: return .set(value)
    case .replaces(let origins):
      let left = shown?.siblings.filter { !origins.contains($0.origin) } ?? []
      return left.isEmpty ? .resolve(value) : .set(value)
    case .total(let shares):
      var share = CounterTotal()
      for one in shares { share = share.adding(up: one.up, down: one.down) }
      #if PLANTED
        if Planted.isActive(.retriedTotalsKept), let first = shares.first {
          share = first.after
        }
      #endif
      return .count(up: share.up, down: share.down)
    case .tags(let tags):
      var removed: [String] = []
      for addition in shown?.set.additions ?? [] where tags.removed.contains(addition.tag) {
        removed.append(addition.element)
      }
      return .elements(insert: tags.added.map { $0.element }, remove: removed)
    }
  }
}
