/// One change that a person made to one field, or the deletion of a record.
struct Edit: Sendable {
  /// What is known of its fate.
  enum Fate: Sendable {
    /// The call returned, and nothing has happened since that may undo it.
    case held
    /// It may be gone: its process died in the middle, its power failed too early, or its file was
    /// put back.
    case open
    /// The server refused it and the person let it go.
    case withdrawn
  }

  var number: Int
  var record: Int
  /// The field; nil for a deletion.
  var stock: Stock?
  /// Who made it.
  var device = 0
  /// The place of its transaction among those of its device.
  var commit = 0
  /// The edit whose value was shown before; 0 for none.
  var parent = 0
  /// The edits whose words or elements it takes out.
  var removed: [Int] = []
  var isOnlyRemoving = false
  /// Whether it deletes what nobody else has ever heard of: nothing is left to be sent.
  var isTraceless = false
  /// Whether it was written once more after it had been refused, over whatever was shown then.
  var isRewritten = false
  /// The place of the bit that it adds to a counter.
  var bit: Int?
  var fate = Fate.held

  init(number: Int, record: Int, stock: Stock?) {
    self.number = number
    self.record = record
    self.stock = stock
  }

  /// How much it adds to a counter.
  var amount: Int { bit.map { 1 << $0 } ?? 0 }
}
