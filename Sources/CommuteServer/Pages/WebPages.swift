import CommuteCore
import CommuteHTTP
import Foundation

/// The files that a server gives to browsers, read once at its start.
///
/// A request is answered from a table of whole paths: no path is ever joined to a folder. A file
/// whose name has anything but letters, digits, `.`, `_` and `-`, a hidden file and a link are left
/// out. A file beside another with `.br` or `.gz` more in its name is that one, compressed.
public struct WebPages: Sendable {
  /// Why a folder cannot be given to browsers.
  @nonexhaustive
  public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// It cannot be read.
    case unreadable(path: String, reason: String)
    /// There is no `index.html` in it.
    case noIndex(path: String)
    /// It holds more bytes than ``WebPages/sizeLimit``.
    case tooLarge(path: String)

    /// One line for a person: what happened, then what to do.
    public var description: String {
      switch self {
      case .unreadable(let path, let reason):
        "the pages in \(path) cannot be read: \(reason); name a folder that `make web` has made"
      case .noIndex(let path):
        "\(path) holds no index.html; run `make web`, or name the folder that it has made"
      case .tooLarge(let path):
        "\(path) holds more than \(WebPages.sizeLimit >> 20) MiB; name a folder of pages only"
      }
    }
  }

  /// The most bytes of all files together: they are kept in memory.
  public static let sizeLimit = 64 << 20

  /// A file, as it is and compressed.
  private struct Page: Sendable {
    var type: String
    var plain: [UInt8]
    var brotli: [UInt8]?
    var gzip: [UInt8]?
    /// What names these bytes.
    var tag: String
  }

  private var pages: [String: Page] = [:]

  /// Reads a folder.
  ///
  /// - Throws: ``Refusal``.
  public init(directory: String) throws(Refusal) {
    let files = try Self.files(of: directory)
    for (name, bytes) in files {
      let isTwin = [".br", ".gz"].contains {
        name.hasSuffix($0) && files["\(name.dropLast(3))"] != nil
      }
      guard !isTwin else { continue }
      pages["/\(name)"] = Page(
        type: Self.type(of: name), plain: bytes, brotli: files["\(name).br"],
        gzip: files["\(name).gz"], tag: String(SHA256.hash(bytes).text.prefix(32)))
    }
    guard let index = pages["/index.html"] else { throw .noIndex(path: directory) }
    pages["/"] = index
  }

  /// How many files there are.
  public var count: Int { pages.count - 1 }

  private static func files(of directory: String) throws(Refusal) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var left = [""]
    var size = 0
    do {
      while let folder = left.popLast() {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory + "/" + folder) {
          guard isPlain(name) else { continue }
          let path = folder + name
          let full = directory + "/" + path
          let kind = try FileManager.default.attributesOfItem(atPath: full)[.type]
          if kind as? FileAttributeType == .typeDirectory {
            left.append(path + "/")
          } else if kind as? FileAttributeType == .typeRegular {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: full)))
            size += bytes.count
            guard size <= sizeLimit else { throw Refusal.tooLarge(path: directory) }
            files[path] = bytes
          }
        }
      }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw .unreadable(path: directory, reason: error.localizedDescription)
    }
    return files
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix(".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  /// What browsers are told of a file's kind; nothing they would run where it is not known.
  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last ?? "" {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "json": "application/json"
    case "wasm": "application/wasm"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json"
    case "txt": "text/plain; charset=utf-8"
    default: "application/octet-stream"
    }
  }

  // MARK: - Answering

  /// What a page may load and whom it may call: this server and nobody else.
  static let policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    + "connect-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    + "form-action 'self'; frame-ancestors 'none'"

  /// The answer to a request for one of the files; nil where there is none of that path.
  func answer(_ request: HTTPRequest) -> HTTPResponse? {
    guard let page = pages[String(request.path)] else { return nil }
    let wanted = Self.codings(of: request.headers["Accept-Encoding"] ?? "")
    var (coding, body) = ("", page.plain)
    if let gzip = page.gzip, wanted.contains("gzip") { (coding, body) = ("gzip", gzip) }
    if let brotli = page.brotli, wanted.contains("br") { (coding, body) = ("br", brotli) }
    // Weak: the same page comes compressed in several ways.
    let tag = "W/\"\(page.tag)\""
    var headers: HTTPHeaders = [
      "ETag": tag,
      // Asked for again each time, and answered by 304: an old page never meets a new module.
      "Cache-Control": "no-cache", "Content-Security-Policy": Self.policy,
      "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
      "Cross-Origin-Opener-Policy": "same-origin",
    ]
    if page.brotli != nil || page.gzip != nil { headers["Vary"] = "Accept-Encoding" }
    if Self.names(tag, in: request.headers["If-None-Match"] ?? "") {
      return HTTPResponse(status: 304, headers: headers)
    }
    headers["Content-Type"] = page.type
    if !coding.isEmpty { headers["Content-Encoding"] = coding }
    return HTTPResponse(status: 200, headers: headers, body: body)
  }

  /// The codings that a client takes: those it names and does not refuse by `q=0`.
  private static func codings(of field: String) -> Set<String> {
    var found: Set<String> = []
    for part in field.lowercased().split(separator: ",") {
      let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let name = words.first else { continue }
      let isRefused = words.dropFirst().contains {
        $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0
      }
      if !isRefused { found.insert(name) }
    }
    return found
  }

  /// Whether a client has the bytes of a tag already.
  private static func names(_ tag: String, in field: String) -> Bool {
    field.split(separator: ",").contains { part in
      let name = part.filter { $0 != " " && $0 != "\t" }
      return name == "*" || name == tag || name == tag.dropFirst(2)
    }
  }
}
