import Foundation

Signals.ignoreClosedPipes()
exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
