import Foundation

#if PLANTED
  PlantedDefence.turnOff()
#endif
Signals.ignoreClosedPipes()
do throws(UsageError) {
  exit(await Program.run(try GivenWords.read()).rawValue)
} catch {
  Output().complain(error.message)
  exit(ExitCode.usage.rawValue)
}
