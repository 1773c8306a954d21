/// What a command has to tell: lines for people, the same as JSON for programs.
struct Report: Sendable {
  var lines: [String]
  var json: JSON
  var code = ExitCode.done
  /// What goes out as it is, instead of the lines.
  var bytes: [UInt8]?
  /// What went wrong although something was done; one line.
  var complaint: String?

  init(_ lines: [String], _ json: JSON, code: ExitCode = .done, complaint: String? = nil) {
    self.lines = lines
    self.json = json
    self.code = code
    self.complaint = complaint
  }
}
