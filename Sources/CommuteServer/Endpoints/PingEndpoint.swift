import CommuteCore
import CommuteHTTP

/// `GET /v1/ping?nonce=…`: tells a device that it is this server that answers, and no sign-in page.
struct PingEndpoint: Sendable {
  /// The longest nonce, in bytes.
  static let nonceLimit = 64

  let store: any ServerStore
  let wall: @Sendable () -> Int64

  func answer(_ request: HTTPRequest) async throws(ErrorBody) -> HTTPResponse {
    let nonce = request.query("nonce") ?? ""
    guard (1...Self.nonceLimit).contains(nonce.utf8.count), nonce.utf8.allSatisfy(Self.isPlain)
    else { throw .badNonce }
    let identity: ServerIdentity
    do {
      identity = try await store.identity()
    } catch {
      throw ErrorBody(error, retryAfter: 2)
    }
    let json =
      "{\"nonce\":\"\(nonce)\",\"server\":\"\(identity.serverText)\""
      + ",\"epoch\":\"\(identity.epoch.text)\",\"protocol\":\(ProtocolVersion.current)"
      + ",\"minimum\":\(ProtocolVersion.minimum),\"time\":\(wall())}\n"
    return .json(Array(json.utf8))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
    default: false
    }
  }
}
