import Testing

@testable import StoryRunner

@Suite struct StoryTests {
  @Test(arguments: Story.all) func `ours loses nothing in any story`(story: Story) async throws {
    let telling = try await InProcessServer.teller.tell(story, by: .ours)
    #expect(telling.lossLines == [])
    #expect(story.outcomes.contains(telling.held))
  }

  @Test(arguments: Story.all)
  func `the naive design loses in every story what it is said to lose`(story: Story) async throws {
    let telling = try await InProcessServer.teller.tell(story, by: .naive)
    let kinds = Set(telling.losses.map(\.kind))
    #expect(kinds.isSuperset(of: story.naiveLosses), "\(telling.lossLines)")
  }

  @Test func `the stories are told in order`() {
    #expect(Story.all.map(\.number) == Array(1...13))
  }
}

extension Story: CustomTestStringConvertible {
  /// How the test's runner calls it.
  public var testDescription: String { "\(number) \(name)" }
}
