import CommuteCore
import Foundation

extension Column {
  /// Declares a column that holds a `Codable` value as JSON.
  ///
  /// The text has its keys in order, so that equal values are equal texts; SQL looks into it by
  /// `json_extract`. The whole value is one field: it changes and merges as one.
  public init<Value: Codable & Sendable>(
    _ name: String, json path: any WritableKeyPath<Model, Value> & Sendable
  ) {
    let form = JSONForm()
    self.init(name, path, isOptional: false) {
      form.encode($0)
    } decode: {
      form.decode(Value.self, $0)
    }
  }

  /// Declares a column that holds a `Codable` value as JSON, or nothing.
  public init<Value: Codable & Sendable>(
    _ name: String, json path: any WritableKeyPath<Model, Value?> & Sendable
  ) {
    let form = JSONForm()
    self.init(name, path, isOptional: true) { value in
      value.map { form.encode($0) } ?? .null
    } decode: { stored -> Value?? in
      if stored.isNull { return .some(nil) }
      return form.decode(Value.self, stored).map { .some($0) }
    }
  }

  private init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Model, Value> & Sendable, isOptional: Bool,
    encode: @escaping @Sendable (Value) -> FieldValue,
    decode: @escaping @Sendable (FieldValue) -> Value?
  ) {
    self.init(
      name: name, path: path, schema: FieldSchema(Key(name), .text, isOptional: isOptional),
      access: ColumnAccess(path, encode: encode, decode: decode))
  }
}

/// Values as the JSON that a column holds.
private struct JSONForm: Sendable {
  private let encoder: JSONEncoder
  private let decoder = JSONDecoder()

  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// The JSON of a value; an unknown value of no bytes, which is refused, where it has none.
  func encode(_ value: some Encodable) -> FieldValue {
    guard let data = try? encoder.encode(value) else { return .unknown([]) }
    return .text(String(decoding: data, as: UTF8.self))
  }

  func decode<Value: Decodable>(_ type: Value.Type, _ stored: FieldValue) -> Value? {
    guard case .text(let text) = stored else { return nil }
    return try? decoder.decode(type, from: Data(text.utf8))
  }
}
