import Foundation

/// The programs in Examples, built as their readers would, from a package of their own; with what
/// scripts/lint has built of them, for which the options are those of `build_examples` in
/// scripts/lib/build.sh.
public enum Example {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let binaries = Result {
        func build(_ options: String...) throws -> Data {
            try Tool.run(
                [
                    "swift", "build", "--package-path", root.path + "/Examples", "--scratch-path",
                    root.path + "/.build", "-c", "release", "--static-swift-stdlib",
                    "--disable-index-store",
                ] + options)
        }
        _ = try build("--quiet")
        return String(decoding: try build("--show-bin-path"), as: UTF8.self)
            .trimmingCharacters(in: .newlines)
    }

    /// The path of the example `name`. Builds all of them at the first call.
    public static func path(_ name: String) throws -> String { try binaries.get() + "/" + name }
}
