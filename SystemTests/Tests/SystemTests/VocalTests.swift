import Foundation
import Rig
import Testing

/// Songs without their voice, as users ask for it.
@Suite(.serialized) struct VocalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    /// A file of interleaved stereo samples at 44.1 kHz.
    private func song(_ samples: [Float]) throws -> String {
        try samples.withUnsafeBytes { try Data($0).write(to: URL(filePath: path("song.f32"))) }
        try Tool.run([
            "sox", "-t", "f32", "-r", "44100", "-c", "2", path("song.f32"), "-e", "float", "-b",
            "32", path("song.wav"),
        ])
        return path("song.wav")
    }

    /// What `render` makes of a file, interleaved; `effect` is its event of that name.
    private func render(
        _ song: String, _ options: [String]
    ) throws -> (samples: [Float], effect: Events.Effects?) {
        let out = path("\(UUID().uuidString).wav")
        let duet = try Duet.run(
            ["render", "--bits", "float", "--no-limiter", "--json"] + options + [song, "-o", out])
        #expect(try duet.child.waitForExit() == .code(0))
        return (try samples(of: out), try duet.first(Events.Effects.self))
    }

    /// The floats of a WAV file as they stand there: sox would make integers of them.
    private func samples(of path: String) throws -> [Float] {
        let file = try Data(contentsOf: URL(filePath: path))
        let head = try #require(file.firstRange(of: Data("data".utf8)))
        return file[(head.upperBound + 4)...].withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
            }
        }
    }

    @Test func aFileWithoutItsVoice() throws {
        let mix = VocalMix(seconds: 5)
        let song = try song(mix.mix)
        let (without, effect) = try render(song, ["--remove-vocals"])
        #expect(without.count == mix.mix.count)
        #expect(StemFigures.distortion(of: without, against: mix.backing) > 7)
        #expect(effect?.frame == 0)
        let vocals = try #require(effect?.vocals)
        #expect(vocals.remove == 100 && vocals.mode == "spectral")
        #expect(vocals.at == 0 && !vocals.only)
        for period in ["1", "65536"] {
            let other = try render(song, ["--remove-vocals=100%", "--period", period]).samples
            #expect(firstDifference(other, without) == nil)
        }
        let only = try render(song, ["--only-vocals"]).samples
        #expect(StemFigures.distortion(of: only, against: mix.voice) > 3.5)
        let plain = try render(song, ["--remove-vocals", "--vocals-mode", "plain"]).samples
        let all = try samples(of: song)
        let expected = stride(from: 0, to: all.count, by: 2).flatMap { n in
            let half = 0.5 * (all[n] - all[n + 1])
            return [half, half]
        }
        #expect(firstDifference(plain, expected) == nil)
    }

    @Test func atNothingTheFileIsTheSame() throws {
        let song = try song(VocalMix(seconds: 2).mix)
        let mix = try samples(of: song)
        let options = ["--remove-vocals=0", "--vocals-mode=plain", "--vocals-at=0.5"]
        for options in [[], options] {
            let (samples, effect) = try render(song, options)
            #expect(firstDifference(samples, mix) == nil && effect == nil)
        }
    }

    private static let mono: [Float] = {
        let mix = VocalMix(seconds: 33).mix
        return mix.indices.map { (mix[$0 & ~1] + mix[$0 | 1]) / 2 }
    }()

    private static let plain =
        "this song is mono: the plain mode takes out all of it, the spectral one the voice"
    private static let spectral = "this song is mono: more of its voice stays"

    /// Both sides of a song are alike: what that means in each mode is told once.
    @Test(arguments: [
        (["--remove-vocals", "--vocals-mode=plain"], [plain]),
        (["--remove-vocals=30", "--vocals-mode=plain"], [plain]),
        (["--only-vocals"], [spectral]), ([], []),
        (["--only-vocals", "--vocals-mode=plain"], []),
        (["--remove-vocals", "--vocals-mode=plain", "--vocals-at=left"], []),
    ])
    func aMonoSongIsTold(options: [String], messages: [String]) throws {
        let song = try song(Self.mono)
        let duet = try Duet.run(
            ["render", "--json"] + options + [song, "-o", path("out.wav")])
        #expect(try duet.child.waitForExit() == .code(0))
        let warnings = try duet.all(Events.Warning.self)
        #expect(warnings.compactMap { $0.message } == messages)
    }

    /// Nobody sings for 90 s: that no voice was found is told once.
    @Test func aSongWithoutAVoiceIsTold() throws {
        let backing = VocalMix(seconds: 20).backing
        let song = try song((0..<6).flatMap { _ in backing })
        let duet = try Duet.run([
            "render", "--json", "--remove-vocals", song, "-o", path("out.wav"),
        ])
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(
            try duet.all(Events.Warning.self).compactMap { $0.message } == [
                "no voice found in 90 s: there is none, or it is off the centre (try --vocals-at)"
            ])
    }

    /// The voice is on the right of the middle; the song begins at its second second.
    @Test func aVoiceElsewhereFromASecondOn() throws {
        let mix = VocalMix(seconds: 5, place: 0.2)
        let song = try song(mix.mix)
        let (samples, effect) = try render(
            song, ["--remove-vocals", "--vocals-at", "0.2", "--start-at", "1"])
        #expect(samples.count == mix.mix.count - 88_200 && effect?.frame == 44_100)
        #expect(
            StemFigures.distortion(of: samples, against: Array(mix.backing[88_200...])) > 7)
    }

    /// By keys, while it plays: a held tone in the middle is no voice, but goes in the plain mode.
    @Test func keysTakeTheVoiceOut() throws {
        let stage = try Stage(period: 1024)
        let duet = try stage.start(["play", stage.song()])
        try duet.wait(for: Events.Playing.self)
        func loudest(after change: Events.Effects? = nil) throws -> Float {
            if let change { try duet.waitUntilHeard(change) }
            let recorder = try Witness(recording: 48_000, of: stage.client, server: stage.server)
            return try recorder.finish().channels.flatMap { $0 }.map(abs).max()!
        }
        let full = try loudest()
        #expect(full > 0.05)
        var told = try duet.wait(for: Events.Effects.self, after: { duet.child.type("v") })
        #expect(try abs(loudest(after: told) - full) < full / 5)
        told = try duet.wait(for: Events.Effects.self, after: { duet.child.type("V") })
        #expect(try loudest(after: told) == 0)
        told = try duet.wait(for: Events.Effects.self, after: { duet.child.type("v") })
        #expect(try abs(loudest(after: told) - full) < 0.001)
        let values = try duet.all(Events.Parameter.self)
        #expect(
            values.map { "\($0.address) \($0.text)" }
                == [
                    "/song/vocals/remove 100 %", "/song/vocals/mode plain",
                    "/song/vocals/remove 0 %",
                ])
        try duet.quit()
    }

    /// Files beside the song take the place of the search: `v` fades to the instrumental, of a song that is
    /// rendered and of one that plays.
    @Test func aFileBesideTheSongIsItsInstrumental() throws {
        let mix = VocalMix(seconds: 3)
        let song = try song(mix.mix)
        try mix.backing.withUnsafeBytes { try Data($0).write(to: URL(filePath: path("b.f32"))) }
        try Tool.run([
            "sox", "-t", "f32", "-r", "44100", "-c", "2", path("b.f32"), "-e", "float", "-b", "32",
            path("song (Instrumental).wav"),
        ])
        #expect(try firstDifference(render(song, []).samples, samples(of: song)) == nil)
        let backing = try samples(of: path("song (Instrumental).wav"))
        #expect(try firstDifference(render(song, ["--remove-vocals"]).samples, backing) == nil)

        let stage = try Stage(period: 1024)
        let played = try stage.song()
        try Tool.run([
            "sox", "-n", "-r", "44100", "-c", "2", stage.path("song (Instrumental).wav"), "trim",
            "0",
            "60",
        ])
        let duet = try stage.start(["play", played])
        try duet.wait(for: Events.Playing.self)
        func loudest(after change: Events.Effects? = nil) throws -> Float {
            if let change { try duet.waitUntilHeard(change) }
            let recorder = try Witness(recording: 24_000, of: stage.client, server: stage.server)
            return try recorder.finish().channels.flatMap { $0 }.map(abs).max()!
        }
        #expect(try loudest() > 0.05)
        let told = try duet.wait(for: Events.Effects.self, after: { duet.child.type("v") })
        #expect(try loudest(after: told) == 0)
        try duet.quit()
    }

    /// Whoever names a file for `render` wants it in the mix: without it there is none.
    @Test(arguments: ["--instrumental", "--vocals"])
    func aNamedFileThatCannotBeUsedEndsRender(option: String) throws {
        let song = try song(VocalMix(seconds: 1).mix)
        try Data("no sound".utf8).write(to: URL(filePath: path("text.wav")))
        for (name, hint) in [("none.wav", "check its name"), ("text.wav", "use an MP3")] {
            let duet = try Duet.run(["render", option, path(name), song, "-o", path("out.wav")])
            #expect(try duet.child.waitForExit() == .code(66))
            #expect(duet.child.errors.contains(name) && duet.child.errors.contains(hint))
            #expect(!FileManager.default.fileExists(atPath: path("out.wav")))
        }
    }

    /// Between a command and the frame from which on it is heard lies half a second at most.
    @Test func aChangeIsHeardSoon() throws {
        let stage = try Stage(period: 1024)
        let (duet, client) = try stage.startCommanded(
            ["play", stage.song()], after: Events.Position.self)
        let changes = [
            "remove 80", "mode plain", "remove 0", "only on", "at 0.3", "mode spectral",
            "only off", "remove 100",
        ]
        for change in changes {
            // The last change follows the one before at once.
            if change != changes.last { try duet.waitForNext(Events.Position.self) }
            var places: [Double] = []
            func look() throws {
                let answer = try client.ask("get /transport/position")
                places.append(try #require(Double(answer.split(separator: " ").last ?? "")))
            }
            // Without anything removed the mode is not heard, and is not told.
            try duet.wait(
                for: Events.Effects.self,
                after: {
                    try look()
                    #expect(try client.ask("set /song/vocals/\(change)").hasPrefix("ok "))
                    try look()
                })
            let told = try #require(try duet.all(Events.Effects.self).last)
            let seconds = Double(told.frame) / 48_000
            // The change was made between the two looks.
            #expect(
                seconds >= places[0] && seconds <= places[1] + 0.5,
                "\(change), \(seconds): \(places)")
        }
        try duet.quit(by: client)
    }
}
