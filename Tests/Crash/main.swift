import Foundation

exit(await CrashProgram.run(Array(CommandLine.arguments.dropFirst())))
