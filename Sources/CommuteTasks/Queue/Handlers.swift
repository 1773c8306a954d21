package import CommuteCore
package import CommuteStore
import Foundation

/// What is done for each kind of task.
public struct Handlers: Sendable {
  /// A handler without its types.
  struct Entry: Sendable {
    var version: Int
    var run: @Sendable ([UInt8], Int, TaskContext) async -> PlainOutcome
  }

  private(set) var entries: [String: Entry] = [:]
  private(set) var fault: QueueError?

  /// Begins without any.
  public init() {}

  /// Says what is done for a type of task.
  ///
  /// The body runs at least once for each task, and once more after a process that died in it. It
  /// should end soon after it was cancelled.
  public mutating func on<Work: QueueTask>(
    _ type: Work.Type,
    _ body: @escaping @Sendable (Work, TaskContext) async throws -> Outcome<Work.Output>
  ) {
    if entries[Work.kind] != nil { fault = .handledTwice(kind: Work.kind) }
    entries[Work.kind] = Entry(version: Work.version) { payload, version, context in
      let work: Work
      do {
        work = try Payload.read(Work.self, payload, version: version)
      } catch {
        return PlainOutcome(.park, because: "\(QueueError.of(error))", isUnreadable: true)
      }
      do {
        return try PlainOutcome(await body(work, context), of: Work.self)
      } catch is CancellationError {
        return PlainOutcome(.interrupted)
      } catch QueueError.leaseLost {
        return PlainOutcome(.interrupted)
      } catch {
        return PlainOutcome(.retry(after: nil), because: "\(error)")
      }
    }
  }

  /// The kinds there are handlers for.
  var kinds: Set<String> { Set(entries.keys) }
}

/// How a handler ended, without its types.
package struct PlainOutcome: Sendable {
  package var ending: TaskLife.Ending
  package var reason: String?
  package var result: [UInt8]?
  package var effects: (@Sendable (borrowing WriteTransaction) throws -> Void)?
  package var token: String?
  /// Whether the payload could not be read: a release that can takes the task up again.
  package var isUnreadable = false

  package init(_ ending: TaskLife.Ending, because reason: String? = nil, isUnreadable: Bool = false)
  {
    self.ending = ending
    self.reason = reason
    self.isUnreadable = isUnreadable
  }

  init<Work: QueueTask>(_ outcome: Outcome<Work.Output>, of type: Work.Type) throws {
    switch outcome {
    case .done(let output, let effects):
      self.init(.done)
      if Work.Output.self != Nothing.self { result = try Payload.write(output, kind: Work.kind) }
      self.effects = effects
    case .retry(let delay, let reason): self.init(.retry(after: delay), because: reason)
    case .wait(let signals, let reason):
      self.init(.wait(signals: signals.rawValue), because: reason)
    case .park(let reason): self.init(.park, because: reason)
    case .fail(let reason): self.init(.fail, because: reason)
    case .handOff(let token):
      self.init(.handOff)
      self.token = token
    }
  }
}

/// Payloads and results as JSON.
enum Payload {
  static func write(
    _ value: some Encodable, kind: String, collecting refs: RefCollector? = nil
  ) throws(QueueError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    if let refs, let key = RefCollector.key { encoder.userInfo[key] = refs }
    do {
      return Array(try encoder.encode(value))
    } catch {
      throw .notCodable(kind: kind, reason: "\(error)")
    }
  }

  static func read<Work: QueueTask>(
    _ type: Work.Type, _ bytes: [UInt8], version: Int
  ) throws -> Work {
    guard version == Work.version else {
      return try Work.upgrade(from: version, payload: bytes)
    }
    return try value(Work.self, bytes, kind: Work.kind)
  }

  static func value<Value: Decodable>(
    _ type: Value.Type, _ bytes: [UInt8], kind: String
  ) throws(QueueError) -> Value {
    if type == Nothing.self, let nothing = Nothing() as? Value { return nothing }
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw .notCodable(kind: kind, reason: "\(error)")
    }
  }
}
