import Foundation
import Rig
import Testing

/// Songs that are taken apart while they play.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LiveSeparationTests {
    private let stage: Stage
    private let mix = VocalMix(seconds: 8)

    init() throws { stage = try Stage(period: 256) }

    /// A file of interleaved stereo samples at 44.1 kHz, played over and over.
    private func song(_ name: String, _ samples: [Float]) throws -> String {
        let (raw, path) = (stage.path("song.f32"), stage.path(name))
        try samples.withUnsafeBytes { try Data($0).write(to: URL(filePath: raw)) }
        try Tool.run([
            "sox", "-t", "f32", "-r", "44100", "-c", "2", raw, "-e", "float", "-b", "32", path,
        ])
        return path
    }

    private func environment(_ faults: [String: String] = [:]) throws -> [String: String?] {
        let separators = try Separators(
            ["demucs"], in: stage.folder, vocals: repeated(mix.voice),
            instrumental: repeated(mix.backing))
        return separators.environment(faults).merging([
            "XDG_CACHE_HOME": stage.path("cache"), "XDG_STATE_HOME": stage.path("state"),
        ]) { $1 }
    }

    /// 32 s of it.
    private func repeated(_ samples: [Float]) -> [Float] {
        Array(repeatElement(samples, count: 4).joined())
    }

    /// `v` is on, the voice found by duet; then a separator is done, and the song goes on with its parts: where it
    /// is, without a frame more or less, and without a step.
    @Test func theSongGoesOverToItsParts() throws {
        let path = try song("song.wav", repeated(mix.mix))
        let (duet, commands) = try stage.startCommanded(
            [
                "play", path, "--remove-vocals", "--no-limiter", "--no-replay-gain", "--no-stay",
            ], environment: environment())
        let client = try #require(try duet.first(Events.Ready.self)).client
        let recorder = try Witness(
            recording: 40 * 48_000, of: client, server: stage.server)
        for _ in 0..<3 { try duet.waitForNext(Events.Position.self) }
        #expect(try commands.ask("trigger /list/separate") == "ok /list/separate")
        for state in ["waiting", "reading", "separating", "fitting", "made"] {
            try duet.wait(for: Events.Backing.self) { $0.state == state }
        }
        let stems = try duet.wait(for: Events.Stems.self)
        #expect(stems.stems == "instrumental" && stems.reason == nil)
        for _ in 0..<8 { try duet.waitForNext(Events.Position.self) }
        let heard = try recorder.stop().channels[0]
        duet.child.signal(SIGTERM)
        _ = try duet.end()
        // The end of what was heard is the instrumental, at the rate of the server.
        let mark = try FileManager.default.contentsOfDirectory(
            atPath: stage.path("cache/duet/stems"))
        let file = stage.path("cache/duet/stems/\(try #require(mark.first))/instrumental.flac")
        let left = try Tool.run([
            "sox", file, "-r", "48000", "-t", "f32", "-c", "1", "-", "remix", "1",
        ]).withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        let end = heard.count - 4800
        // The mix repeats itself: the last place has all before it.
        let found = (0..<left.count - 4800).last { start in
            stride(from: 0, to: 2400, by: 7).allSatisfy {
                abs(left[start + $0] - heard[end - 2400 + $0]) < 2e-3
            }
        }
        let last = try #require(found)
        // Backwards from there: the parts, then the voice that duet found; never another place of the song.
        let count = min(last, end - 2400)
        let known = StemFigures.likeness(
            of: heard[(end - 2400 - 48_000)..<(end - 2400)], to: left[(last - 48_000)..<last])
        #expect(known > 35)
        var worst = Double.infinity
        for second in stride(from: 48_000, to: count - 48_000, by: 24_000) {
            worst = min(
                worst,
                StemFigures.likeness(
                    of: heard[(end - 2400 - second)..<(end - 2400 - second + 24_000)],
                    to: left[(last - second)..<(last - second + 24_000)]))
        }
        print("in step: \(known) dB with its parts, \(worst) dB at the worst before")
        #expect(worst > 0)
        // Where it went over there is no step that the song has not, nor the voice that was found before.
        func step(_ samples: ArraySlice<Float>) -> Float {
            zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
        }
        let over = try #require(
            ((end - 2400 - count + 9600)..<(end - 2400)).last { frame in
                abs(heard[frame] - left[last - (end - 2400 - frame)]) > 1e-3
            })
        let usual = max(step(left[...]), step(heard[(over - 9600)..<(over - 1500)]))
        #expect(step(heard[(over - 1500)..<(over + 500)]) <= usual)
    }

    /// Those of all songs, one after the other; again is a cancel; what cannot be done says why.
    @Test func theSongsThatComeAreTakenApart() throws {
        let songs = [
            try song("one.wav", repeated(mix.mix)),
            try song("two.wav", repeated(mix.mix) + [0, 0]),
        ]
        let environment = try environment(["STEP": "0.3"])
        let (duet, commands) = try stage.startCommanded(
            ["play", "--separate"] + songs, environment: environment)
        for song in songs {
            let made = try duet.wait(for: Events.Backing.self) {
                $0.url == song && $0.state == "made"
            }
            #expect(made.folder?.hasPrefix(stage.path("cache/duet/stems/")) == true)
        }
        let progress = try duet.all(Events.Backing.self).compactMap(\.progress)
        #expect(progress.first == 0 && progress.contains(0.5) && progress.contains(1))
        // A song that has one is left alone.
        #expect(try commands.ask("trigger /list/separate") == "ok /list/separate")
        try duet.waitForNext(Events.Position.self)
        #expect(try duet.all(Events.Backing.self).last?.state == "made")
        duet.child.signal(SIGTERM)
        _ = try duet.end()
    }

    @Test func theListShowsHowFarItIs() throws {
        let path = try song("song.wav", repeated(mix.mix))
        let environment = try environment(["STEP": "0.8"]).compactMapValues { $0 }
        let screen = try stage.screen(["play", path, "--loop"], environment: environment)
        try screen.wait(for: "▶ 0:01")
        try screen.type("PS")
        try screen.wait(for: "making the backing of song.wav")
        try screen.wait(for: "song.wav (backing 50 %)")
        try screen.type("S")
        try screen.wait(for: "cancelled: the backing of song.wav")
        try screen.wait { !$0.joined().contains("(backing") }
        try screen.type("S")
        try screen.wait(for: "song.wav (backing)")
        try screen.press("Escape")
        try screen.wait(for: "vocals: separated")
        try screen.type("v")
        try screen.wait(for: "vocals removed 100 %: separated")
        try screen.press("C-c")
        try screen.waitForEnd()
    }

    /// While a separator has all processors busy, a song is heard without a gap by somebody else.
    @Test func theSingerHearsNoGap() throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let (duet, commands) = try stage.startCommanded(
            ["play", song.path, "--no-replay-gain", "--no-limiter"],
            environment: environment(["BUSY": "6", "STEP": "2"]))
        let client = try #require(try duet.first(Events.Ready.self)).client
        let recorder = try Witness(
            recording: 60 * 48_000, of: client, server: stage.server)
        #expect(try commands.ask("trigger /list/separate") == "ok /list/separate")
        try duet.wait(for: Events.Backing.self) { $0.progress == 0.25 }
        try duet.wait(for: Events.Backing.self) { $0.progress == 1 }
        try song.expectUnbroken(recorder.stop(), of: duet)
        duet.child.signal(SIGTERM)
        _ = try duet.end()
    }
}
