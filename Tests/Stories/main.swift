import Foundation

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  Output().complain(error.message)
  exit(64)
}
do {
  exit(try await Run(options: options).perform())
} catch {
  Output().complain("\(error)")
  exit(3)
}
