#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The socket that a server listens at.
///
/// libmicrohttpd could open it too, but says only that it did not work; a person has to know
/// whether the port is taken or the address is wrong.
struct Listener {
  /// The socket's number, for the library.
  let socket: Int32
  /// The port, also where the system chose it.
  let port: UInt16

  /// Opens the socket.
  init(host: String, port: UInt16) throws(HTTPServerError) {
    var wanted = addrinfo()
    wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    #if canImport(Darwin)
      wanted.ai_socktype = SOCK_STREAM
    #else
      wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &wanted, &found) == 0, let found else {
      throw .hostNotHere(host: host)
    }
    defer { freeaddrinfo(found) }
    let socket = try Self.opened(found.pointee, host: host, port: port)
    guard let bound = Self.port(of: socket) else {
      close(socket)
      throw .outOfResources(reason: "its port cannot be read")
    }
    self.socket = socket
    self.port = bound
  }

  private static func opened(
    _ place: addrinfo, host: String, port: UInt16
  ) throws(HTTPServerError) -> Int32 {
    #if canImport(Darwin)
      let socket = Darwin.socket(place.ai_family, place.ai_socktype, place.ai_protocol)
    #else
      let kind = place.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
      let socket = Glibc.socket(place.ai_family, kind, place.ai_protocol)
    #endif
    guard socket >= 0 else { throw .outOfResources(reason: reason(errno)) }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // A port is free again as soon as its server has ended, not minutes later.
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, size)
    guard bind(socket, place.ai_addr, place.ai_addrlen) == 0, listen(socket, 1024) == 0 else {
      let code = errno
      close(socket)
      switch code {
      case EADDRINUSE: throw .portInUse(host: host, port: port)
      case EACCES, EPERM: throw .notPermitted(host: host, port: port)
      case EADDRNOTAVAIL: throw .hostNotHere(host: host)
      default: throw .outOfResources(reason: reason(code))
      }
    }
    return socket
  }

  private static func port(of socket: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      let raw = UnsafeMutableRawPointer(storage)
      let address = raw.assumingMemoryBound(to: sockaddr.self)
      guard getsockname(socket, address, &size) == 0 else { return nil }
      // Both families keep the port at the same place.
      return UInt16(bigEndian: raw.load(as: sockaddr_in.self).sin_port)
    }
  }

  private static func reason(_ code: Int32) -> String {
    String(cString: strerror(code)).lowercased()
  }
}
