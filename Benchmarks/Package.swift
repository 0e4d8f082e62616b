// swift-tools-version: 6.3
import PackageDescription

/// What `scripts/bench` measures inside the libraries.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "duet", path: "..")],
    targets: [
        .executableTarget(
            name: "render-bench",
            dependencies: [
                .product(name: "AudioGraph", package: "duet"),
                .product(name: "Internals", package: "duet"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
