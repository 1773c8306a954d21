/// What Package.swift says about its targets, read from its text.
struct Manifest {
  struct Target {
    var name: String
    var isTest: Bool
    var dependencies: Set<String>
  }

  var targets: [Target] = []

  private static let kinds: Set<String> = [
    "target", "executableTarget", "testTarget", "systemLibrary",
  ]

  init(_ text: String) {
    let tokens = SwiftLexer(text).tokens
    var index = 0
    while index + 1 < tokens.count {
      guard Self.kinds.contains(tokens[index].text), tokens[index + 1].is("(") else {
        index += 1
        continue
      }
      let end = Self.end(of: index + 1, in: tokens)
      let declaration = Array(tokens[(index + 2)..<end])
      if let target = Self.target(declaration, isTest: tokens[index].is("testTarget")) {
        targets.append(target)
      }
      index = end
    }
  }

  private static func target(_ declaration: [SwiftLexer.Token], isTest: Bool) -> Target? {
    guard let name = declaration.first(where: { $0.kind == .text })?.text else { return nil }
    var dependencies: Set<String> = []
    if let label = declaration.firstIndex(where: { $0.is("dependencies") }) {
      let end = end(of: label + 2, in: declaration)
      let names = declaration[label..<end].filter { $0.kind == .text }.map(\.text)
      dependencies = Set(names)
    }
    return Target(name: name, isTest: isTest, dependencies: dependencies)
  }

  /// The bracket that closes what a bracket opened.
  private static func end(of start: Int, in tokens: [SwiftLexer.Token]) -> Int {
    var depth = 0
    for index in tokens.indices.dropFirst(start) {
      if tokens[index].is("(") || tokens[index].is("[") { depth += 1 }
      if tokens[index].is(")") || tokens[index].is("]") { depth -= 1 }
      if depth == 0 { return index }
    }
    return tokens.count
  }

  /// Dependencies that the table of layers does not allow, and targets that it does not know.
  var complaints: [String] {
    targets.filter { !$0.isTest }.flatMap { target -> [String] in
      guard let module = Module.all[target.name] else { return ["\(target.name) has no layer"] }
      return target.dependencies.sorted().filter { !module.mayImport($0) }.map {
        "\(target.name) must not depend on \($0)"
      }
    }
  }
}
