import Foundation

/// The program `duet-ffmpeg`, which the tests compile from its sources: `swift test` builds one package.
public enum HelperBuild {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../FFmpeg/Sources/duet-ffmpeg")
    private static let folder = Result { try TemporaryFolder() }
    private static let built = Result {
        let program = try folder.get().url.appendingPathComponent("duet-ffmpeg").path
        let libraries = "libavformat libavcodec libavutil libswresample"
        try Tool.run(
            [
                "sh", "-c",
                "clang -std=gnu17 -O1 -Wall -Wextra -Werror *.c -o \"$0\""
                    + " $(pkg-config --cflags --libs \(libraries))", program,
            ], in: sources)
        return program
    }

    /// The program's path. Compiles it once, which takes a second.
    public static var program: String { get throws { try built.get() } }

    /// Puts the program's folder first on this process's path, where songs look for it.
    public static func putOnPath() throws {
        let folder = URL(fileURLWithPath: try program).deletingLastPathComponent().path + ":"
        let path = String(cString: getenv("PATH"))
        if !path.hasPrefix(folder) { setenv("PATH", folder + path, 1) }
    }
}
