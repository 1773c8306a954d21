/// What was queued, what was done, and what the queue says of it; judged without the queue.
struct SoakLedger: Sendable {
  /// What a row of the queue says of a task.
  struct Entry: Hashable, Sendable {
    /// The state's number.
    var state: Int
    /// The id that every attempt carries.
    var key: String
    /// How often it was claimed.
    var attempts: Int
  }

  /// The numbers of which the runner was told that they are queued.
  var told: Set<Int> = []
  /// The numbers whose queueing the file says was committed.
  var committed: Set<Int> = []
  /// Those that kill their process.
  var poison: Set<Int> = []
  /// The queue's rows by the number in their payload.
  var entries: [Int: [Entry]] = [:]
  /// The keys that effects wrote, by number.
  var effects: [Int: [String]] = [:]
  /// How often the server was called, by number and key.
  var calls: [Int: [String: Int]] = [:]

  /// What was found.
  struct Verdict: Hashable, Sendable {
    /// Tasks that were queued and not done.
    var lost = 0
    /// Tasks whose effects happened more than once.
    var doubled = 0
    /// Tasks that failed and had no part in it.
    var innocent = 0
    /// The first faults, in words.
    var faults: [String] = []

    fileprivate mutating func add(_ fault: String) {
      if faults.count < 20 { faults.append(fault) }
    }
  }

  /// Judges.
  func verdict() -> Verdict {
    var verdict = Verdict()
    for number in told.union(committed).sorted() { judge(number, &verdict) }
    for number in Set(entries.keys).union(effects.keys).subtracting(committed).sorted() {
      verdict.add("task \(number) is there though its transaction is not")
    }
    return verdict
  }

  private func judge(_ number: Int, _ verdict: inout Verdict) {
    guard committed.contains(number) else {
      verdict.lost += 1
      return verdict.add("task \(number) was said to be queued and is not")
    }
    let rows = entries[number] ?? []
    guard rows.count == 1, let row = rows.first else {
      verdict.lost += 1
      return verdict.add("task \(number) has \(rows.count) rows")
    }
    let done = effects[number] ?? []
    if done.count > 1 {
      verdict.doubled += 1
      verdict.add("the effects of task \(number) happened \(done.count) times")
    }
    if poison.contains(number) {
      if row.state != 11 || row.attempts < 3 || !done.isEmpty {
        verdict.add("poison \(number) is in state \(row.state) after \(row.attempts) attempts")
      }
      return
    }
    if row.state == 11 {
      verdict.innocent += 1
      return verdict.add("task \(number) failed and had no part in it")
    }
    if row.state != 10 || done.isEmpty {
      verdict.lost += 1
      return verdict.add("task \(number) is in state \(row.state), with \(done.count) effects")
    }
    judge(calls[number] ?? [:], of: row, number, &verdict)
    if done.contains(where: { $0 != row.key }) {
      verdict.add("the effects of task \(number) have another key")
    }
  }

  private func judge(
    _ calls: [String: Int], of row: Entry, _ number: Int, _ verdict: inout Verdict
  ) {
    let count = calls.values.reduce(0, +)
    if count == 0 {
      verdict.lost += 1
      verdict.add("task \(number) is done and the server was not called")
    }
    if calls.keys.contains(where: { $0 != row.key }) {
      verdict.add("the server was called for task \(number) with another key")
    }
    if count > row.attempts {
      verdict.add("the server was called \(count) times in \(row.attempts) attempts of \(number)")
    }
  }
}
