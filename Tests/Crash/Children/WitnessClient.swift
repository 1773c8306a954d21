import CommuteHTTP
import Foundation

/// The device's way to the server; it tells what the server acknowledged before the device knows.
///
/// It reads the bytes with Foundation, not with the codec under test.
struct WitnessClient: HTTPClient {
  let slot: Int
  let inner: any HTTPClient
  let reporter: Reporter
  let fuse: Fuse

  func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    fuse.pass("sending")
    let response = try await inner.send(request)
    if response.status == 200 { tell(of: request.body, answered: response.body) }
    fuse.pass("answered")
    return response
  }

  private func tell(of request: [UInt8], answered response: [UInt8]) {
    let sent = Self.members(of: request)["operations"] as? [[String: Any]] ?? []
    let verdicts = Self.members(of: response)["verdicts"] as? [[String: Any]] ?? []
    var operations: [String: [String: Any]] = [:]
    for operation in sent {
      if let id = operation["id"] as? String { operations[id] = operation }
    }
    for verdict in verdicts {
      guard let id = verdict["id"] as? String, let operation = operations[id] else { continue }
      switch verdict["verdict"] as? String {
      case "applied", "duplicate": tell(id, operation)
      case "rejected": reporter.tell("e the server refused \(id): \(verdict["code"] ?? "")")
      default: break
      }
    }
  }

  /// Tells of one operation: its id, record, whether it deletes, and its values with their stamps.
  private func tell(_ id: String, _ operation: [String: Any]) {
    let fields = operation["fields"] as? [String: [String: Any]] ?? [:]
    let stamps = operation["stamps"] as? [String: Any] ?? [:]
    let own = SheetValue.name(slot)
    let words = [own, "contested"].map { name in
      let value = fields[name]?["value"] as? String ?? "-"
      return value + " " + (stamps.first { Self.covers($0.value, name) }?.key ?? "-")
    }
    let deletes = operation["deleted"] == nil ? "-" : "D"
    let record = (operation["record"] as? String ?? "-").filter { $0 != "-" }
    reporter.tell(
      "k \(id.filter { $0 != "-" }) \(record) \(deletes) " + words.joined(separator: " "))
  }

  private static func covers(_ names: Any, _ name: String) -> Bool {
    if let names = names as? [String] { return names.contains(name) }
    return names as? String == "*"
  }

  private static func members(of bytes: [UInt8]) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
  }
}
