import Foundation

/// The programs in Examples, built as their readers would, from a package of their own: scripts/test
/// does that before it runs their tests.
public enum Example {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent(".build/release")

    /// The path of the example `name`.
    public static func path(_ name: String) throws -> String {
        let path = folder.appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Tool.Failure(
                description: "\(path) is not there: scripts/test builds it before this test")
        }
        return path
    }
}
