import CommuteCore

/// The kinds of vectors about merge rules; the field that has the rule is always `x`.
enum RuleChecks {
  /// A rule and a state; the state as it is written.
  static func state(_ input: [UInt8]) -> [UInt8] {
    guard let space = input.firstIndex(of: 0x20), let rule = rule(input[..<space]) else {
      return unreadable
    }
    let field = FieldState(value: .null, stamp: .floor, merge: Array(input[(space + 1)...]))
    let state = field.mergeState(under: rule)
    return state.isEmpty ? Array("none".utf8) : state
  }

  /// Two copies of a record; what they come to.
  static func merge(_ input: [UInt8]) -> [UInt8] {
    let words = VectorChecks.words(of: input)
    guard words.count == 4, let rule = rule(words[1]),
      let table = table(recordRule: words[0], kind: "integer", rule: rule)
    else { return unreadable }
    do throws(WireError) {
      let one = try RecordMessage(json: Array(words[2]))
      let other = try RecordMessage(json: Array(words[3]))
      let merged = one.state.merged(with: other.state, schema: table)
      let back = other.state.merged(with: one.state, schema: table)
      // The order must not count; revision and author are those of the first.
      guard back.fields == merged.fields, back.deleted == merged.deleted else {
        return Array("not commutative".utf8)
      }
      return RecordMessage(key: one.key, state: merged).encodedJSON()
    } catch {
      return VectorChecks.refusal(error)
    }
  }

  /// A record and an operation; what a server makes of them that has settled nothing else.
  static func settle(_ input: [UInt8]) -> [UInt8] {
    let words = VectorChecks.words(of: input)
    guard words.count == 6, let rule = rule(words[2]), let time = number(words[3]),
      let table = table(
        recordRule: words[0], kind: String(decoding: words[1], as: UTF8.self), rule: rule)
    else { return unreadable }
    do throws(WireError) {
      let operation = try Operation(decoding: Array(words[5]))
      let epoch = Epoch(rawValue: 7)
      var state = ServerState(
        epoch: epoch, clock: HybridClock(replica: ReplicaID(rawValue: 0xF0)))
      if !words[4].elementsEqual("null".utf8) {
        let record = try RecordMessage(json: Array(words[4]))
        state.records[record.key] = StoredRecord(feed: operation.feed, state: record.state)
        state.heads[operation.feed] = FeedHead(head: record.state.revision?.number ?? 0)
      }
      return settle(operation, table, in: &state, time: time)
    } catch {
      return VectorChecks.refusal(error)
    }
  }

  private static func settle(
    _ operation: Operation, _ table: TableSchema, in state: inout ServerState, time: Int64
  ) -> [UInt8] {
    var tables = FieldMap<TableSchema>()
    tables[table.name] = table
    // Sent by a file that has another id by now: whether somebody else counted under the writer's
    // is not what is asked here.
    let request = SyncRequest(
      schema: SchemaID(name: "vectors", version: 1, hash: 1), build: "", owner: "local/ada",
      replica: ReplicaID(rawValue: 0xC0), replicas: [operation.replica], device: "", number: 1,
      nonce: Nonce(high: 0, low: 1), epoch: nil, time: time,
      feeds: [SyncRequest.Feed(feed: operation.feed, grant: 1, cursor: 0)],
      operations: [SyncRequest.SentOperation(operation: operation)])
    let outcome = Settlement(tables: tables).settle(request, in: &state, time: time, user: "ada")
    guard let verdict = outcome.verdicts.first else { return Array("no verdict".utf8) }
    if case .rejected(let code, _) = verdict.kind {
      return Array("rejected \(code.name.text)".utf8)
    }
    var output = Array("applied".utf8)
    // The record itself first, then the conflicts that were written.
    for key in [operation.key] + outcome.changedRecords.filter({ $0 != operation.key }) {
      guard let stored = state.records[key] else { return Array("no record".utf8) }
      output.append(0x20)
      output += RecordMessage(key: key, state: stored.state).encodedJSON()
    }
    return output
  }

  /// Base, mine, theirs, and whose is the later; the merged text.
  static func textMerge(_ input: [UInt8]) -> [UInt8] {
    let words = VectorChecks.words(of: input)
    guard words.count == 4 else { return unreadable }
    do throws(WireError) {
      let outcome = TextMerge.merge(
        base: try FieldValue(json: Array(words[0])), mine: try FieldValue(json: Array(words[1])),
        theirs: try FieldValue(json: Array(words[2])),
        mineIsLater: words[3].elementsEqual("mine".utf8))
      let end = outcome.isConflict ? " conflict" : " clean"
      return outcome.value.json + Array(end.utf8)
    } catch {
      return VectorChecks.refusal(error)
    }
  }

  // MARK: Words

  private static var unreadable: [UInt8] { Array("unreadable".utf8) }

  private static func rule(_ word: ArraySlice<UInt8>) -> MergeRule? {
    MergeRule(name: Key(String(decoding: word, as: UTF8.self)))
  }

  private static func number(_ word: ArraySlice<UInt8>) -> Int64? {
    var number: Int64 = 0
    for digit in word {
      guard digit >= 0x30, digit < 0x3A, number < 1 << 48 else { return nil }
      number = number * 10 + Int64(digit - 0x30)
    }
    return number
  }

  /// A table of the field `x` with the rule and of a text `y`.
  private static func table(
    recordRule: ArraySlice<UInt8>, kind: String, rule: MergeRule
  ) -> TableSchema? {
    let name = Key(String(decoding: recordRule, as: UTF8.self))
    let isOptional = kind.utf8.last == 0x3F
    let kindName = isOptional ? String(decoding: kind.utf8.dropLast(), as: UTF8.self) : kind
    guard let recordRule = RecordRule.allCases.first(where: { $0.name == name }),
      let kind = FieldKind.allCases.first(where: { $0.name == Key(kindName) })
    else { return nil }
    let fields = [
      FieldSchema("x", kind, isOptional: isOptional, rule: rule), FieldSchema("y", .text),
    ]
    return TableSchema("item", fields: fields, rule: recordRule)
  }
}
