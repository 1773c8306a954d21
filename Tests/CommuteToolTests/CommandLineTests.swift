import Testing

@testable import CommuteTool

@Suite struct CommandLineTests {
  private func run(_ line: String...) throws -> (words: [String], arguments: Arguments) {
    guard case .run(let command, let arguments) = try Program.reader.read(line) else {
      throw UsageError.other("no command")
    }
    return (command.spec.words, arguments)
  }

  private func complaint(_ line: String...) -> String? {
    do throws(UsageError) {
      guard case .run(let command, let arguments) = try Program.reader.read(line) else {
        return nil
      }
      _ = try command.init(arguments)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `options of a group stand before or behind the command's word`() throws {
    for line in [
      ["books", "--device", "d", "tick", "Emma"], ["books", "tick", "Emma", "--device=d"],
      ["books", "tick", "--device", "d", "--", "Emma"],
    ] {
      guard case .run(let command, let arguments) = try Program.reader.read(line) else {
        Issue.record("no command in \(line)")
        continue
      }
      #expect(command.spec.words == ["books", "tick"])
      #expect(arguments.value("device") == "d")
      #expect(arguments.word("BOOK") == "Emma")
    }
  }

  @Test func `behind two dashes everything is a word`() throws {
    let (_, arguments) = try run("books", "note", "Emma", "--", "--device")
    #expect(arguments.word("TEXT") == "--device")
    #expect(arguments.value("device") == nil)
  }

  @Test func `options that repeat are kept in order, others are refused the second time`() throws {
    let (_, arguments) = try run("books", "add", "Emma", "--tag", "a", "--tag=b", "--read")
    #expect(arguments.values("tag") == ["a", "b"])
    #expect(arguments.has("read"))
    #expect(complaint("books", "list", "--sort", "title", "--sort", "author") != nil)
  }

  @Test func `what is mistyped gets a suggestion`() {
    #expect(complaint("boks") == "there is no command boks; did you mean books?")
    #expect(complaint("books", "tik", "Emma") == "books has no command tik; did you mean tick?")
    #expect(
      complaint("books", "lsit") == "books has no command lsit; did you mean list?")
    #expect(
      complaint("serve", "--prot", "1") == "serve has no option --prot; did you mean --port?")
    #expect(
      complaint("xyzzy") == "there is no command xyzzy; `commute --help` lists them")
  }

  @Test func `every mistake is said in one line with what to do`() {
    #expect(complaint("books") == "books needs a command; `commute books --help` lists them")
    #expect(complaint("books", "tick") == "BOOK is missing; --help says what it is")
    #expect(
      complaint("books", "tick", "Pride", "and") == "books tick takes no further word, but got"
        + " and; put words with blanks in quotes")
    #expect(complaint("serve", "--port") == "--port needs a value; write --port PORT")
    #expect(complaint("books", "list", "--json=1") == "--json takes no value; write it alone")
    #expect(
      complaint("serve", "--port", "65536") == "--port 65536: give a number from 0 to 65535")
    #expect(
      complaint("books", "list", "--state", "red")
        == "--state red: give one of all, read, unread")
    #expect(
      complaint("books", "rate", "Emma", "six") == "STARS is a number from 0 to 5, not six")
    #expect(
      complaint("books", "sync", "--server", "ftp://x")
        == "--server ftp://x: give an address such as http://127.0.0.1:8787")
    #expect(complaint("--json") == "--json needs a command; `commute --help` lists them")
  }

  @Test func `every command has help, whatever else is on the line`() throws {
    let all = Program.reader.commands + Program.reader.groups.flatMap(\.commands)
    #expect(all.count >= 20)
    for command in all {
      guard case .help(let found) = try Program.reader.read(command.spec.words + ["--help"]) else {
        Issue.record("no help for \(command.spec.words)")
        continue
      }
      let lines = HelpText.command(found.spec)
      #expect(lines.first == command.spec.summary)
      #expect(lines.contains { $0.contains("--json") })
      #expect(lines.allSatisfy { $0.count <= 100 }, "\(command.spec.words)")
    }
    guard case .groupHelp(let group) = try Program.reader.read(["books", "-h"]) else {
      Issue.record("no help for the group")
      return
    }
    #expect(HelpText.group(group).count > group.commands.count)
  }

  @Test func `letters put in, taken out, changed or swapped are counted`() {
    #expect(Suggestion.distance("tick", "tick") == 0)
    #expect(Suggestion.distance("tikc", "tick") == 1)
    #expect(Suggestion.distance("tik", "tick") == 1)
    #expect(Suggestion.distance("", "tick") == 4)
    #expect(Suggestion.distance("list", "lust") == 1)
  }
}
