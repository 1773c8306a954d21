/// Why bytes are not a message that this build can take.
///
/// The cases are split by what the receiver does next: a malformed message or one over a limit is
/// refused, what is not ours at all is no answer and the round is tried again, another protocol
/// asks for an update.
@nonexhaustive
public enum WireError: Error, Hashable, Sendable {
  /// The bytes break the format; the same bytes will do so again.
  case malformed(WireProblem, at: Int, path: Key)
  /// Something is over a limit, which is named.
  case tooLarge(WireLimit, at: Int, path: Key)
  /// These bytes are no message of this protocol: a sign-in page, another service's JSON, nothing.
  case notOurs(at: Int)
  /// The message speaks a version of the protocol that this build does not.
  case unsupportedProtocol(UInt64)

  /// What happened and what to do, in one line; never the content.
  public var message: String {
    switch self {
    case .malformed(let problem, let offset, let path):
      "the message is not well formed at \(Self.place(offset, path)): \(problem.message)"
    case .tooLarge(let limit, let offset, let path):
      "the message is over a limit at \(Self.place(offset, path)): \(limit.message)"
    case .notOurs:
      "the other side did not speak our protocol; check the address, and whether the network asks"
        + " for a sign-in"
    case .unsupportedProtocol(let version):
      "the other side speaks protocol \(version), this build \(ProtocolVersion.minimum) to"
        + " \(ProtocolVersion.current); update the older of the two"
    }
  }

  private static func place(_ offset: Int, _ path: Key) -> String {
    path.text.utf8.isEmpty ? "byte \(offset)" : "byte \(offset) (\(path.text))"
  }
}

/// What is wrong with a malformed message.
public enum WireProblem: Hashable, Sendable {
  /// The bytes end inside the message.
  case endsEarly
  /// A byte stands where JSON allows none of its kind.
  case notJSON
  /// The bytes are not UTF-8.
  case notUTF8
  /// A backslash is followed by what JSON does not know.
  case escape
  /// Half of a surrogate pair stands alone.
  case loneSurrogate
  /// A text contains NUL.
  case containsNUL
  /// A control character stands unescaped in a text.
  case controlCharacter
  /// A number breaks JSON's grammar.
  case number
  /// Something follows the message.
  case trailingBytes
  /// An object has a member twice.
  case duplicateName
  /// Something of this kind was expected.
  case expected(WireShape)
  /// A number is beyond what its place allows.
  case outOfRange
  /// A member that must be there is not; the path names it.
  case missing
  /// A field has no stamp.
  case unstamped
  /// A field has two stamps.
  case stampedTwice
  /// A name stands for a field that the record does not have.
  case noSuchField

  /// The problem in words.
  public var message: String {
    switch self {
    case .endsEarly: "it ends early"
    case .notJSON: "this is not JSON"
    case .notUTF8: "this is not UTF-8"
    case .escape: "JSON has no such escape"
    case .loneSurrogate: "half of a surrogate pair stands alone"
    case .containsNUL: "a text contains NUL"
    case .controlCharacter: "a control character is not escaped"
    case .number: "this is not a number of JSON"
    case .trailingBytes: "something follows the message"
    case .duplicateName: "a member is there twice"
    case .expected(let shape): "\(shape.message) was expected"
    case .outOfRange: "the number is out of range"
    case .missing: "this member is missing"
    case .unstamped: "a field has no stamp"
    case .stampedTwice: "a field has two stamps"
    case .noSuchField: "a name stands for no field of the record"
    }
  }
}

/// What was expected where something else stood.
public enum WireShape: UInt8, Hashable, Sendable {
  /// An object.
  case object
  /// An array.
  case array
  /// A text.
  case text
  /// True or false.
  case boolean
  /// A whole number without fraction or exponent.
  case integer
  /// A number.
  case number
  /// A whole number of 64 bits, written as text.
  case integerText
  /// A name that is not empty.
  case name
  /// A UUID of 36 lower-case characters.
  case identifier
  /// A stamp of 34 characters.
  case stamp
  /// 16 lower-case hexadecimal digits.
  case digits
  /// Base64url without padding.
  case base64
  /// A value of a field.
  case value
  /// `"*"` or an array of names.
  case names
  /// The name of a verdict.
  case verdict
  /// The members of one rule.
  case oneRule

  /// The shape in words.
  public var message: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .text: "a text"
    case .boolean: "true or false"
    case .integer: "a whole number"
    case .number: "a finite number"
    case .integerText: "a text of a whole number of 64 bits"
    case .name: "a name"
    case .identifier: "a UUID of 36 lower-case characters"
    case .stamp: "a stamp of 34 characters"
    case .digits: "a text of 16 hexadecimal digits"
    case .base64: "base64url without padding"
    case .value: "a value of a field"
    case .names: "\"*\" or an array of names"
    case .verdict: "a verdict"
    case .oneRule: "what one rule needs, not two,"
    }
  }
}
