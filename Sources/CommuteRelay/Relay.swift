import Foundation
import Synchronization

/// Why a relay could not listen.
public struct RelayError: Error, Hashable, Sendable {
  /// What happened, in one line.
  public let message: String
}

/// A switch in one device's network: a port of this machine that leads to a server's port.
///
/// Switched off, the port is closed and connecting is refused, as it is for a device whose server
/// cannot be reached. It forwards bytes and understands none of them. It is for demonstrations and
/// tests; a product needs none.
public final class Relay: Sendable {
  /// The port that devices connect to; it stays the same while the relay is switched off and on.
  public let port: UInt16
  private let line: RelayLine

  /// Listens on a free port of the loopback interface.
  ///
  /// - Parameter server: The port of this machine to forward to.
  /// - Throws: ``RelayError`` where no port can be opened.
  public init(to server: UInt16) throws(RelayError) {
    line = try RelayLine(server: server)
    port = line.port
    line.start()
  }

  /// Closes the port and every connection; when it returns, connecting is refused.
  public func switchOff() async {
    await line.perform(.switchOff)
  }

  /// Opens the port again; when it returns, connections are taken.
  public func switchOn() async {
    await line.perform(.switchOn)
  }

  /// Lets the next request through and cuts the connection instead of passing the answer on.
  public func loseNextAnswer() async {
    await line.perform(.loseNextAnswer)
  }

  /// Ends the relay; its port is closed for good.
  public func close() async {
    await line.perform(.close)
  }
}
