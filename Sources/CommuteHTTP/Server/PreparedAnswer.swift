#if canImport(CMicroHTTPD)
  internal import CMicroHTTPD

  /// An answer in the library's own form, ready to be queued by the thread of its connection.
  ///
  /// `@unchecked Sendable`: the pointer never changes, and the library counts the uses of what it
  /// points to under a lock.
  final class PreparedAnswer: @unchecked Sendable {
    /// The status to queue the answer with.
    let status: UInt32
    /// The bytes of the body as they are sent.
    let size: Int
    private let response: OpaquePointer

    /// Copies an answer into the library's memory, compressed if that is wanted and pays.
    ///
    /// Nil where the system gives no memory.
    init?(_ answer: HTTPResponse, packing: Bool, closing: Bool) {
      var headers = answer.headers
      var body = answer.body
      if packing, body.count >= Gzip.packingFloor, ContentCoding.isWorthPacking(headers) {
        headers.append(name: "Vary", value: "Accept-Encoding")
        if let packed = Gzip.packed(body) {
          body = packed
          headers["Content-Encoding"] = "gzip"
        }
      }
      let copied = body.withUnsafeBytes { commute_mhd_copied_response($0.baseAddress, $0.count) }
      guard let response = copied else { return nil }
      self.response = response
      status = (200...599).contains(answer.status) ? UInt32(answer.status) : 500
      size = body.count
      if closing { headers["Connection"] = "close" }
      for field in headers where !Self.isSetByLibrary(field.name) && !field.value.isEmpty {
        // What the library refuses has a line end in it: leaving it out is the safe half.
        _ = MHD_add_response_header(response, field.name, field.value)
      }
    }

    deinit {
      MHD_destroy_response(response)
    }

    /// Hands the answer to a connection, on that connection's thread.
    func queue(on connection: OpaquePointer) -> MHD_Result {
      MHD_queue_response(connection, status, response)
    }

    private static func isSetByLibrary(_ name: String) -> Bool {
      HTTPHeaders.isSame(name, "Content-Length") || HTTPHeaders.isSame(name, "Transfer-Encoding")
    }
  }
#endif
