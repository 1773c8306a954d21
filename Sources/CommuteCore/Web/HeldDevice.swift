/// The state of a device as the browser keeps it: JSON in one row of its database.
struct HeldDevice {
  /// The state.
  var device: Device
  /// The greatest place in line that was given.
  var line: Int64 = 0

  /// Gives places in line to rows that have none.
  mutating func lineUp(_ record: inout DeviceRecord) {
    for index in record.rows.indices where record.rows[index].order == 0 {
      line += 1
      record.rows[index].order = line
    }
  }
}

extension JSONWriter {
  /// Writes a device's state.
  mutating func held(_ held: HeldDevice) {
    let device = held.device
    append("{\"owner\":")
    text(device.account.owner)
    append(",\"replica\":")
    digits(device.replica.rawValue)
    append(",\"clock\":")
    digits(device.clock.last)
    if let offset = device.clock.measuredOffset {
      append(",\"offset\":")
      time(offset)
    }
    if !device.earlierReplicas.isEmpty {
      append(",\"earlier\":[")
      for replica in device.earlierReplicas {
        separate()
        digits(replica.rawValue)
      }
      append(0x5D)
    }
    append(",\"number\":")
    unsigned(device.number)
    if let epoch = device.epoch {
      append(",\"epoch\":")
      digits(epoch.rawValue)
    }
    if let nonce = device.nonce {
      append(",\"nonce\":")
      identifier(nonce)
    }
    append(",\"line\":")
    time(held.line)
    append(",\"feeds\":[")
    for entry in device.feeds.entries {
      separate()
      feed(entry.name, entry.value)
    }
    append("]}")
  }

  private mutating func feed(_ name: Key, _ state: FeedState) {
    append("{\"feed\":")
    text(name.text)
    if let grant = state.grant {
      append(",\"grant\":")
      unsigned(grant)
    }
    if let cursor = state.cursor {
      append(",\"cursor\":")
      unsigned(cursor)
    }
    append(",\"fence\":")
    unsigned(state.fence)
    if let reset = state.reset {
      append(",\"reset\":")
      unsigned(reset)
    }
    append(0x7D)
  }
}

extension JSONReader {
  /// Reads a device's state.
  mutating func heldDevice() throws(JSONFault) -> HeldDevice {
    skipSpace()
    let start = offset
    var owner = ""
    var replica: ReplicaID?
    var clock: UInt64 = 0
    var measured: Int64?
    var held = HeldDevice(
      device: Device(
        account: .local, clock: HybridClock(replica: ReplicaID(rawValue: 0))))
    var members = try openObject()
    while try nextName(&members) {
      let name = members.name
      if isName(name, "owner") {
        owner = try label()
      } else if isName(name, "replica") {
        replica = ReplicaID(rawValue: try digits())
      } else if isName(name, "clock") {
        clock = try digits()
      } else if isName(name, "offset") {
        measured = try integer()
      } else if isName(name, "line") {
        held.line = try integer()
      } else {
        try read(name, into: &held.device)
      }
    }
    guard let replica, let account = Account(owner: owner) else {
      throw JSONFault(.missing, at: start)
    }
    held.device.account = account
    held.device.clock = HybridClock(replica: replica, last: clock, offset: measured)
    return held
  }

  private mutating func read(_ name: JSONText, into device: inout Device) throws(JSONFault) {
    if isName(name, "earlier") {
      try openArray()
      var isFirst = true
      while try nextElement(isFirst: &isFirst) {
        device.earlierReplicas.append(ReplicaID(rawValue: try digits()))
      }
    } else if isName(name, "number") {
      device.number = try unsigned()
    } else if isName(name, "epoch") {
      device.epoch = try epoch()
    } else if isName(name, "nonce") {
      device.nonce = try identifier()
    } else if isName(name, "feeds") {
      try openArray()
      var isFirst = true
      while try nextElement(isFirst: &isFirst) { try heldFeed(into: &device.feeds) }
    } else {
      try skipValue()
    }
  }

  private mutating func heldFeed(into feeds: inout FieldMap<FeedState>) throws(JSONFault) {
    var feed: Key = ""
    var state = FeedState()
    var members = try openObject()
    while let member = try nextMember(&members) {
      switch member {
      case .feed: feed = try key()
      case .grant: state.grant = try unsigned()
      case .cursor: state.cursor = try unsigned()
      case .fence: state.fence = try unsigned()
      case .reset: state.reset = try unsigned()
      default: try skipValue()
      }
    }
    feeds[feed] = state
  }
}
