/// The statements that a connection keeps compiled.
///
/// Statements named by a literal are kept for good: a program has only so many. Statements named
/// by text are kept in two generations, so that a program that keeps making new ones does not
/// fill the memory: what was not used while a generation filled is dropped.
final class KeptStatements {
  /// How many statements a generation holds.
  static let generationLimit = 128

  /// A statement's text, and whether the authorizer was asked.
  struct Key: Hashable {
    let sql: String
    let isChecked: Bool
  }

  private var byLiteral: [UInt: Statement] = [:]
  private var young: [Key: Statement] = [:]
  private var old: [Key: Statement] = [:]

  /// Those used last, by a part of their addresses: most are found here without hashing.
  @exclusivity(unchecked) private var recent = [Recent?](repeating: nil, count: 64)

  private struct Recent {
    let address: UInt
    let statement: Statement
  }

  func statement(at address: UInt) -> Statement? {
    let slot = Int(truncatingIfNeeded: address >> 4) & 63
    if let found = unsafe recent[slot], found.address == address { return found.statement }
    guard let statement = byLiteral[address] else { return nil }
    unsafe recent[slot] = Recent(address: address, statement: statement)
    return statement
  }

  func keep(_ statement: Statement, at address: UInt) { byLiteral[address] = statement }

  func statement(_ key: Key) -> Statement? {
    if let statement = young[key] { return statement }
    guard let statement = old[key] else { return nil }
    keep(statement, key)
    return statement
  }

  func keep(_ statement: Statement, _ key: Key) {
    if young.count >= Self.generationLimit {
      old = young
      young = [:]
    }
    young[key] = statement
  }

  func removeAll() {
    byLiteral = [:]
    unsafe recent = [Recent?](repeating: nil, count: 64)
    young = [:]
    old = [:]
  }
}
