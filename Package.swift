// swift-tools-version: 6.2
import PackageDescription

/// Whether it is scripts/test that builds: only the libraries of sound, and Rig and TestSupport, which look at
/// the tests' samples, are compiled for speed then. The rest is told not to be: the build may be one
/// for release.
let buildsTests = Context.environment["DUET_FAST_TESTS"] != nil
/// Every target: Swift 6 mode, and a warning is an error.
let strict: [SwiftSetting] =
    [.treatAllWarnings(as: .error)] + (buildsTests ? [.unsafeFlags(["-Onone"])] : [])
/// The libraries also name every unsafe expression.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]
/// With assertions, and as always with every check of Swift's.
let fast: [SwiftSetting] =
    buildsTests ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : []

func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "duet",
    products: [
        .library(name: "AudioGraph", targets: ["AudioGraph"]),
        .library(name: "AudioMedia", targets: ["AudioMedia"]),
        .library(name: "JackIO", targets: ["JackIO"]),
        .executable(name: "duet", targets: ["duet"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        system("CJack", "jack", "libjack-jackd2-dev"),
        system("CMpg123", "libmpg123", "libmpg123-dev"),
        system("CCurl", "libcurl", "libcurl4-openssl-dev"),
        system("CSoxr", "soxr", "libsoxr-dev"),
        system("CRubberBand", "rubberband", "librubberband-dev"),
        system("CSndfile", "sndfile", "libsndfile1-dev"),
        system("CLiblo", "liblo", "liblo-dev"),
        system("CMysofa", "libmysofa", "libmysofa-dev"),
        system("CSpeexdsp", "speexdsp", "libspeexdsp-dev"),
        .systemLibrary(name: "CKissfft", providers: [.apt(["libkissfft-dev"])]),
        .systemLibrary(name: "CWidth"),
        .target(name: "CRealtime"),
        .target(name: "CDemo"),
        .target(name: "CZita", linkerSettings: [.linkedLibrary("zita-resampler")]),
        .target(name: "SystemSupport", dependencies: ["CRealtime"], swiftSettings: safe),
        .target(
            name: "AudioGraph",
            dependencies: ["SystemSupport", "CRealtime", "CMysofa", "CSpeexdsp", "CZita"],
            swiftSettings: safe + fast),
        .target(
            name: "AudioMedia",
            dependencies: [
                "AudioGraph", "SystemSupport", "CRealtime", "CMpg123", "CCurl", "CSoxr",
                "CRubberBand", "CSndfile", "CKissfft",
            ],
            swiftSettings: safe + fast),
        .target(
            name: "JackIO", dependencies: ["AudioGraph", "SystemSupport", "CJack", "CRealtime"],
            swiftSettings: safe + fast),
        .target(
            name: "SessionManager", dependencies: ["SystemSupport", "CLiblo"],
            swiftSettings: safe),
        .executableTarget(
            name: "duet",
            dependencies: [
                "AudioGraph", "SystemSupport", "AudioMedia", "JackIO", "SessionManager", "CDemo",
                "CRealtime", "CWidth",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "render-bench", dependencies: ["AudioGraph", "CRealtime"],
            path: "scripts/bench.d/RenderBench", swiftSettings: strict),
        .executableTarget(
            name: "jack-witness", dependencies: ["CJack"], path: "SystemTests/Sources/JackWitness"),
        .target(
            name: "Rig", path: "SystemTests/Sources/Rig", swiftSettings: strict + fast),
        .executableTarget(
            name: "server-holder", dependencies: ["JackIO"], path: "Tests/ServerHolder",
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["Rig", "SystemSupport"], path: "Tests/TestSupport",
            swiftSettings: strict + fast),
        .testTarget(
            name: "AudioGraphTests",
            dependencies: ["AudioGraph", "SystemSupport", "TestSupport", "CMysofa"],
            swiftSettings: strict),
        .testTarget(
            name: "SystemSupportTests", dependencies: ["SystemSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AudioMediaTests",
            dependencies: ["AudioMedia", "AudioGraph", "SystemSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "JackIOTests",
            dependencies: ["JackIO", "AudioGraph", "SystemSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SessionManagerTests",
            dependencies: ["SessionManager", "SystemSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "DuetTests",
            dependencies: [
                "duet", "AudioGraph", "AudioMedia", "JackIO", "SystemSupport", "TestSupport", "Rig",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// scripts/fuzz builds this instead of the tests that share its sources, and of the program, which
// is part of it: without `main` that is a library.
if Context.environment["DUET_FUZZ"] != nil {
    let program = package.targets.first { $0.name == "duet" }
    package.products.removeAll { $0.name == "duet" }
    package.targets.removeAll { ["AudioMediaTests", "DuetTests", "duet"].contains($0.name) }
    package.targets += [
        .target(
            name: "duet", dependencies: program?.dependencies ?? [], exclude: ["Duet.swift"],
            swiftSettings: strict),
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: ["AudioGraph", "AudioMedia", "SystemSupport", "duet", "CFuzzer"],
            path: "Tests",
            sources: [
                "Fuzz/main.swift", "AudioMediaTests/Attacks", "AudioMediaTests/DecodeAll.swift",
                "DuetTests/Attacks",
            ],
            swiftSettings: strict),
    ]
}

// What .ci/run has ThreadSanitizer look at: the suites that use two threads most. To build all others
// for it takes longer than to run these.
if Context.environment["DUET_TWO_THREADS"] != nil {
    let sound = [
        "Channel", "Click", "Compressor", "Converter", "DSP", "DeEsser", "Delay", "Documentation",
        "Ducker", "DynamicsParts", "Equalizer", "EqualizerLoudness", "EqualizerSound", "Example",
        "FilterDesign", "Gate", "HighPass", "Latency", "Meter", "Mix", "PanLaw", "Partition",
        "Quantity", "Ramp", "Readme", "Reverb", "TenHours", "Transport", "VocalRemover",
    ]
    let songs = [
        "HTTPSource", "List", "LyricsLoader", "Playback", "QueuedSong", "SongWorker", "Torture",
        "Underrun", "Waiting",
    ]
    let helpers = [
        "Attacks", "DecodeAll.swift", "EventLog.swift", "Garbage.swift", "ID3Tag.swift",
        "NetworkLimits+Short.swift", "SongStage.swift", "SoundFile.swift", "SourceStage.swift",
    ]
    let others = [
        "DuetTests", "JackIO", "JackIOTests", "SessionManager", "SessionManagerTests", "duet",
        "jack-witness", "render-bench", "server-holder",
    ]
    package.products.removeAll { others.contains($0.name) }
    package.targets.removeAll { others.contains($0.name) }
    for target in package.targets {
        switch target.name {
        case "AudioGraphTests": target.exclude = sound.map { $0 + "Tests.swift" }
        case "AudioMediaTests": target.sources = songs.map { $0 + "Tests.swift" } + helpers
        // Here it takes longer to compile for speed than that saves.
        case "Rig", "TestSupport": target.swiftSettings = strict
        default: break
        }
    }
}
