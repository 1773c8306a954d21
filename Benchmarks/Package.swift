// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "commute-benchmarks", platforms: [.macOS(.v15)],
  dependencies: [.package(name: "commute", path: "..")],
  targets: [
    // The floors: what the same work takes in C on the same SQLite.
    .target(name: "CFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Bench",
      dependencies: [
        "CFloor",
        .product(name: "Commute", package: "commute"),
        .product(name: "CommuteServer", package: "commute"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
