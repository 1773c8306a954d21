import CommuteCore
import CommuteFeatures
import CommuteStore
import Foundation

/// Looks a device over, one thing after the other.
struct Checkup: Sendable {
  /// A skew that is worth setting a clock for: beyond it the server gives stamps of its own.
  static let greatestSkew: Int64 = 60_000

  let device: OpenDevice

  /// Everything that was found, in the order in which a person reads it.
  func findings() async -> [Finding] {
    let looks: [(name: String, look: () async throws -> Finding)] = [
      ("database", database), ("identity", identity), ("feeds", feeds), ("clock", clock),
      ("pending", pending),
      ("refused", refused), ("lost values", conflicts), ("kept aside", quarantine),
      ("sync", lastRound), ("server", server),
    ]
    var findings: [Finding] = []
    for (name, look) in looks {
      do {
        findings.append(try await look())
      } catch {
        // In a damaged file the other things are worth seeing all the same.
        findings.append(
          Finding(
            name: name, state: .needsYou, text: "cannot be seen: \(Failure(error).message)"))
      }
    }
    return findings
  }

  private func database() async throws -> Finding {
    let path = device.store.databasePath
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    let problems = try await device.store.integrityProblems()
    let members = [
      JSON.Member(name: "path", value: .text(path)),
      JSON.Member(name: "bytes", value: .integer(size)),
      JSON.Member(name: "problems", value: JSON(problems)),
    ]
    guard let first = problems.first else {
      let books = try await device.store.read { tx in try tx.count(Book.all) }
      return Finding(
        name: "database", state: .fine,
        text: "no damage in \(BookLines.count(books, of: books)), \(ByteCount.text(size)), \(path)",
        members: members)
    }
    return Finding(
      name: "database", state: .needsYou,
      text: "damaged (\(Plural.text(problems.count, "fault"))), \(path): \(first)",
      cure: "sync if that still works, then `commute doctor --repair`, which keeps what waits here",
      members: members)
  }

  private func identity() async throws -> Finding {
    let known = try await device.store.device()
    let name = try await device.store.deviceName()
    let epoch = known.epoch.map { "epoch \($0.text)" } ?? "no epoch yet"
    let earlier =
      known.earlierReplicas.isEmpty ? "" : " (after \(known.earlierReplicas.count) earlier)"
    let feeds = known.feeds.entries.map { feed in
      "\(feed.name.text) read to \(feed.value.cursor.map(String.init) ?? "nothing yet")"
    }
    return Finding(
      name: "identity", state: .fine,
      text: "\(name), \(known.account.owner), replica \(known.replica.text)\(earlier), \(epoch), "
        + feeds.joined(separator: ", "),
      members: [
        JSON.Member(name: "device", value: .text(name)),
        JSON.Member(name: "account", value: .text(known.account.owner)),
        JSON.Member(name: "replica", value: .text(known.replica.text)),
        JSON.Member(name: "earlierReplicas", value: JSON(known.earlierReplicas.map(\.text))),
        JSON.Member(name: "epoch", value: JSON(known.epoch?.text)),
        JSON.Member(name: "request", value: .text(String(known.number))),
        JSON.Member(
          name: "feeds",
          value: .list(
            known.feeds.entries.map { feed in
              [
                "feed": .text(feed.name.text),
                "cursor": JSON(feed.value.cursor.map { String($0) }),
              ]
            })),
      ])
  }

  private func clock() async throws -> Finding {
    let known = try await device.store.device()
    let offset = known.clock.measuredOffset
    let ahead = Int64(clamping: known.clock.last >> 16) &- device.store.options.clock.wall()
    let members = [
      JSON.Member(name: "offsetMilliseconds", value: offset.map { .integer($0) } ?? .null),
      JSON.Member(name: "stampsAheadMilliseconds", value: .integer(max(0, ahead))),
    ]
    guard let offset else {
      return Finding(
        name: "clock", state: .note, text: "not compared with a server's yet", members: members)
    }
    let side = offset < 0 ? "ahead of" : "behind"
    let text =
      offset.magnitude < 100
      ? "as the server's" : "\(Moment.span(offset)) \(side) the server's, which is allowed for"
    if offset.magnitude > UInt64(Self.greatestSkew) {
      return Finding(
        name: "clock", state: .needsYou, text: text,
        cure: "set the clock of this machine, then sync", members: members)
    }
    guard ahead <= max(0, offset) + Self.greatestSkew else {
      return Finding(
        name: "clock", state: .note,
        text: "a clock ran ahead once: stamps here go on from \(Moment.span(ahead)) ahead of this"
          + " machine's until all from then is settled and decided; order stays right",
        members: members)
    }
    return Finding(name: "clock", state: .fine, text: text, members: members)
  }

  private func pending() async throws -> Finding {
    let counts = try await device.store.counts()
    let members = [
      JSON.Member(name: "waiting", value: JSON(counts.waiting)),
      JSON.Member(name: "inFlight", value: JSON(counts.inFlight)),
      JSON.Member(name: "offers", value: JSON(counts.offers)),
    ]
    guard counts.unsettled > 0 else {
      return Finding(name: "pending", state: .fine, text: "nothing waits here", members: members)
    }
    var parts: [String] = []
    if counts.waiting > 0 {
      let sent = counts.inFlight > 0 ? ", \(counts.inFlight) of them under way" : ""
      parts.append(UnsettledWork(waiting: counts.waiting).text + sent)
    }
    if counts.offers > 0 {
      let records = Plural.text(counts.offers, "record")
      parts.append("\(records) to offer again, because the server was put back")
    }
    return Finding(
      name: "pending", state: .note, text: parts.joined(separator: "; "), members: members)
  }

  private func refused() async throws -> Finding {
    let entries = try await device.store.inbox()
    let members = [JSON.Member(name: "refused", value: JSON(entries.count))]
    guard !entries.isEmpty else {
      return Finding(
        name: "refused", state: .fine, text: "the server refused nothing", members: members)
    }
    return Finding(
      name: "refused", state: .needsYou,
      text: "\(Plural.text(entries.count, "change")) that the server refused",
      cure: "`commute inbox list` shows them, and what you can do", members: members)
  }

  private func conflicts() async throws -> Finding {
    let count = try await device.store.counts().conflicts
    let members = [JSON.Member(name: "lost", value: JSON(count))]
    guard count > 0 else {
      return Finding(
        name: "lost values", state: .fine, text: "nothing of yours lost to others",
        members: members)
    }
    return Finding(
      name: "lost values", state: .needsYou,
      text: "\(Plural.text(count, "value")) of yours lost to others",
      cure: "`commute inbox list` shows them; restore what should count, discard the rest",
      members: members)
  }
}
