// swift-tools-version: 6.3

import PackageDescription

/// What every target is compiled with.
let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// Layer 0 and the SQLite wrapper also name every unsafe expression.
let strict: [SwiftSetting] = house + [.strictMemorySafety()]

let package = Package(
  name: "commute",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Commute", targets: ["Commute"]),
    .library(name: "CommuteTasks", targets: ["CommuteTasks"]),
    .library(name: "CommuteServer", targets: ["CommuteServer", "CommuteServerSQLite"]),
    .library(name: "CommuteTestKit", targets: ["CommuteTestKit"]),
    .executable(name: "commute", targets: ["CommuteTool"]),
  ],
  targets: [
    // Layer 0: values, no I/O. Also compiled as Embedded Swift (see Tools/check-embedded.sh).
    .target(name: "CommuteCore", swiftSettings: strict),
    .target(name: "CommuteImport", dependencies: ["CommuteCore"], swiftSettings: strict),
    // What Embedded Swift needs of C where there is no operating system; empty elsewhere.
    .target(name: "CommuteWasmShim"),

    // Layer 1: machinery that knows nothing of sync.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CommuteSQLite", dependencies: ["CSQLite"], swiftSettings: strict),
    .target(
      name: "CommuteHTTP",
      dependencies: [
        .target(name: "CCurl", condition: .when(platforms: [.linux])),
        .target(name: "CMicroHTTPD", condition: .when(platforms: [.linux, .macOS])),
        "CZlib",
      ],
      swiftSettings: house),

    .target(name: "CommuteRelay", swiftSettings: house),

    // Layer 2: the product.
    .target(
      name: "CommuteStore", dependencies: ["CommuteCore", "CommuteSQLite"], swiftSettings: house),
    .target(
      name: "CommuteSync",
      dependencies: ["CommuteCore", "CommuteStore", "CommuteHTTP", "CommuteTasks"],
      swiftSettings: house),
    .target(
      name: "CommuteTasks", dependencies: ["CommuteCore", "CommuteSQLite", "CommuteStore"],
      swiftSettings: house),
    .target(
      name: "CommuteServer", dependencies: ["CommuteCore", "CommuteHTTP"], swiftSettings: house),
    .target(
      name: "CommuteServerSQLite", dependencies: ["CommuteCore", "CommuteServer", "CommuteSQLite"],
      swiftSettings: house),
    .target(
      name: "CommuteFeatures",
      dependencies: [
        "CommuteCore", "CommuteImport", "CommuteSQLite", "CommuteStore", "CommuteSync",
      ],
      swiftSettings: house),
    .target(
      name: "Commute", dependencies: ["CommuteCore", "CommuteStore", "CommuteSync"],
      swiftSettings: house),

    // Layer 3: programs.
    .executableTarget(
      name: "CommuteTool",
      dependencies: [
        "CommuteCore", "CommuteImport", "CommuteStore", "CommuteSync", "CommuteServer",
        "CommuteServerSQLite", "CommuteFeatures", "CommuteHTTP", "CommuteSQLite", "CommuteRelay",
        "CommuteTasks",
      ],
      swiftSettings: house),

    // In no app's product.
    .target(
      name: "CommuteTestKit", dependencies: ["CommuteCore"], swiftSettings: house),
    .executableTarget(
      name: "CommuteSimulator", dependencies: ["CommuteCore", "CommuteTestKit"],
      swiftSettings: house),
    .executableTarget(
      name: "StoryRunner",
      dependencies: [
        "CommuteCore", "CommuteImport", "CommuteSQLite", "CommuteHTTP", "CommuteRelay",
        "CommuteStore", "CommuteSync", "CommuteFeatures", "CommuteTestKit",
      ],
      path: "Tests/Stories", swiftSettings: house),
    // A file layer for SQLite that fails, and what is tried on it.
    .target(
      name: "CFaultFiles", dependencies: ["CSQLite"], path: "Tests/FaultFiles"),
    // What stands in for SQLCipher and writes down what it hears.
    .target(name: "CKeyStandIn", dependencies: ["CSQLite"], path: "Tests/KeyStandIn"),
    .executableTarget(
      name: "FaultRunner",
      dependencies: ["CFaultFiles", "CommuteCore", "CommuteSQLite", "CommuteStore"],
      path: "Tests/Faults", swiftSettings: house),
    .executableTarget(
      name: "SQLiteSimulator",
      dependencies: [
        "CFaultFiles", "CommuteCore", "CommuteSQLite", "CommuteStore", "CommuteTestKit",
      ],
      path: "Tests/SQLiteSimulation", swiftSettings: house),
    .executableTarget(
      name: "TasksSimulator",
      dependencies: [
        "CommuteCore", "CommuteSQLite", "CommuteStore", "CommuteTasks", "CommuteTestKit",
      ],
      path: "Tests/TasksSimulation", swiftSettings: house),
    .executableTarget(
      name: "TasksSoak",
      dependencies: [
        "CommuteCore", "CommuteHTTP", "CommuteStore", "CommuteTasks", "CommuteTestKit",
      ],
      path: "Tests/TasksSoak", swiftSettings: house),
    .executableTarget(
      name: "CrashRunner",
      dependencies: [
        "CommuteCore", "CommuteFeatures", "CommuteHTTP", "CommuteSQLite", "CommuteServer",
        "CommuteServerSQLite", "CommuteStore", "CommuteSync", "CommuteTestKit",
      ],
      path: "Tests/Crash", swiftSettings: house),

    // Tests.
    .target(
      name: "CommuteVectors", dependencies: ["CommuteCore"], path: "Tests/Vectors",
      exclude: [
        "README.md", "calls.txt", "echo.txt", "identifiers.txt", "messages.txt", "numbers.txt",
        "refused.txt", "rules.txt", "stamps.txt", "values.txt",
      ], swiftSettings: strict),
    .target(
      name: "StoreSupport", dependencies: ["CommuteCore", "CommuteStore"],
      path: "Tests/StoreSupport", swiftSettings: house),
    .testTarget(
      name: "CommuteCoreTests", dependencies: ["CommuteCore", "CommuteTestKit", "CommuteVectors"],
      swiftSettings: house),
    .testTarget(
      name: "CommuteImportTests", dependencies: ["CommuteCore", "CommuteImport"],
      swiftSettings: house),
    .testTarget(
      name: "CommuteSQLiteTests", dependencies: ["CommuteSQLite"], swiftSettings: house),
    .testTarget(
      name: "CommuteTasksTests",
      dependencies: ["CommuteCore", "CommuteSQLite", "CommuteStore", "CommuteTasks"],
      swiftSettings: house),
    .testTarget(name: "CommuteHTTPTests", dependencies: ["CommuteHTTP"], swiftSettings: house),
    .testTarget(
      name: "CommuteRelayTests", dependencies: ["CommuteHTTP", "CommuteRelay"],
      swiftSettings: house),
    .testTarget(
      name: "CommuteServerTests",
      dependencies: [
        "CommuteCore", "CommuteHTTP", "CommuteServer", "CommuteServerSQLite", "CommuteSQLite",
        "CommuteTestKit",
      ],
      exclude: ["Fixtures"], swiftSettings: house),
    .testTarget(
      name: "CommuteStoreTests",
      dependencies: [
        "CKeyStandIn", "CommuteCore", "CommuteSQLite", "CommuteStore", "CommuteTestKit",
        "StoreSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: house),
    // The code of the articles about the store.
    .testTarget(
      name: "SnippetTests",
      dependencies: [
        "CommuteCore", "CommuteSQLite", "CommuteStore", "CommuteTestKit", "StoreSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "CommuteFeaturesTests",
      dependencies: [
        "CommuteCore", "CommuteFeatures", "CommuteHTTP", "CommuteImport", "CommuteSQLite",
        "CommuteServer", "CommuteServerSQLite", "CommuteStore", "CommuteSync",
      ],
      exclude: ["Fixtures"], swiftSettings: house),
    .testTarget(
      name: "CommuteSyncTests",
      dependencies: [
        "CommuteCore", "CommuteHTTP", "CommuteRelay", "CommuteServer", "CommuteServerSQLite",
        "CommuteSQLite", "CommuteStore", "CommuteSync", "CommuteTasks",
      ],
      swiftSettings: house),
    .testTarget(
      name: "StoryTests",
      dependencies: [
        "CommuteFeatures", "CommuteHTTP", "CommuteServer", "CommuteServerSQLite", "StoryRunner",
      ],
      swiftSettings: house),
    .testTarget(
      name: "CommuteToolTests",
      dependencies: [
        "CommuteCore", "CommuteFeatures", "CommuteHTTP", "CommuteTasks", "CommuteTool",
      ],
      swiftSettings: house),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "CommuteCore", "CommuteServer", "CommuteServerSQLite", "CommuteTestKit", "CrashRunner",
      ],
      swiftSettings: house),
    .testTarget(
      name: "SimulationTests", dependencies: ["CommuteCore", "CommuteSimulator", "CommuteTestKit"],
      swiftSettings: house),
    .testTarget(
      name: "SQLiteSimulationTests",
      dependencies: ["CommuteCore", "CommuteSQLite", "CommuteStore", "SQLiteSimulator"],
      swiftSettings: house),
    .testTarget(name: "TasksSoakTests", dependencies: ["TasksSoak"], swiftSettings: house),
    .testTarget(name: "TidyTests", swiftSettings: house),
  ],
  swiftLanguageModes: [.v6]
)
