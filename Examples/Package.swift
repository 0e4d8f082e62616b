// swift-tools-version: 6.3
import PackageDescription

/// A program that uses these libraries of duet.
func example(_ name: String, _ libraries: String...) -> Target {
    .executableTarget(
        name: name, dependencies: libraries.map { .product(name: $0, package: "duet") }, path: name)
}

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "duet", path: "..")],
    targets: [
        .target(
            name: "CTremolo", dependencies: [.product(name: "AudioGraph", package: "duet")],
            path: "CTremolo"),
        .executableTarget(
            name: "CustomUnit",
            dependencies: ["CTremolo", .product(name: "AudioGraph", package: "duet")],
            path: "CustomUnit"),
        example("RenderCallback", "AudioGraph"),
        example("OfflineRender", "AudioGraph", "AudioMedia"),
        example("Binaural", "AudioGraph"),
        example("QueuePlayback", "AudioGraph", "AudioMedia", "JackIO"),
        example("Record", "AudioGraph", "AudioMedia", "JackIO"),
        example("TwoSourceMixer", "AudioGraph", "AudioMedia", "JackIO"),
        example("FromCoreAudio", "AudioGraph", "AudioMedia", "JackIO"),
    ],
    swiftLanguageModes: [.v6]
)
