import Foundation

exit(await SoakProgram.run(Array(CommandLine.arguments.dropFirst())))
