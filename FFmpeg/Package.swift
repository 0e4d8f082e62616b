// swift-tools-version: 6.3
import PackageDescription

/// The program that decodes what only FFmpeg reads, such as AAC and M4A. A package of its own, so that
/// duet itself builds, runs and starts without FFmpeg.
let package = Package(
    name: "FFmpeg",
    products: [.executable(name: "duet-ffmpeg", targets: ["duet-ffmpeg"])],
    targets: [
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .executableTarget(
            name: "duet-ffmpeg", dependencies: ["CFFmpeg"],
            linkerSettings: [
                .linkedLibrary("avformat"), .linkedLibrary("avcodec"), .linkedLibrary("avutil"),
                .linkedLibrary("swresample"),
                // All of it is C: it starts without Swift's runtime.
                .unsafeFlags(["-nostartfiles"]),
            ]),
    ],
    cLanguageStandard: .gnu17
)
