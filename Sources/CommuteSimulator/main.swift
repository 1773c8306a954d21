import Foundation

do throws(Options.Refusal) {
  exit(Run(try Options(Array(CommandLine.arguments.dropFirst()))).perform())
} catch {
  Output().complain("simulate: \(error.message)")
  exit(64)
}
