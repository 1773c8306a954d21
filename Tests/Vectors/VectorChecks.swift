/// What comes out of a vector's input, as UTF-8; nothing where the kind is unknown.
///
/// Input that the core refuses also has a result: the refusal, in words that the vector expects.
public func vectorResult(kind: VectorKind, input: [UInt8]) -> [UInt8]? {
  switch kind {
  case "echo": input
  default: nil
  }
}
