import Foundation
import TestSupport
import Testing

@Suite struct ReadmeTests {
    @Test func theExampleInTheReadmeIsTheOneThatCompiles() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let example = try String(
            contentsOf: here.appending(path: "ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(
            contentsOf: here.appending(path: "../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n" + example + "```"))
    }

    @Test func theExampleDoesWhatItSays() throws {
        // More frames than the ring holds, and no multiple of what is rendered at once.
        let song = [Float](repeating: 0.25, count: 2 * 30_001)
        let voice = Signal.sine(30_001)
        let out = try singOffline(song: song, voice: voice)
        let gain = Float(0.501187233627272)
        #expect(out[0] == voice.map { $0 * gain })
        #expect(out[1].allSatisfy { $0 == 0.25 })
    }
}
