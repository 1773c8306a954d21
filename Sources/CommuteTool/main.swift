import Foundation

#if PLANTED
  PlantedDefence.turnOff()
#endif
Signals.ignoreClosedPipes()
exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
