import CommuteCore
import CommuteFeatures
import CommuteStore
import CommuteSync

/// What sync has left behind.
extension Checkup {
  func quarantine() async throws -> Finding {
    let records = try await device.store.quarantinedRecords()
    let members = [
      JSON.Member(
        name: "records",
        value: .list(
          records.map { record in
            [
              "table": .text(record.key.table.text), "id": .text(record.key.id.text),
              "reason": .text(record.reason), "since": .text(Moment.text(record.keptAt)),
            ]
          }))
    ]
    guard let first = records.first else {
      return Finding(
        name: "kept aside", state: .fine, text: "every record could be read", members: members)
    }
    let more = records.count > 1 ? ", and \(records.count - 1) more" : ""
    return Finding(
      name: "kept aside", state: .needsYou,
      text: "\(first.key.table.text) \(first.key.id.text): \(first.reason)\(more)",
      cure: "update commute; they are taken up then", members: members)
  }

  func feeds() async throws -> Finding {
    let revoked = try await device.store.revokedFeeds()
    let members = [
      JSON.Member(
        name: "takenAway",
        value: .list(
          revoked.entries.map { ["feed": .text($0.name.text), "reason": .text($0.value)] }))
    ]
    guard let first = revoked.entries.first else {
      return Finding(
        name: "feeds", state: .fine, text: "none was taken away from you", members: members)
    }
    let reason = first.value.isEmpty ? "" : ": \(first.value)"
    let more = revoked.count > 1 ? ", and \(revoked.count - 1) more" : ""
    return Finding(
      name: "feeds", state: .needsYou,
      text: "\(first.name.text) was taken away from you\(reason)\(more)",
      cure: "when you have it again: `commute books sync --subscribe`", members: members)
  }

  func lastRound() async throws -> Finding {
    let store = device.store
    let last = try await store.lastSuccess()
    let success = last.map { "the last round succeeded \(Moment.text($0))" } ?? "never synced"
    var members = [JSON.Member(name: "lastSynced", value: JSON(last.map(Moment.text)))]
    if let retry = try await store.retry() {
      members.append(JSON.Member(name: "nextAttempt", value: .text(Moment.text(retry.due))))
      members.append(JSON.Member(name: "failure", value: .text(retry.failure.message)))
      return Finding(
        name: "sync", state: .note,
        text: "\(success); since then: \(retry.failure.message)",
        cure: "tried again after \(Moment.text(retry.due)) by itself where `commute books watch`"
          + " runs, or with `commute books sync`", members: members)
    }
    if let problem = try await LastProblem.read(store) {
      let text = problem.status(waiting: 0).text
      members.append(JSON.Member(name: "failure", value: .text(text)))
      return Finding(
        name: "sync", state: .needsYou, text: "\(success); \(Moment.text(problem.at)): \(text)",
        cure: problem.cure, members: members)
    }
    return Finding(
      name: "sync", state: last == nil ? .note : .fine, text: success, members: members)
  }

  func server() async throws -> Finding {
    let way = try await device.way()
    let members = [
      JSON.Member(name: "server", value: JSON(way?.server)),
      JSON.Member(name: "hasAnswered", value: .boolean(way?.hasAnswered ?? false)),
    ]
    guard let way else {
      return Finding(
        name: "server", state: .note, text: "none is known",
        cure: "name it once with `commute books sync --server URL`", members: members)
    }
    return Finding(
      name: "server", state: way.hasAnswered ? .fine : .note,
      text: way.server + (way.hasAnswered ? "" : ", which has not answered yet"),
      members: members)
  }
}
