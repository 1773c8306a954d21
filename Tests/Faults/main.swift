import Foundation

exit(await FaultProgram.run(Array(CommandLine.arguments.dropFirst())))
