import Foundation

exit(SimulationProgram.run(Array(CommandLine.arguments.dropFirst())))
