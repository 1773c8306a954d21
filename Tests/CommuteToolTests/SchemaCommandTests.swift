import Foundation
import Testing

@testable import CommuteTool

/// `commute schema`: the files of released schemas.
@Suite struct SchemaCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func schema(_ words: String...) async throws -> ChildProcess.Outcome {
    try await bench.command(["schema"] + words)
  }

  private var file: String { bench.path("schemas/reading-list-1.schema") }

  /// The exported file, changed.
  private func change(_ old: String, _ new: String) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains(old))
    try text.replacingOccurrences(of: old, with: new)
      .write(toFile: file, atomically: true, encoding: .utf8)
  }

  @Test func `what is declared is what is checked in`() async throws {
    let outcome = try await schema("check", "--files", "\(Workbench.root)/Documentation/Schemas")
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test func `a schema is exported once, checked, and compared`() async throws {
    let folder = bench.path("schemas")
    let missing = try await schema("check", "--files", folder)
    #expect(missing.code == 1 && missing.complaint.contains("commute schema export"))
    let first = try await schema("export", "--files", folder)
    #expect(first.code == 0 && first.output.contains("check it in"), "\(first)")
    let again = try await schema("export", "--files", folder)
    #expect(again.code == 0 && again.output.contains("as declared"))
    let same = try await schema("check", "--files", folder)
    #expect(same.code == 0)
    // As where a column was released that is declared no more.
    try change("field title text latest\n", "field subtitle text latest\nfield title text latest\n")
    let lost = try await schema("check", "--files", folder)
    #expect(lost.code == 1)
    #expect(lost.output.contains("gone: column book.subtitle"), "\(lost)")
    #expect(lost.output.contains("replacing: [\"book.subtitle\"]"))
    let refused = try await schema("export", "--files", folder)
    #expect(refused.code == 1 && refused.complaint.contains("was not written"))
    let differing = try await schema("diff", "--files", folder, "--json")
    let value = try JSONSerialization.jsonObject(with: Data(differing.output.utf8))
    let list = (value as? [String: Any])?["differences"] as? [[String: Any]]
    #expect(differing.code == 1 && list?.first?["effect"] as? String == "destruction")
  }

  @Test func `a column that was not released yet needs a version of its own`() async throws {
    let folder = bench.path("schemas")
    _ = try await schema("export", "--files", folder)
    try change("field isbn text? latest\n", "")
    let outcome = try await schema("check", "--files", folder)
    #expect(outcome.code == 1)
    #expect(outcome.output.contains("new: column book.isbn"), "\(outcome)")
    #expect(outcome.output.contains("→ raise it to 2"))
    let other = bench.path("other.schema")
    try FileManager.default.copyItem(atPath: file, toPath: other)
    let equal = try await schema("diff", other, file)
    #expect(equal.code == 0, "\(equal)")
    let broken = try await schema("diff", bench.path("none"))
    #expect(broken.code == 1 && broken.complaint.contains("cannot be read"))
  }
}
