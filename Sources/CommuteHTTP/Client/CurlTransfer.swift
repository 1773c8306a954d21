#if os(Linux)
  internal import CCurl
  import Synchronization

  /// One request on its way and the answer as far as it has come.
  ///
  /// `@unchecked Sendable`: handed to the loop before anything happens to it; from then on only
  /// the loop's thread touches it, all but `isCancelled`, which is atomic.
  final class CurlTransfer: @unchecked Sendable {
    let isCancelled = Atomic(false)
    /// The handle of libcurl while it works for this transfer.
    private(set) var handle: UnsafeMutableRawPointer?

    private let request: HTTPRequest
    private let address: Address
    private let settings: HTTPClientSettings
    private var requestLines: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var head = AnswerHead()
    private var body: [UInt8] = []
    private var isTooLarge = false

    init(_ request: HTTPRequest, to address: Address, settings: HTTPClientSettings) {
      self.request = request
      self.address = address
      self.settings = settings
      errorText.initialize(to: 0)
    }

    deinit {
      errorText.deallocate()
    }

    /// Tells a handle all about the request; false where it takes something not.
    func prepare(_ handle: UnsafeMutableRawPointer) -> Bool {
      self.handle = handle
      let context = Unmanaged.passUnretained(self).toOpaque()
      let total = request.timeLimit ?? settings.timeLimit
      var codes = [
        commute_curl_set_text(handle, CURLOPT_URL, request.url),
        commute_curl_only_http(handle),
        commute_curl_leave_lookups_behind(handle),
        commute_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
        commute_curl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
        commute_curl_set_long(handle, CURLOPT_BUFFERSIZE, 128 << 10),
        commute_curl_set_long(handle, CURLOPT_TIMEOUT_MS, total.milliseconds),
        commute_curl_set_long(
          handle, CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeLimit.milliseconds),
        commute_curl_set_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
        commute_curl_set_error_buffer(handle, errorText),
        commute_curl_set_sinks(handle, Self.takeHead, Self.takeBody, context),
      ]
      if address.isLoopback { codes.append(commute_curl_set_text(handle, CURLOPT_PROXY, "")) }
      if let file = settings.certificateAuthorityFile {
        codes.append(commute_curl_set_text(handle, CURLOPT_CAINFO, file))
        codes.append(commute_curl_set_text(handle, CURLOPT_CAPATH, nil))
      }
      codes += prepareMethodAndBody(handle)
      codes.append(commute_curl_set_headers(handle, requestLines))
      return codes.allSatisfy { $0 == CURLE_OK }
    }

    /// Lets go of the handle and of what it pointed to.
    func release() {
      handle = nil
      curl_slist_free_all(requestLines)
      requestLines = nil
    }

    private func prepareMethodAndBody(_ handle: UnsafeMutableRawPointer) -> [CURLcode] {
      var lines = request.headers
      var body = request.body
      if settings.compressesRequests, !address.isLoopback, lines["Content-Encoding"] == nil,
        let packed = Gzip.packed(body)
      {
        body = packed
        lines["Content-Encoding"] = "gzip"
      }
      if lines["Accept-Encoding"] == nil, !address.isLoopback { lines["Accept-Encoding"] = "gzip" }
      for line in lines { addLine("\(line.name): \(line.value)", isEmpty: line.value.isEmpty) }
      guard request.method != .head else {
        return [commute_curl_set_long(handle, CURLOPT_NOBODY, 1)]
      }
      guard !body.isEmpty || [.post, .put, .patch].contains(request.method) else {
        return [
          commute_curl_set_long(handle, CURLOPT_HTTPGET, 1),
          commute_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue),
        ]
      }
      // A line without a value takes out what libcurl would add by itself.
      if lines["Content-Type"] == nil { addLine("Content-Type:", isEmpty: false) }
      return [
        commute_curl_set_long(handle, CURLOPT_POST, 1),
        commute_curl_set_body(handle, body, body.count),
        commute_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue),
      ]
    }

    private func addLine(_ line: String, isEmpty: Bool) {
      // libcurl sends a field without a value only if a semicolon stands for the colon.
      let written = isEmpty ? String(line.prefix { $0 != ":" }) + ";" : line
      requestLines = curl_slist_append(requestLines, written) ?? requestLines
    }

    private static let takeHead: commute_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return transfer.head.take(line) ? line.count : 0
    }

    private static let takeBody: commute_curl_sink = { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
      let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return transfer.take(piece) ? piece.count : 0
    }

    private func take(_ piece: UnsafeRawBufferPointer) -> Bool {
      let limit = settings.answerLimit
      if body.isEmpty, let length = head.statedLength {
        guard length <= limit else {
          isTooLarge = true
          return false
        }
        body.reserveCapacity(length)
      }
      guard body.count + piece.count <= limit else {
        isTooLarge = true
        return false
      }
      body.append(contentsOf: piece)
      return true
    }

    /// What came of it, asked once libcurl is done.
    func outcome(of handle: UnsafeMutableRawPointer, _ code: CURLcode) -> CurlLoop.Outcome {
      guard !isTooLarge else { return .failure(.tooLarge(limit: settings.answerLimit)) }
      guard code == CURLE_OK else {
        let seen = CurlFailure(
          code: code, text: String(cString: errorText),
          systemError: commute_curl_get_long(handle, CURLINFO_OS_ERRNO),
          hasAnswerBegun: head.hasBegun || !body.isEmpty)
        return .failure(seen.error(at: address, settings))
      }
      let version = commute_curl_get_long(handle, CURLINFO_HTTP_VERSION)
      let isFramedByProtocol = version != CURL_HTTP_VERSION_1_0 && version != CURL_HTTP_VERSION_1_1
      if let flaw = head.flaw(for: request.method, isFramedByProtocol: isFramedByProtocol) {
        return .failure(.notAnAnswer(reason: flaw))
      }
      return .success(HTTPResponse(status: head.status, headers: head.headers, body: body))
    }
  }

  extension Duration {
    /// Whole milliseconds, at least one: libcurl takes zero for no limit at all.
    fileprivate var milliseconds: Int {
      let (seconds, attoseconds) = components
      guard seconds < Int32.max / 1000 else { return Int(Int32.max) }
      return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
  }
#endif
