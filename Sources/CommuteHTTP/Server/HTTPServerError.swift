/// Why a server did not start.
@nonexhaustive
public enum HTTPServerError: Error, Hashable, Sendable {
  /// Another program listens there; choose another port or end that program.
  case portInUse(host: String, port: UInt16)
  /// This user may not listen there; choose a port above 1023 or another user.
  case notPermitted(host: String, port: UInt16)
  /// The host is none of this machine's; choose another.
  case hostNotHere(host: String)
  /// The system gives no socket or thread now; starting later may work.
  case outOfResources(reason: String)
  /// The server was started before; make a new one.
  case startedBefore
}

extension HTTPServerError: CustomStringConvertible {
  /// One line for a person: what happened, then what to do.
  public var description: String {
    switch self {
    case .portInUse(let host, let port):
      "port \(port) of \(host) is in use by another program; choose another port or end that"
        + " program"
    case .notPermitted(let host, let port):
      "this user may not listen at port \(port) of \(host); choose a port above 1023"
    case .hostNotHere(let host):
      "\(host) is no address of this machine; choose another host to listen at"
    case .outOfResources(let reason):
      "the system gives the server no place to listen (\(reason)); try again later"
    case .startedBefore:
      "the server was started before; make a new one"
    }
  }
}
