// swift-tools-version: 6.3
import PackageDescription

/// Attacks on the code that reads other people's bytes, under libFuzzer: `scripts/fuzz` builds it. The attacks
/// are those of the unit tests, by links.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "duet", path: "..")],
    targets: [
        .systemLibrary(name: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer", .product(name: "AudioGraph", package: "duet"),
                .product(name: "AudioMedia", package: "duet"),
                .product(name: "Internals", package: "duet"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
