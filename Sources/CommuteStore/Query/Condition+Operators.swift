/// Whether a column has a value; nothing equals nothing.
public func == <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Condition<Model> {
  Condition(path, .same, value)
}

/// Whether a column has another value.
public func != <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Condition<Model> {
  Condition(path, .other, value)
}

/// Whether a column is less than a value.
public func < <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Condition<Model> {
  Condition(path, .less, value)
}

/// Whether a column is at most a value.
public func <= <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Condition<Model> {
  Condition(path, .atMost, value)
}

/// Whether a column is greater than a value.
public func > <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Condition<Model> {
  Condition(path, .greater, value)
}

/// Whether a column is at least a value.
public func >= <Model: Record, Value: ColumnValue>(
  path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Condition<Model> {
  Condition(path, .atLeast, value)
}

extension Condition {
  /// Whether both conditions hold.
  public static func && (left: Condition, right: Condition) -> Condition {
    Condition(left.raw && right.raw)
  }

  /// Whether at least one condition holds.
  public static func || (left: Condition, right: Condition) -> Condition {
    Condition(left.raw || right.raw)
  }

  /// Whether the condition does not hold.
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(!condition.raw)
  }
}
