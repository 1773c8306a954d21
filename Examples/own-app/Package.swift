// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "plants", platforms: [.macOS(.v15)],
  dependencies: [.package(name: "commute", path: "../..")],
  targets: [
    .executableTarget(
      name: "plants",
      dependencies: [
        .product(name: "Commute", package: "commute"),
        .product(name: "CommuteServer", package: "commute"),
      ])
  ])
