import CommuteCore
import CommuteFeatures
import Foundation
import Testing

@Suite struct PageSchemaTests {
  @Test func `the page's schema is the program's`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Web/core/schema.js")
    let script = try String(contentsOf: page, encoding: .utf8)
    let schema = try ReadingList.schema()
    #expect(script.contains("schemaText: `\(schema.canonicalText)`"))
    #expect(script.contains("schemaName: \"\(schema.name.text)\""))
    #expect(script.contains("schemaVersion: \(schema.version),"))
  }
}
