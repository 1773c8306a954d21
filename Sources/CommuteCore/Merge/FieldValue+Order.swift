extension FieldValue {
  /// Whether this value is less than another in the order that `maximum` and `minimum` go by.
  ///
  /// Numbers of one kind by their size, everything else by canonical bytes. It is a total order, so
  /// that everybody chooses the same.
  func isLess(than other: FieldValue) -> Bool {
    switch (self, other) {
    case (.integer(let one), .integer(let two)), (.instant(let one), .instant(let two)): one < two
    case (.double(let one), .double(let two)) where !one.isNaN && !two.isNaN: one < two
    default: self < other
    }
  }
}

extension FieldState {
  /// Whether this field stands against another under `maximum` or `minimum`.
  ///
  /// A seed gives way to any edit, and of two seeds the greater canonical bytes stay; no value
  /// gives way to any; then the greater or less value stays; of equal ones the greater stamps.
  func isChosen(over other: FieldState, rule: MergeRule) -> Bool {
    if stamp.isFloor != other.stamp.isFloor { return other.stamp.isFloor }
    if stamp.isFloor { return other.value < value }
    if value.isNull != other.value.isNull { return other.value.isNull }
    if value != other.value {
      #if PLANTED
        if Planted.isActive(.extremesByStamp) { return other.stamp < stamp }
      #endif
      return rule == .maximum ? other.value.isLess(than: value) : value.isLess(than: other.value)
    }
    return stamp != other.stamp ? other.stamp < stamp : other.origin < origin
  }
}

extension FieldValue {
  /// Whether it is null.
  var isNull: Bool {
    if case .null = self { return true }
    return false
  }
}
