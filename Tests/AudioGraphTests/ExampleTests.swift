import Foundation
import TestSupport
import Testing

/// The packages in Examples, built and run as their readers would.
@Suite(.serialized) struct ExampleTests {
    private func run(_ name: String) throws -> [Substring] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let output = try Tool.run(
            [
                "swift", "run", "--quiet", "--package-path", root.path + "/Examples/\(name)",
                "--scratch-path", root.path + "/.build-examples", name,
            ])
        return String(decoding: output, as: UTF8.self).split(separator: "\n")
    }

    @Test func aCustomUnitChangesTheSound() throws {
        let peaks = try run("CustomUnit").compactMap { Double($0) }
        // The gain swings between 1 and 0.5 twice a second.
        let expected = [1, 0.8, 0.6, 0.8, 1, 1, 0.8, 0.6, 0.8, 1]
        #expect(peaks.count == 10)
        #expect(zip(peaks, expected).allSatisfy { abs($0 - $1) < 0.001 }, "\(peaks)")
    }

    @Test func aRenderCallbackPlaysAndFails() throws {
        let lines = try run("RenderCallback")
        try #require(lines.count == 4)
        #expect(lines[0].hasPrefix("second 1: peak 0.49") && lines[0].hasSuffix("no error"))
        #expect(lines[1] == "second 2: peak 0.0, no error")
        #expect(lines[2] == "second 3: peak 0.0, failed with -1")
        #expect(lines[3] == "144000 frames")
    }
}
