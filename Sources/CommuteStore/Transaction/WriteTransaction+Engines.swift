package import CommuteCore
package import CommuteSQLite

/// For other engines of this package that keep tables of their own in the file.
extension WriteTransaction {
  /// The connection, for statements that no app may run.
  package var connection: Connection { core.connection }

  /// The clocks of the store.
  package var clock: StoreClock { core.options.clock }

  /// Draws 64 random bits; not to be kept longer than the transaction.
  package var drawing: () -> UInt64 { { [core] in core.random.next() } }

  /// Draws ids in the order of time; not to be kept longer than the transaction.
  package var idMaking: () -> RecordID { { [core] in core.newRecord() } }

  /// Calls back once the transaction is permanent; not at all where it is undone.
  package borrowing func afterCommit(_ tell: @escaping @Sendable () -> Void) {
    core.state.committed.append(tell)
  }
}

extension StoreReader where Self: ~Copyable {
  /// The connection, for statements that no app may run.
  package var engineConnection: Connection { session.connection }
}

extension Store {
  /// The clocks of the store.
  package var clock: StoreClock { options.clock }

  /// Whether the store lies in memory and no other process can see it.
  package var isInMemory: Bool { folder.isMemory }
}
