/// What the two sides say about compressed bodies.
enum ContentCoding {
  /// Whether a client takes gzip, by its `Accept-Encoding`.
  static func acceptsGzip(_ headers: HTTPHeaders) -> Bool {
    for value in headers.values(of: "Accept-Encoding") {
      for wish in value.split(separator: ",") {
        let parts = wish.split(separator: ";").map(HTTPHeaders.trimmed)
        guard let name = parts.first, HTTPHeaders.isSame(name, "gzip") else { continue }
        return !parts.dropFirst().contains { isZeroWeight($0) }
      }
    }
    return false
  }

  /// Whether bodies of this type are worth packing: pictures, sound and archives are packed
  /// already.
  static func isWorthPacking(_ headers: HTTPHeaders) -> Bool {
    guard headers["Content-Encoding"] == nil else { return false }
    guard let type = headers["Content-Type"]?.lowercased() else { return true }
    if type.hasPrefix("image/svg") { return true }
    return !["image/", "audio/", "video/", "font/woff", "application/zip", "application/gzip"]
      .contains { type.hasPrefix($0) }
  }

  /// Undoes the compression of a request.
  ///
  /// - Throws: 415 for a coding other than gzip, 413 beyond the limits, 400 for a broken stream.
  static func unpack(_ request: inout HTTPRequest, limit: Int) throws(Refusal) {
    guard let coding = request.headers["Content-Encoding"] else { return }
    request.headers["Content-Encoding"] = nil
    guard !HTTPHeaders.isSame(coding, "identity") else { return }
    guard HTTPHeaders.isSame(coding, "gzip") || HTTPHeaders.isSame(coding, "x-gzip") else {
      throw Refusal(
        status: 415, line: "the body is compressed in an unknown way; use gzip or none")
    }
    do {
      request.body = try Gzip.unpacked(request.body, limit: limit)
      request.headers["Content-Length"] = nil
    } catch {
      switch error {
      case .tooLarge(let limit):
        throw Refusal(
          status: 413,
          line: "the body unpacks to more than \(limit) bytes; send less, or send it uncompressed")
      case .broken:
        throw Refusal(status: 400, line: "the compressed body is broken; send it again")
      }
    }
  }

  private static func isZeroWeight(_ parameter: Substring) -> Bool {
    let sides = parameter.split(separator: "=", maxSplits: 1).map(HTTPHeaders.trimmed)
    guard sides.count == 2, HTTPHeaders.isSame(sides[0], "q") else { return false }
    return sides[1].utf8.allSatisfy { $0 == 0x30 || $0 == 0x2E }
  }
}
