import Foundation
import Testing

/// What the documentation's pages claim of the code is code that compiles.
@Suite struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func page(_ name: String) throws -> String {
        try String(
            contentsOf: Self.root.appending(path: "Sources/AudioGraph/AudioGraph.docc/\(name).md"),
            encoding: .utf8)
    }

    /// All Swift files of an example, one after the other.
    private func example(_ name: String) throws -> String {
        let folder = Self.root.appending(path: "Examples/\(name)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    }

    /// Every call on the right of the tables for those who come from Apple's systems stands in the
    /// example, which `ExampleTests` runs.
    @Test func whatReadersOfTheDocumentsFindCompiles() throws {
        let code = try example("FromCoreAudio")
        var count = 0
        for line in try page("FromAudioUnits").split(separator: "\n") where line.hasPrefix("|") {
            let text = line.replacingOccurrences(of: "\\|", with: "\u{0}")
            let cell = text.split(separator: "|").last ?? ""
            // Names of symbols, in double quotes, are DocC's to check.
            let names = cell.replacing(/``[^`]*``/, with: "")
            for match in names.matches(of: /`([^`]*)`/) {
                let snippet = match.output.1.replacingOccurrences(of: "\u{0}", with: "|")
                // Modules and types of the other libraries, without a call.
                guard snippet.contains(/[^A-Za-z.]/) else { continue }
                count += 1
                #expect(code.contains(snippet), "\(snippet)")
            }
        }
        #expect(count > 40)
    }

    @Test func theTutorialIsTheExample() throws {
        let code = try example("TwoSourceMixer")
        let blocks = try page("LiveMixer").components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(blocks.count > 6)
        for block in blocks where !block.contains(".product(") {
            #expect(code.contains(block.dropFirst("swift\n".count)), "\(block)")
        }
    }
}
