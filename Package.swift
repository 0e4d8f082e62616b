// swift-tools-version: 6.3
import PackageDescription

func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// Every unsafe expression in it is named.
func safe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, swiftSettings: [.strictMemorySafety()])
}

let package = Package(
    name: "duet",
    products: [
        .library(name: "AudioGraph", targets: ["AudioGraph"]),
        .library(name: "AudioMedia", targets: ["AudioMedia"]),
        .library(name: "JackIO", targets: ["JackIO"]),
        .executable(name: "duet", targets: ["duet"]),
        // For the packages in Fuzz and Benchmarks, which look inside; nothing of it is promised.
        .library(name: "Internals", targets: ["CRealtime", "DuetApp", "SystemSupport"]),
    ],
    traits: [
        // What of AudioGraph needs a library of its own. duet itself needs all.
        .default(enabledTraits: ["Conversion", "Spatial", "Speech"]),
        .trait(
            name: "Conversion",
            description: "Sound of another sample rate than the graph's, by libzita-resampler."),
        .trait(name: "Spatial", description: "The binaural panner, by libmysofa."),
        .trait(name: "Speech", description: "The voice processor, by libspeexdsp."),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-log", from: "1.16.2")],
    targets: [
        system("CJack", "jack", "libjack-jackd2-dev"),
        system("CMpg123", "libmpg123", "libmpg123-dev"),
        system("CSoxr", "soxr", "libsoxr-dev"),
        system("CRubberBand", "rubberband", "librubberband-dev"),
        system("CSndfile", "sndfile", "libsndfile1-dev"),
        system("COgg", "ogg", "libogg-dev"),
        system("CVorbisfile", "vorbisfile", "libvorbis-dev"),
        system("COpusfile", "opusfile", "libopusfile-dev"),
        system("CLiblo", "liblo", "liblo-dev"),
        system("CMysofa", "libmysofa", "libmysofa-dev"),
        system("CSpeexdsp", "speexdsp", "libspeexdsp-dev"),
        system("CJansson", "jansson", "libjansson-dev"),
        system("CEbur128", "libebur128", "libebur128-dev"),
        system("CText", "uchardet", "libuchardet-dev"),
        system("CZlib", "zlib", "zlib1g-dev"),
        .systemLibrary(name: "CKissfft", providers: [.apt(["libkissfft-dev"])]),
        .systemLibrary(name: "CWidth"),
        .systemLibrary(name: "CLink"),
        .target(name: "CCurl"),
        .target(name: "CFlac"),
        .target(name: "CRealtime"),
        .target(name: "CDemo"),
        .target(name: "CVoice"),
        .target(name: "CZita", linkerSettings: [.linkedLibrary("zita-resampler")]),
        safe("SystemSupport", ["CRealtime"]),
        safe(
            "AudioGraph",
            [
                "SystemSupport", "CRealtime",
                .target(name: "CMysofa", condition: .when(traits: ["Spatial"])),
                .target(name: "CSpeexdsp", condition: .when(traits: ["Speech"])),
                .target(name: "CZita", condition: .when(traits: ["Conversion"])),
            ]),
        safe(
            "AudioMedia",
            [
                "AudioGraph", "SystemSupport", "CRealtime", "CMpg123", "CCurl", "CFlac", "CSoxr",
                "CRubberBand", "CSndfile", "COgg", "CVorbisfile", "COpusfile", "CKissfft",
                "CEbur128",
                "CText", "CVoice", "CZlib",
            ]),
        safe("JackIO", ["AudioGraph", "SystemSupport", "CJack", "CRealtime"]),
        safe("SessionManager", ["SystemSupport", "CLiblo"]),
        .target(
            name: "DuetApp",
            dependencies: [
                "AudioGraph", "SystemSupport", "AudioMedia", "JackIO", "SessionManager", "CDemo",
                "CJansson", "CLink", "CRealtime", "CWidth", "CZlib",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(name: "duet", dependencies: ["DuetApp"]),
        .executableTarget(
            name: "jack-witness", dependencies: ["CJack"], path: "SystemTests/Sources/JackWitness"),
        .target(name: "Rig", path: "SystemTests/Sources/Rig"),
        .executableTarget(
            name: "server-holder", dependencies: ["JackIO"], path: "Tests/ServerHolder"),
        .target(
            name: "TestSupport", dependencies: ["Rig", "SystemSupport"], path: "Tests/TestSupport"),
        .testTarget(
            name: "AudioGraphTests",
            dependencies: ["AudioGraph", "SystemSupport", "TestSupport", "CMysofa"]),
        .testTarget(name: "SystemSupportTests", dependencies: ["SystemSupport", "TestSupport"]),
        .testTarget(
            name: "AudioMediaTests",
            dependencies: [
                "AudioMedia", "AudioGraph", "SystemSupport", "TestSupport", "CEbur128", "CText",
                "CZlib",
            ]),
        .testTarget(
            name: "JackIOTests",
            dependencies: ["JackIO", "AudioGraph", "SystemSupport", "CJack", "TestSupport"]),
        .testTarget(
            name: "SessionManagerTests",
            dependencies: ["SessionManager", "SystemSupport", "TestSupport"]),
        .testTarget(
            name: "DuetTests",
            dependencies: [
                "DuetApp", "AudioGraph", "AudioMedia", "JackIO", "SystemSupport", "TestSupport",
                "CZlib",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
