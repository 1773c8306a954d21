extension JSONWriter {
  /// Writes the 36 characters of an identifier.
  @inline(__always)
  mutating func identifier(_ id: some Identifier) {
    append("\"")
    hexadecimal(id.high >> 32, digits: 8)
    append("-")
    hexadecimal(id.high >> 16 & 0xFFFF, digits: 4)
    append("-")
    hexadecimal(id.high & 0xFFFF, digits: 4)
    append("-")
    hexadecimal(id.low >> 48, digits: 4)
    append("-")
    hexadecimal(id.low & 0xFFFF_FFFF_FFFF, digits: 12)
    append("\"")
  }

  /// Writes the 34 characters of a stamp.
  mutating func stamp(_ stamp: Stamp) {
    append("\"")
    hexadecimal(stamp.milliseconds, digits: 12)
    append("-")
    hexadecimal(UInt64(stamp.counter), digits: 4)
    append("-")
    hexadecimal(stamp.replica.rawValue, digits: 16)
    append("\"")
  }

  /// Writes 16 hexadecimal digits.
  mutating func digits(_ number: UInt64) {
    append("\"")
    hexadecimal(number, digits: 16)
    append("\"")
  }

  /// Writes `[epoch, number]`.
  mutating func revision(_ revision: Revision) {
    append("[")
    digits(revision.epoch.rawValue)
    append(",")
    unsigned(revision.number)
    append("]")
  }

  /// Writes a time, held within what JavaScript counts exactly.
  mutating func time(_ milliseconds: Int64) {
    let latest: Int64 = 1 << 53 - 1
    integer(max(-latest, min(milliseconds, latest)))
  }
}
