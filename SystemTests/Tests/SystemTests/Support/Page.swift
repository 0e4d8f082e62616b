import Foundation

/// docs/interface.md, which says what users may rely on.
enum Page {
    /// The lines below a heading, up to the next one.
    static func lines(below heading: String) throws -> [Substring] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../docs/interface.md")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .drop { !$0.hasPrefix("## \(heading)") }.dropFirst().prefix { !$0.hasPrefix("## ") }
    }
}
