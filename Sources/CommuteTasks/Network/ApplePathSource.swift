#if canImport(Network)
  public import CommuteCore
  import Dispatch
  import Network

  /// What an Apple system says of the ways out of the device.
  ///
  /// It cannot be compiled where this project is built and tested; it is held to the same protocol
  /// as ``GivenPathSource``, on which everything behind it is tested.
  public struct ApplePathSource: PathSource {
    /// Makes a source.
    public init() {}

    /// The path now and every later one.
    public func paths() -> AsyncStream<Connectivity.Path> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { stream in
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { path in
          stream.yield(
            Connectivity.Path(
              isSatisfied: path.status == .satisfied, isMetered: path.isExpensive,
              isConstrained: path.isConstrained))
        }
        stream.onTermination = { _ in monitor.cancel() }
        monitor.start(queue: DispatchQueue(label: "commute network"))
      }
    }
  }
#endif
