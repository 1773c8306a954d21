import CommuteCore
import CommuteFeatures
import CommuteHTTP
import CommuteTestKit
import Foundation

/// Fills a server with books by requests of its own, as devices send them.
struct WriterChild {
  private static let batch = 500

  private let order: WriterOrder
  private let reporter = Reporter()

  init(_ order: WriterOrder) {
    self.order = order
  }

  /// Sends all books.
  ///
  /// - Returns: The exit code.
  func run() async -> Int32 {
    ParentLine.listen()
    do {
      let client = CrashProgram.client()
      var maker = BookMaker(schema: try ReadingList.schema())
      while maker.made < order.records {
        let count = min(Self.batch, order.records - maker.made)
        let request = HTTPRequest(
          method: .post, url: order.server + "/v1/sync",
          headers: ["Content-Type": "application/json"], body: maker.request(of: count))
        let answer = try await client.send(request)
        guard answer.status == 200 else {
          reporter.tell("e the server says \(String(decoding: answer.body, as: UTF8.self))")
          return 1
        }
        let applied = try SyncAnswer(decoding: answer.body).verdicts.filter { $0.kind == .applied }
        guard applied.count == count else {
          reporter.tell("e the server took \(applied.count) of \(count) books")
          return 1
        }
      }
      reporter.tell("done")
      return 0
    } catch {
      reporter.tell("e \(error)")
      return 1
    }
  }
}
