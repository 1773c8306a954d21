/// How near to the world a module stands; dependencies point downwards only.
enum Layer: Comparable, Sendable {
  /// Values: no I/O, no Foundation, no clock.
  case values
  /// C libraries and what wraps them; knows nothing of sync.
  case machinery
  /// The product.
  case product
  /// Programs: wiring, no decisions.
  case program
  /// Simulator and test support, in no app's product.
  case harness

  /// Whether apps and servers are shipped with modules of this layer.
  var isShipped: Bool { self < .harness }

  /// What a module of this layer may import from the system.
  var systemModules: Set<String> {
    switch self {
    case .values: []
    case .machinery, .product, .program, .harness:
      [
        "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Network",
        "Observation", "Synchronization",
      ]
    }
  }
}

/// A module of the package: where it stands, and what it may import.
struct Module: Sendable {
  var layer: Layer
  var imports: Set<String> = []

  /// The architecture, as data.
  static let all: [String: Module] = [
    "CommuteCore": Module(layer: .values),
    "CommuteImport": Module(layer: .values, imports: ["CommuteCore"]),

    "CSQLite": Module(layer: .machinery),
    "CCurl": Module(layer: .machinery),
    "CMicroHTTPD": Module(layer: .machinery),
    "CZlib": Module(layer: .machinery),
    "CommuteWasmShim": Module(layer: .machinery),
    "CommuteSQLite": Module(layer: .machinery, imports: ["CSQLite"]),
    "CommuteHTTP": Module(layer: .machinery, imports: ["CCurl", "CMicroHTTPD", "CZlib"]),

    "CommuteRelay": Module(layer: .machinery),

    "CommuteStore": Module(layer: .product, imports: ["CommuteCore", "CommuteSQLite"]),
    "CommuteSync": Module(
      layer: .product, imports: ["CommuteCore", "CommuteStore", "CommuteHTTP", "CommuteTasks"]),
    "CommuteTasks": Module(
      layer: .product, imports: ["CommuteCore", "CommuteSQLite", "CommuteStore"]),
    "CommuteServer": Module(layer: .product, imports: ["CommuteCore", "CommuteHTTP"]),
    "CommuteServerSQLite": Module(
      layer: .product, imports: ["CommuteCore", "CommuteServer", "CommuteSQLite"]),
    "CommuteFeatures": Module(
      layer: .product,
      imports: ["CommuteCore", "CommuteImport", "CommuteSQLite", "CommuteStore", "CommuteSync"]),
    "Commute": Module(layer: .product, imports: ["CommuteCore", "CommuteStore", "CommuteSync"]),

    "CommuteTool": Module(layer: .program, imports: everything),

    "CommuteTestKit": Module(layer: .harness, imports: ["CommuteCore"]),
    "CommuteVectors": Module(layer: .harness, imports: ["CommuteCore"]),
    "StoreSupport": Module(layer: .harness, imports: ["CommuteCore", "CommuteStore"]),
    "CommuteSimulator": Module(layer: .harness, imports: ["CommuteCore", "CommuteTestKit"]),
    "StoryRunner": Module(layer: .harness, imports: everything.union(["CommuteTestKit"])),
    "CFaultFiles": Module(layer: .harness, imports: ["CSQLite"]),
    "CKeyStandIn": Module(layer: .harness, imports: ["CSQLite"]),
    "FaultRunner": Module(layer: .harness, imports: everything.union(["CFaultFiles"])),
    "SQLiteSimulator": Module(
      layer: .harness,
      imports: ["CFaultFiles", "CommuteCore", "CommuteSQLite", "CommuteStore", "CommuteTestKit"]),
    "TasksSimulator": Module(layer: .harness, imports: everything.union(["CommuteTestKit"])),
    "TasksSoak": Module(layer: .harness, imports: everything.union(["CommuteTestKit"])),
    "CrashRunner": Module(layer: .harness, imports: everything.union(["CommuteTestKit"])),
  ]

  /// The modules below the programs.
  private static let everything: Set<String> = [
    "CommuteCore", "CommuteImport", "CommuteSQLite", "CommuteHTTP", "CommuteStore", "CommuteSync",
    "CommuteServer", "CommuteServerSQLite", "CommuteFeatures", "CommuteRelay", "CommuteTasks",
  ]

  /// Whether a module of the package, or of the system, may be imported.
  func mayImport(_ name: String) -> Bool {
    imports.contains(name) || layer.systemModules.contains(name)
  }
}
