import Foundation

do throws(Options.Refusal) {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  exit(await Run(options).perform())
} catch {
  Output().complain("simulate-sqlite: \(error.message)")
  exit(64)
}
