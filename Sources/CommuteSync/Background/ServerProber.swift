public import CommuteCore
public import CommuteHTTP
public import CommuteTasks
import Foundation

/// Asks a Commute server to give a fresh nonce back (`GET /v1/ping`): a page that some network
/// shows in its place cannot do that.
public struct ServerProber: Prober {
  private let client: any HTTPClient
  private let server: String
  private let draw: @Sendable () -> UInt64

  /// Makes a prober.
  ///
  /// - Parameters:
  ///   - server: The server's address without a path.
  ///   - client: The way to it.
  ///   - draw: 64 random bits for the nonce.
  public init(
    server: String, client: any HTTPClient,
    draw: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.client = client
    self.server = SyncSettings(server: server).server
    self.draw = draw
  }

  private struct Echo: Decodable {
    var nonce: String
  }

  /// Asks once.
  public func probe(limit: Duration) async -> Connectivity.Verdict {
    let nonce = String(draw(), radix: 16)
    let request = HTTPRequest(
      method: .get, url: "\(server)/v1/ping?nonce=\(nonce)",
      headers: ["Accept": "application/json"], body: [], timeLimit: limit)
    guard let response = try? await client.send(request) else { return .unreachable }
    // A server that is ill is no other one: it is asked again later.
    guard response.status < 400 || response.status == 511 else { return .unreachable }
    let echo = try? JSONDecoder().decode(Echo.self, from: Data(response.body))
    return response.status == 200 && echo?.nonce == nonce ? .reachable : .captive
  }
}
