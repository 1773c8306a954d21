import Testing

/// A house rule over source files, with samples that prove that it can fail.
struct Rule: Sendable, CustomTestStringConvertible {
  /// Where a rule is broken, and how.
  struct Finding: Sendable, CustomStringConvertible {
    var path: String
    var line: Int
    var message: String

    var description: String { "\(path):\(line): \(message)" }
  }

  /// A file that exists only here.
  struct Sample: Sendable {
    var path: String
    var text: String

    init(_ path: String, _ text: String) {
      self.path = path
      self.text = text
    }

    var file: SourceFile { SourceFile(path: path, text: text) }
  }

  var title: String
  /// Files that break the rule, each for itself.
  var offenders: [Sample]
  /// Files that look alike and do not.
  var innocents: [Sample]
  var findings: @Sendable ([SourceFile]) -> [Finding]

  var testDescription: String { title }

  /// A rule that looks at one file at a time.
  init(
    _ title: String, offenders: [Sample], innocents: [Sample],
    perFile check: @escaping @Sendable (SourceFile) -> [(line: Int, message: String)]
  ) {
    self.title = title
    self.offenders = offenders
    self.innocents = innocents
    findings = { files in
      files.flatMap { file in
        check(file).map { Finding(path: file.path, line: $0.line, message: $0.message) }
      }
    }
  }

  /// A rule that needs to see all files.
  init(
    _ title: String, acrossFiles findings: @escaping @Sendable ([SourceFile]) -> [Finding],
    offenders: [Sample], innocents: [Sample]
  ) {
    self.title = title
    self.offenders = offenders
    self.innocents = innocents
    self.findings = findings
  }

  /// Every rule of the house.
  static let all: [Rule] = [
    .importsPointDownwards, .oracleKnowsNoMerge,
    .filesAreShort, .functionsAreShort, .linesFitThePage,
    .nothingIsLeftForLater, .noCodeIsCommentedOut,
    .programsSpeakThroughOneType, .nothingCrashes, .noUncheckedSharing, .nothingPlantedIsShipped,
    .testsDoNotSleep, .testsDoNotRollDice,
    .namesSayWhatIsThere, .filesAreNamedForTheirType,
  ]
}
