import Foundation
import Synchronization

/// The thread that owns a relay's sockets.
///
/// `@unchecked Sendable`: other threads touch only the locked inbox and the write end of the
/// wake-up pipe, which is never closed before the thread has ended; everything else belongs to the
/// thread.
final class RelayLine: @unchecked Sendable {
  enum Command {
    case switchOff, switchOn, loseNextAnswer, close
  }

  private struct Order {
    var command: Command
    var done: CheckedContinuation<Void, Never>
  }

  private struct Inbox {
    var orders: [Order] = []
    var isClosed = false
  }

  /// One connection and its counterpart at the server.
  private struct Pair {
    var device: Int32
    var server: Int32
    var losesAnswer: Bool
  }

  let port: UInt16
  private let server: UInt16
  private let inbox = Mutex(Inbox())
  private let wakeUp: (read: Int32, write: Int32)
  private var listener: Int32?
  /// The socket that keeps the port while the relay is switched off: bound, not listening.
  private var keeper: Int32?
  private var pairs: [Pair] = []
  private var losesNext = false
  private var isEnding = false

  init(server: UInt16) throws(RelayError) {
    self.server = server
    guard let (socket, port) = Loopback.listen(on: 0) else {
      throw RelayError(message: "no free port on this machine; close some programs")
    }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      Loopback.close(socket)
      throw RelayError(message: "no free file descriptor on this machine; close some programs")
    }
    listener = socket
    self.port = port
    wakeUp = (ends[0], ends[1])
  }

  func start() {
    Thread { [self] in run() }.start()
  }

  /// Hands a command to the thread and waits until it is carried out.
  func perform(_ command: Command) async {
    await withCheckedContinuation { done in
      let isTaken = inbox.withLock { inbox in
        if inbox.isClosed { return false }
        inbox.orders.append(Order(command: command, done: done))
        return true
      }
      guard isTaken else {
        done.resume()
        return
      }
      var byte: UInt8 = 1
      _ = write(wakeUp.write, &byte, 1)
    }
  }

  private func run() {
    while !isEnding {
      var watched = [pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0)]
      if let listener { watched.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0)) }
      let first = watched.count
      for pair in pairs {
        watched.append(pollfd(fd: pair.device, events: Int16(POLLIN), revents: 0))
        watched.append(pollfd(fd: pair.server, events: Int16(POLLIN), revents: 0))
      }
      if poll(&watched, nfds_t(watched.count), -1) < 0 { continue }
      forward(watched, first: first)
      if listener != nil, watched[1].revents != 0 { accept() }
      if watched[0].revents != 0 { obey() }
    }
    Loopback.close(wakeUp.read)
    Loopback.close(wakeUp.write)
  }

  /// Passes on what has come; a pair of which one end closed goes.
  private func forward(_ watched: [pollfd], first: Int) {
    var left: [Pair] = []
    for (index, pair) in pairs.enumerated() {
      let device = watched[first + index * 2].revents != 0
      let server = watched[first + index * 2 + 1].revents != 0
      var isOpen = true
      if device { isOpen = Loopback.copy(from: pair.device, to: pair.server) }
      if isOpen, server {
        isOpen = !pair.losesAnswer && Loopback.copy(from: pair.server, to: pair.device)
      }
      if isOpen { left.append(pair) } else { end(pair) }
    }
    pairs = left
  }

  private func accept() {
    guard let listener, let device = Loopback.accept(from: listener) else { return }
    guard let counterpart = Loopback.connect(to: server) else {
      Loopback.close(device)
      return
    }
    pairs.append(Pair(device: device, server: counterpart, losesAnswer: losesNext))
    losesNext = false
  }

  private func obey() {
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = read(wakeUp.read, &bytes, bytes.count)
    let orders = inbox.withLock { inbox in
      let orders = inbox.orders
      inbox.orders = []
      if orders.contains(where: { $0.command == .close }) { inbox.isClosed = true }
      return orders
    }
    for order in orders {
      carryOut(order.command)
      order.done.resume()
    }
  }

  private func carryOut(_ command: Command) {
    switch command {
    case .switchOff:
      shut()
      if keeper == nil { keeper = Loopback.bind(to: port) }
    case .switchOn: open()
    case .loseNextAnswer:
      // A connection that is kept open would carry the next request past the mark.
      pairs.forEach(end)
      pairs = []
      losesNext = true
    case .close:
      shut()
      if let keeper { Loopback.close(keeper) }
      keeper = nil
      isEnding = true
    }
  }

  /// Listens again; the socket that kept the port begins to, so that nobody can take it meanwhile.
  private func open() {
    guard listener == nil else { return }
    if let keeper, Loopback.startListening(keeper) {
      listener = keeper
    } else {
      if let keeper { Loopback.close(keeper) }
      listener = Loopback.listen(on: port)?.socket
    }
    keeper = nil
  }

  private func shut() {
    if let listener { Loopback.close(listener) }
    listener = nil
    pairs.forEach(end)
    pairs = []
  }

  private func end(_ pair: Pair) {
    Loopback.close(pair.device)
    Loopback.close(pair.server)
  }
}
