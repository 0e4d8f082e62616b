// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "CustomUnit",
    dependencies: [.package(name: "duet", path: "../..")],
    targets: [
        .executableTarget(
            name: "CustomUnit", dependencies: [.product(name: "AudioGraph", package: "duet")])
    ],
    swiftLanguageModes: [.v6]
)
