import Foundation

/// A web server with TLS, run by Python, and the authorities that vouch for it or do not.
final class TLSServer: Sendable {
  /// What is wrong with its certificate.
  enum Flaw: String {
    case none
    /// It is made out to another name.
    case otherName
    /// Its time is over.
    case expired
  }

  struct Failure: Error {
    let reason: String
  }

  let port: Int
  /// The file of the authority that signed the certificate.
  let authorityFile: String
  /// The file of an authority that did not.
  let strangerFile: String
  private let folder: URL
  private let process: Subprocess

  init(_ flaw: Flaw = .none) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("commute-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    authorityFile = folder.appendingPathComponent("ca.pem").path
    strangerFile = folder.appendingPathComponent("stranger.pem").path
    (process, port) = try await onThread {
      Result { () throws -> (Subprocess, Int) in
        try Self.makeCertificates(flaw, in: folder)
        return try Self.serve(in: folder)
      }
    }.get()
  }

  deinit {
    process.end()
    try? FileManager.default.removeItem(at: folder)
  }

  func url(_ path: String = "/") -> String { "https://localhost:\(port)\(path)" }

  private static func makeCertificates(_ flaw: Flaw, in folder: URL) throws {
    let shell = try Subprocess(certificates, [flaw.rawValue], in: folder)
    let said = try shell.output.readToEnd() ?? Data()
    guard shell.wait() == 0 else { throw Failure(reason: String(decoding: said, as: UTF8.self)) }
  }

  private static func serve(in folder: URL) throws -> (Subprocess, Int) {
    let python = try Subprocess("exec python3 -c \"$1\" 2> /dev/null", [program], in: folder)
    let line = String(decoding: python.output.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      python.end()
      throw Failure(reason: "the server told no port: \(line)")
    }
    return (python, port)
  }

  private static let certificates = """
    set -e
    name=localhost; days=2
    [ "$1" = otherName ] && name=elsewhere.invalid
    [ "$1" = expired ] && days=-1
    for authority in ca stranger; do
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \\
        -subj "/CN=$authority of a test" -keyout $authority.key -out $authority.pem
    done
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \\
      -keyout server.key -out server.csr
    echo "subjectAltName=DNS:$name" > names
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $days \\
      -extfile names -out server.pem
    """

  private static let program = """
    import http.server, ssl
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("server.pem", "server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """
}
