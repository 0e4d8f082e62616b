// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RenderCallback",
    dependencies: [.package(name: "duet", path: "../..")],
    targets: [
        .executableTarget(
            name: "RenderCallback", dependencies: [.product(name: "AudioGraph", package: "duet")])
    ],
    swiftLanguageModes: [.v6]
)
