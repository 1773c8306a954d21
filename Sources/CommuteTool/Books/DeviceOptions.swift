import CommuteCore
import CommuteStore
import Foundation

/// Which device the commands of the reading list work on, and how it reaches its server.
struct DeviceOptions: Sendable {
  /// The options that say so.
  static let specs = [
    OptionSpec("device", "DIR", "the folder of the device; made where there is none"),
    OptionSpec("server", "URL", "the server; remembered from then on"),
    OptionSpec("token-file", "FILE", "holds: tenant user token; remembered, too"),
    OptionSpec("ca", "FILE", "the authorities that may vouch for an https server; remembered, too"),
    OptionSpec("name", "NAME", "what people call the device"),
    OptionSpec("new", "begins anew where the database of the device is lost"),
  ]

  var directory: String
  var server: String?
  var tokenFile: String?
  var certificateFile: String?
  var name: String?
  /// Whether a device whose file is lost begins anew.
  var startsAnew: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    let folder = arguments.value("device")
    directory = try arguments.path("device") ?? DataPlace.path("books")
    server = try arguments.value("server").map(Self.address)
    tokenFile = try arguments.path("token-file")
    certificateFile = try arguments.path("ca")
    startsAnew = arguments.has("new")
    name = try arguments.filled("name")
    if name == nil, !FileManager.default.fileExists(atPath: directory) {
      name = folder.map { URL(filePath: $0).lastPathComponent } ?? ProcessInfo.processInfo.hostName
    }
  }

  private static func address(_ text: String) throws(UsageError) -> String {
    guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
      url.scheme == "http" || url.scheme == "https", url.query() == nil
    else {
      throw .badValue(
        option: "server", value: text, expected: "an address such as http://127.0.0.1:8787")
    }
    return text
  }
}

/// The token that a device shows, from a file.
struct TokenSource: Sendable {
  /// Where the token is.
  var path: String

  /// The token and, where the file names it, whose it is; read anew each time.
  func read() throws(Failure) -> (token: String, account: Account?) {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw Failure(.refused, "the token in \(path) cannot be read; check the path and its rights")
    }
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    switch words.count {
    case 1: return (words[0], nil)
    case 3: return (words[2], Account(tenant: words[0], user: words[1]))
    default:
      throw Failure(
        .refused, "\(path) has \(words.count) words; write the token alone, or: tenant user token")
    }
  }
}
