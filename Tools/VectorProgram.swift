// Runs the embedded golden vectors and says how it went. Compiled by check-embedded.sh, once for
// this machine and once as Embedded Swift for WebAssembly.

/// A file of vectors that was compiled into the program.
struct VectorFile {
  var name: String
  var content: StaticString

  var bytes: [UInt8] {
    content.withUTF8Buffer { unsafe [UInt8]($0) }
  }
}

/// Runs all of them.
func runEmbeddedVectors() -> VectorRun {
  var run = VectorRun()
  for file in embeddedVectorFiles {
    for complaint in run.play(file.bytes, named: file.name) { print(complaint) }
  }
  print("vectors: \(run.ran) ran, \(run.failed) failed, digest \(run.digest)")
  return run
}

#if arch(wasm32)
  /// What the runtime in Sources/CommuteWasmShim calls as the program.
  @_cdecl("commute_main")
  public func commuteMain(_ count: Int32, _ arguments: UnsafeRawPointer?) -> Int32 {
    runEmbeddedVectors().failed == 0 ? 0 : 1
  }
#else
  import Glibc

  @main
  enum VectorProgram {
    static func main() {
      exit(runEmbeddedVectors().failed == 0 ? 0 : 1)
    }
  }
#endif
