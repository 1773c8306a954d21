#if arch(wasm32)
  // What a page calls: room for the bytes of a call, the call, and giving both back.

  extension WebCall {
    /// How many bytes stand before an answer: its count, and what keeps it aligned.
    static let head = 8
  }

  /// Makes room for so many bytes.
  @_expose(wasm, "commute_room")
  @_cdecl("commute_room")
  public func commuteRoom(_ count: Int32) -> UnsafeMutableRawPointer {
    .allocate(byteCount: max(1, Int(count)), alignment: 8)
  }

  /// Gives room back.
  @_expose(wasm, "commute_free")
  @_cdecl("commute_free")
  public func commuteFree(_ room: UnsafeMutableRawPointer) {
    unsafe room.deallocate()
  }

  /// Carries out a call; the answer's count stands in the first four bytes of its room.
  @_expose(wasm, "commute_call")
  @_cdecl("commute_call")
  public func commuteCall(
    _ bytes: UnsafeRawPointer, _ count: Int32
  ) -> UnsafeMutableRawPointer {
    let input = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
    let output = unsafe WebCall.answer([UInt8](input))
    let room = UnsafeMutableRawPointer.allocate(
      byteCount: output.count + WebCall.head, alignment: 8)
    unsafe room.storeBytes(of: UInt32(output.count), as: UInt32.self)
    unsafe output.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe (room + WebCall.head).copyMemory(from: start, byteCount: source.count)
    }
    return unsafe room
  }
#endif
