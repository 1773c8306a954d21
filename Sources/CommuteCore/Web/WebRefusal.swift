/// Why a call of the browser was not carried out; nothing has changed then.
struct WebRefusal: Error {
  /// What kind of refusal it is: `wire`, `write`, `schema`, `call`, `kind` or `tooLarge`.
  var code: Key
  /// What happened and what to do, in one line.
  var message: String

  /// A call that this build does not know, or that lacks what it works on.
  init(call message: String) {
    code = "call"
    self.message = message
  }

  init(_ error: WireError) {
    code = "wire"
    if case .tooLarge = error { code = "tooLarge" }
    message = error.message
  }

  init(_ error: WriteRefusal) {
    code = "write"
    if case .tooLarge = error { code = "tooLarge" }
    message = error.message
  }

  init(_ error: SchemaError) {
    code = "schema"
    message = error.message
  }

  /// A value that its field cannot hold.
  init(_ table: Key, cannotHold field: Key) {
    code = "kind"
    message = "\(table.text).\(field.text) cannot hold a value of this kind"
  }
}
