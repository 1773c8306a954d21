#if canImport(CMicroHTTPD)
  internal import CMicroHTTPD

  extension RequestHead {
    /// Reads a complete head out of the library.
    init(
      _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
      url: String, at target: HeadLayout.Span
    ) {
      var gathered = Gathered(
        layout: HeadLayout(
          method: Self.span(method), target: target, version: Self.span(version),
          size: UInt(commute_mhd_head_size(connection))))
      withUnsafeMutablePointer(to: &gathered) { gathered in
        _ = MHD_get_connection_values_n(connection, commute_mhd_header, Self.gather, gathered)
      }
      self.init(
        method: String(cString: method), target: url, version: String(cString: version),
        headers: HTTPHeaders(gathered.fields), size: Int(gathered.layout.size),
        isLaidOutPlainly: !Self.needsLayoutCheck || gathered.layout.isPlain)
    }

    private struct Gathered {
      var layout: HeadLayout
      var fields: [HTTPHeaders.Field] = []
    }

    /// Version 1 of the library refuses such heads by itself, and lays them out in its own way.
    private static let needsLayoutCheck = String(cString: MHD_get_version()).hasPrefix("0.")

    private static let gather: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, size in
      guard let context else { return commute_mhd_no }
      let gathered = context.assumingMemoryBound(to: Gathered.self)
      gathered.pointee.layout.fields.append(
        (
          name: .init(start: UInt(bitPattern: name), count: UInt(nameSize)),
          value: .init(start: UInt(bitPattern: value), count: UInt(size))
        ))
      let text = RequestHead.text(value, size)[...]
      gathered.pointee.fields.append(
        .init(name: RequestHead.text(name, nameSize), value: String(HTTPHeaders.trimmed(text))))
      return commute_mhd_yes
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private static func span(_ text: UnsafePointer<CChar>) -> HeadLayout.Span {
      var count: UInt = 0
      while text[Int(count)] != 0 { count += 1 }
      return .init(start: UInt(bitPattern: text), count: count)
    }
  }
#endif
