import CommuteHTTP
import Foundation

/// The program: it is the runner, or one of the processes that the runner starts and kills.
enum CrashProgram {
  /// Does what the command line asks for.
  ///
  /// - Returns: The exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    let output = CrashOutput()
    do throws(CrashOptions.Refusal) {
      let options = try CrashOptions(arguments)
      switch options.mode {
      case .help:
        output.say(CrashOptions.help)
        return 0
      case .kill: return CrashRun(options, output: output).perform()
      case .memory(let count): return MemoryRun(records: count, options, output).perform()
      case .device(let order): return await DeviceChild(order).run()
      case .server(let order): return await ServerChild(order).run()
      case .writer(let order): return await WriterChild(order).run()
      case .reader(let order): return await ReaderChild(order).run()
      case .care(let order): return await CareChild(order).run()
      }
    } catch {
      output.complain("crash: \(error.message)")
      return 64
    }
  }
}

extension CrashProgram {
  /// The product's client on this system.
  static func client() -> any HTTPClient {
    #if os(Linux)
      CurlClient()
    #else
      URLSessionClient()
    #endif
  }
}
