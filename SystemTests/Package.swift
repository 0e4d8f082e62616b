// swift-tools-version: 6.3
import PackageDescription

/// Tests of the program that users run. They import no module of duet: `scripts/system-test` builds the
/// release binary, and they start it by its path.
let package = Package(
    name: "SystemTests",
    targets: [
        .executableTarget(
            name: "jack-witness", path: "Sources/JackWitness",
            linkerSettings: [.linkedLibrary("jack")]),
        // Starts servers and programs, and reads what they say: the tests of JackIO use it, too.
        .target(name: "Rig"),
        .testTarget(name: "SystemTests", dependencies: ["Rig", "jack-witness"]),
    ],
    swiftLanguageModes: [.v6]
)
