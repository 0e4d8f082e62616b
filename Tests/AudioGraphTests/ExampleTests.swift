import Foundation
import TestSupport
import Testing

/// The examples without a server, built and run as their readers would.
@Suite(.serialized, .ownProcess("starts the built examples")) struct ExampleTests {
    private func run(_ name: String, _ arguments: String...) throws -> [Substring] {
        let output = try Tool.run([Example.path(name)] + arguments)
        return String(decoding: output, as: UTF8.self).split(separator: "\n")
    }

    @Test func aCustomUnitChangesTheSound() throws {
        let lines = try run("CustomUnit")
        let peaks = lines.compactMap { Double($0) }
        // The gain swings twice a second: between 1 and 0.5, then between 1 and 0.2.
        let swing = [1, 0.8, 0.6, 0.8, 1, 1, 0.8, 0.6, 0.8, 1]
        let expected = swing + swing.map { 1 - (1 - $0) * 1.6 }
        #expect(peaks.count == 20 && lines.last == "in C the same")
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

    @Test func aFileIsScheduledInParts() throws {
        let song = MusicFile.constant
        let lines = try run("FromCoreAudio", song.url.path)
        // Completions come on the player's thread.
        let parts = lines.filter { $0.hasPrefix("segment: ") || $0.hasPrefix("file: ") }
        #expect(parts == ["segment: true", "file: true"])
        let count = try song.decodedByMpg123.count / 2
        #expect(lines.contains("\(count) frames of the file"))
    }

    @Test func aSoundGoesAroundTheHead() throws {
        #expect(
            try run("Binaural") == [
                "latency: some frames", "0 degrees: both alike", "90 degrees: right",
                "180 degrees: both alike", "-90 degrees: left",
            ])
    }

    @Test func whatTheDocumentationShowsRuns() throws {
        let lines = try run("FromCoreAudio")
        #expect(lines.contains("running: false") && lines.contains("volume of input 0 0.5"))
    }

    @Test func aSongIsRenderedOffline() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 3)
        let file = folder.url.appendingPathComponent("mix.wav")
        let lines = try run("OfflineRender", song.path, file.path)
        let raw = folder.url.appendingPathComponent("mix.raw").path
        try Tool.run(["sox", file.path, "-t", "f32", raw])
        let mix = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        let decoded = try MusicFile.decodedByMpg123(song)
        #expect(lines == ["\(mix.count / 2) frames"])
        // No silence at the end.
        try #require(mix.count == decoded.count)
        for frame in 0..<(decoded.count / 2) {
            // A stereo song that is panned to the right has half of both sides there; the file has
            // 24 bits.
            let wanted = (decoded[2 * frame] + decoded[2 * frame + 1]) / 4
            try #require(mix[2 * frame] == 0, "frame \(frame)")
            try #require(abs(mix[2 * frame + 1] - wanted) < 2e-7, "frame \(frame)")
        }
    }

    @Test func whatCannotBeOpenedIsSaid() throws {
        let song = try MusicFile.constant.url.path
        let mistakes = [
            ("OfflineRender", ["ftp://x/y", "a.wav"], "ftp://x/y: ftp is not supported"),
            ("OfflineRender", [song, "/nosuch/a.wav"], "/nosuch/a.wav: No such file or directory"),
            ("FromCoreAudio", ["/nosuch.mp3"], "/nosuch.mp3: No such file or directory"),
        ]
        for (name, arguments, text) in mistakes {
            let example = try ChildProcess(Example.path(name), arguments)
            #expect(try example.waitForExit() == .code(1))
            #expect(example.output.contains(text), "\(example.output)")
        }
    }

    @Test func aQueueIsPlayedPausedSoughtAndEnded() throws {
        // The player's thread says on its own when it begins and ends to run, and that of the player
        // before, perhaps late, whether its buffers were played.
        let lines = try run("FromCoreAudio").drop { !$0.hasSuffix("buffers primed") }
            .filter { !["running", "stopped", "true", "false"].contains($0) }
        try #require(lines.count >= 11)
        #expect(lines[0] == "3 buffers primed" && lines[10] == "over, 0 underruns")
        let expected: [(what: String, pitch: Int, time: Double)] = [
            ("before the start", 0, 0), ("first tone", 220, 0.25), ("paused", 0, 0.25),
            ("first tone, softer", 220, 0.5), ("third tone", 294, 1.24),
            ("third tone", 294, 1.49), ("fourth tone", 441, 1.74), ("fourth tone", 441, 1.99),
            ("after the end", 0, 2),
        ]
        for (line, (what, pitch, time)) in zip(lines[1...], expected) {
            let words = line.dropFirst(what.count + 2).split(separator: " ")
            try #require(line.hasPrefix(what + ": ") && words.count == 5)
            // Counted in a quarter of a second, of which a fade is a part.
            #expect(abs(Int(words[0])! - pitch) <= 8 && abs(Double(words[3])! - time) <= 0.011)
        }
    }
}
