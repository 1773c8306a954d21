#if os(Linux)
  public import CommuteCore
  import Foundation

  /// What the Linux kernel says of interfaces, addresses and routes as they change (rtnetlink(7)):
  /// nothing is asked again and again.
  ///
  /// There is a way out where an interface that is up and running has an address that reaches
  /// beyond its own cable. What costs money the kernel does not know.
  public struct NetlinkPathSource: PathSource {
    private let countsLoopback: Bool

    /// Makes a source.
    ///
    /// - Parameter countsLoopback: Whether the machine itself is far enough: for a server on it.
    public init(countsLoopback: Bool = false) {
      self.countsLoopback = countsLoopback
    }

    /// The path now and every later one, read on a thread of its own that ends with the stream.
    ///
    /// Where the kernel does not let itself be listened to, the stream says the path once.
    public func paths() -> AsyncStream<Connectivity.Path> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { [countsLoopback] stream in
        guard let listener = NetlinkListener() else {
          stream.yield(Self.path(countsLoopback))
          return
        }
        stream.onTermination = { _ in listener.stop() }
        let thread = Thread {
          var last: Connectivity.Path?
          repeat {
            let path = Self.path(countsLoopback)
            if path != last { stream.yield(path) }
            last = path
          } while listener.wait()
          listener.close()
          stream.finish()
        }
        thread.name = "commute network"
        thread.start()
      }
    }

    /// Looks at the addresses of the machine.
    private static func path(_ countsLoopback: Bool) -> Connectivity.Path {
      var first: UnsafeMutablePointer<ifaddrs>?
      guard getifaddrs(&first) == 0 else { return Connectivity.Path(isSatisfied: true) }
      defer { freeifaddrs(first) }
      var next = first
      while let entry = next?.pointee {
        next = entry.ifa_next
        let flags = Int32(bitPattern: entry.ifa_flags)
        let up = Int32(IFF_UP | IFF_RUNNING)
        let isLoopback = flags & Int32(IFF_LOOPBACK) != 0
        guard flags & up == up, let address = entry.ifa_addr, reachesOut(address),
          countsLoopback || !isLoopback
        else { continue }
        return Connectivity.Path(isSatisfied: true)
      }
      return Connectivity.Path(isSatisfied: false)
    }

    /// Whether an address is one of IP, and no IPv6 address of its own cable only (fe80::/10).
    private static func reachesOut(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
      switch Int32(address.pointee.sa_family) {
      case AF_INET: return true
      case AF_INET6:
        return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] != 0xFE || $0[1] & 0xC0 != 0x80 }
        }
      default: return false
      }
    }
  }

  /// A socket that the kernel writes to when links, addresses or routes change, and a pipe that
  /// ends the waiting.
  private final class NetlinkListener: Sendable {
    private let socket: Int32
    private let readEnd: Int32
    private let writeEnd: Int32

    /// AF_NETLINK, NETLINK_ROUTE and the groups of rtnetlink, which Glibc's module leaves out.
    private static let family: Int32 = 16
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    init?() {
      let descriptor = Glibc.socket(
        Self.family, Int32(SOCK_RAW.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
      guard descriptor >= 0 else { return nil }
      var ends: [Int32] = [-1, -1]
      // struct sockaddr_nl: family, padding, port, groups.
      var address: [UInt32] = [UInt32(Self.family), 0, Self.groups]
      let isBound = address.withUnsafeMutableBytes { bytes in
        bytes.withMemoryRebound(to: sockaddr.self) { pointer in
          bind(descriptor, pointer.baseAddress, socklen_t(12)) == 0
        }
      }
      guard isBound, pipe(&ends) == 0 else {
        Glibc.close(descriptor)
        return nil
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (socket, readEnd, writeEnd) = (descriptor, ends[0], ends[1])
    }

    /// Waits for the next change; false where it was stopped.
    func wait() -> Bool {
      var ends = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
      ]
      while poll(&ends, 2, -1) < 0 {
        guard errno == EINTR else { return false }
      }
      if ends[1].revents != 0 { return false }
      // What changed is looked up: messages may be lost when there are many (ENOBUFS).
      var bytes = [UInt8](repeating: 0, count: 16_384)
      while recv(socket, &bytes, bytes.count, 0) > 0 || errno == EINTR || errno == ENOBUFS {}
      return true
    }

    func stop() {
      var byte: UInt8 = 0
      _ = write(writeEnd, &byte, 1)
    }

    func close() {
      for descriptor in [socket, readEnd, writeEnd] { _ = Glibc.close(descriptor) }
    }
  }
#endif
