import Foundation

@testable import CommuteTool

/// Takes TLS in front of a server, with a certificate that only a file vouches for.
struct TLSProxy {
  let running: RunningProgram
  let port: String

  static func start(in bench: Workbench, to url: String) async throws -> TLSProxy {
    let openssl = try ChildProcess.path(of: "openssl").orThrow("openssl is not installed")
    let made = try await ChildProcess(
      program: openssl,
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", bench.path("server.key"), "-out", bench.path("server.pem"),
      ]
    ).run()
    if made.code != 0 { throw BenchError(message: made.complaint) }
    let python = try ChildProcess.path(of: "python3").orThrow("python3 is not installed")
    let running = try await RunningProgram.start(
      ChildProcess(program: python, arguments: ["-u", "-c", script, bench.folder, url]))
    let line = try await running.line { $0.hasPrefix("port ") }
    return TLSProxy(running: running, port: String(line.dropFirst("port ".count)))
  }

  private static let script = """
    import http.server, ssl, sys, urllib.request
    folder, url = sys.argv[1:3]
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *words): pass
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = urllib.request.Request(
                url + self.path, body, {"Content-Type": self.headers["Content-Type"]})
            with urllib.request.urlopen(request) as answer:
                body = answer.read()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers["Content-Type"])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/server.pem", folder + "/server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print("port", server.server_port)
    server.serve_forever()
    """
}
