#if os(Linux)
  internal import CCurl

  /// The host of a web address, as libcurl reads it.
  struct Address {
    /// The name or number of the host, without brackets and port.
    let host: String
    /// Host and port as they are written in the address.
    let hostAndPort: String
    /// Whether the server runs on this machine.
    let isLoopback: Bool

    /// Takes an address apart.
    ///
    /// - Throws: `badAddress` unless it is a whole `http` or `https` address.
    init(_ text: String) throws(HTTPClientError) {
      guard let parts = curl_url() else { throw .noNetwork(.outOfResources) }
      defer { curl_url_cleanup(parts) }
      guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
        throw .badAddress(reason: "the address has a blank in it")
      }
      let code = curl_url_set(parts, CURLUPART_URL, text, 0)
      guard code == CURLUE_OK else {
        let flaw = String(cString: curl_url_strerror(code)).lowercased()
        throw .badAddress(reason: "the address is not one of the web: \(flaw)")
      }
      let scheme = Self.part(CURLUPART_SCHEME, of: parts) ?? ""
      guard scheme == "http" || scheme == "https" else {
        throw .badAddress(reason: "the address begins with neither http:// nor https://")
      }
      let written = Self.part(CURLUPART_HOST, of: parts) ?? ""
      let name = written.hasPrefix("[") ? String(written.dropFirst().dropLast()) : written
      host = name.lowercased()
      hostAndPort = Self.part(CURLUPART_PORT, of: parts).map { "\(written):\($0)" } ?? written
      isLoopback = host == "localhost" || host.hasPrefix("127.") || host == "::1"
    }

    private static func part(_ part: CURLUPart, of parts: OpaquePointer) -> String? {
      var text: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text else { return nil }
      defer { curl_free(text) }
      return String(cString: text)
    }
  }
#endif
