import Foundation
import Rig
import Testing

/// The song in another key and at another tempo, as users ask for it.
@Suite(.serialized) struct TuningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    /// The left side of a sound file, by sox.
    private func samples(_ path: String) throws -> [Float] {
        try Tool.run(["sox", "-D", path, "-t", "f32", "-", "remix", "1"])
            .withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
    }

    /// The file that `render` writes of 4 s of 440 Hz.
    private func render(_ options: String...) throws -> (duet: Duet, samples: [Float]) {
        let song = try folder.song("\(UUID().uuidString).mp3", seconds: 4)
        let out = path("\(UUID().uuidString).wav")
        let duet = try Duet.run(
            ["render", song.path, "-o", out, "--bits", "float", "--json"] + options)
        #expect(try duet.child.waitForExit() == .code(0))
        return (duet, try samples(out))
    }

    /// By the ways up through zero between `from` and `to`.
    private func frequency(_ samples: [Float], from: Int, to: Int) -> Double {
        var crossings: [Double] = []
        for n in from..<to where samples[n - 1] < 0 && samples[n] >= 0 {
            crossings.append(
                Double(n - 1) + Double(-samples[n - 1] / (samples[n] - samples[n - 1])))
        }
        guard crossings.count > 1 else { return 0 }
        return Double(crossings.count - 1) * 48_000 / (crossings.last! - crossings[0])
    }

    @Test(arguments: [
        (["--key", "2"], 493.883, 192_000), (["--tempo", "80"], 440, 240_000),
        (["--varispeed", "80"], 352, 240_000), (["--key=-12", "--tempo=200"], 220, 96_000),
        (["--set", "/song/key=0.5"], 452.893, 192_000),
    ])
    func aFileInAnotherKey(options: [String], pitch: Double, frames: Int) throws {
        let song = try folder.song(seconds: 4)
        let duet = try Duet.run(
            ["render", song.path, "-o", path("out.wav"), "--bits", "float", "--json"] + options)
        #expect(try duet.child.waitForExit() == .code(0))
        // The library prints warnings when it is used in a wrong way.
        #expect(duet.child.errors == "")
        let heard = try samples(path("out.wav"))
        #expect(abs(heard.count - frames) <= 1)
        #expect(abs(frequency(heard, from: 4800, to: heard.count - 4800) / pitch - 1) < 0.0002)
        #expect(try duet.first(Events.Effects.self)?.frame == 0)
        #expect(try duet.first(Events.Bye.self)?.frames == heard.count)
    }

    @Test func thePeriodDoesNotMatter() throws {
        let (_, first) = try render("--key", "3", "--tempo", "90", "--period", "1000")
        for period in ["1", "65536"] {
            let other = try render("--key", "3", "--tempo", "90", "--period", period).samples
            #expect(firstDifference(other, first) == nil)
        }
    }

    @Test func withoutAKeyTheSongIsTheSame() throws {
        let (plain, first) = try render()
        let (asked, second) = try render("--key", "0", "--tempo", "100", "--varispeed", "100%")
        #expect(first == second && first.count == 192_000)
        #expect(
            try plain.first(Events.Effects.self) == nil && asked.first(Events.Effects.self) == nil)
    }

    /// The first second is skipped, a second and a half of the file is three quarters of that in the song.
    @Test func aStretchOfASlowSong() throws {
        let (duet, heard) = try render("--start-at", "1", "--duration", "1.5", "--tempo", "50")
        #expect(heard.count == 72_000)
        #expect(try duet.first(Events.Effects.self)?.frame == 48_000)
        let (_, rest) = try render("--start-at", "2", "--tempo", "50")
        #expect(abs(rest.count - 4 * 48_000) <= 1)
    }

    /// By keys, while it plays: heard from the frame on that is told.
    @Test func keysChangeTheKey() throws {
        let stage = try Stage(period: 1024)
        let duet = try stage.start(["play", stage.song()])
        try duet.wait(for: Events.Playing.self)
        try duet.wait(for: Events.Effects.self, after: { duet.child.type("K") })
        try duet.wait(for: Events.Effects.self, after: { duet.child.type("K") })
        try duet.wait(for: Events.Effects.self, after: { duet.child.type("t") })
        let values = try duet.all(Events.Parameter.self)
        #expect(
            values.map { "\($0.address) \($0.text)" }
                == ["/song/key +1", "/song/key +2", "/song/tempo 95 %"])
        let told = try #require(try duet.all(Events.Effects.self).last)
        #expect(told.key == 2 && told.tempo == 95)
        try duet.waitUntilHeard(told)
        let recorder = try Witness(recording: 96_000, of: stage.client, server: stage.server)
        let heard = try recorder.finish().channels[0]
        #expect(abs(frequency(heard, from: 24_000, to: 90_000) - 493.883) < 0.5)
        try duet.quit()
    }

    /// Between the command and the frame from which on the song sounds otherwise lies half a second of
    /// the song at most.
    @Test func aChangeIsHeardSoon() throws {
        let stage = try Stage(period: 1024)
        let (duet, client) = try stage.startCommanded(
            ["play", stage.song()], after: Events.Position.self)
        for (address, value) in [("key", "3"), ("key", "0"), ("varispeed", "90"), ("tempo", "80")] {
            try duet.waitForNext(Events.Position.self)
            var places: [Double] = []
            func look() throws {
                let answer = try client.ask("get /transport/position")
                places.append(try #require(Double(answer.split(separator: " ").last ?? "")))
            }
            try duet.wait(
                for: Events.Effects.self,
                after: {
                    try look()
                    _ = try client.ask("set /song/\(address) \(value)")
                    try look()
                })
            let told = try #require(try duet.all(Events.Effects.self).last)
            let seconds = Double(told.frame) / 48_000
            // The change was made between the two looks.
            #expect(seconds >= places[0] && seconds <= places[1] + 0.5, "\(seconds): \(places)")
        }
        try duet.quit(by: client)
    }

    /// A song that JACK's transport moves keeps its tempo, and says so.
    @Test func theTransportHoldsTheTempo() throws {
        let stage = try Stage()
        let (duet, client) = try stage.startCommanded([
            "play", stage.song(), "--transport", "lead", "--tempo", "80", "--key", "2",
        ])
        let warnings = try duet.all(Events.Warning.self)
        #expect(
            warnings.contains {
                $0.message.contains("transport holds the tempo at 100 %")
            })
        #expect(
            try client.ask("set /song/tempo 90")
                == "error JACK's transport holds the tempo at 100 %: only the key can be changed")
        #expect(try client.ask("set /song/varispeed 90").hasPrefix("error JACK's transport"))
        #expect(try client.ask("set /song/tempo 100") == "ok /song/tempo 100")
        var answer = ""
        try duet.wait(
            for: Events.Effects.self, after: { answer = try client.ask("set /song/key 1") })
        #expect(answer == "ok /song/key 1")
        #expect(
            try duet.all(Events.Effects.self).allSatisfy { $0.tempo == 100 })
        try duet.quit(by: client)
    }

    /// A station keeps its tempo, and says so; its key changes.
    @Test func aStationKeepsItsTempo() throws {
        let stage = try Stage()
        let station = try Icecast(name: "Radio Q", song: folder.song(seconds: 10, rate: 44_100))
        let (duet, client) = try stage.startCommanded(["play", station.address, "--tempo", "80"])
        #expect(
            try duet.all(Events.Warning.self).contains {
                $0.message.contains("keeps its own tempo")
            })
        #expect(
            try client.ask("set /song/tempo 90")
                == "error a live stream keeps its own tempo: only its key can be changed")
        var answer = ""
        try duet.wait(
            for: Events.Effects.self, after: { answer = try client.ask("set /song/key -2.5") })
        #expect(answer == "ok /song/key -2.5")
        #expect(try duet.first(Events.Effects.self)?.tempo == 100)
        try duet.quit(by: client)
    }
}
