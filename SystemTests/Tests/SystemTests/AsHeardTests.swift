import Foundation
import Rig
import Testing

/// `render --as-heard` gives what was heard, bit for bit.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct AsHeardTests {
    private let stage: Stage
    private let takes: String

    init() throws {
        stage = try Stage(period: 1024)
        takes = stage.path("takes")
    }

    private func wait(seconds: Double, of duet: Duet) throws {
        let start = try duet.waitForNext(Events.Position.self).seconds
        try duet.wait(for: Events.Position.self) { $0.seconds >= start + seconds }
    }

    /// Sings with the song's own sound, which returns through a cable, and changes the mix meanwhile.
    ///
    /// - Parameter before: what is asked for before the take begins; nil: it begins with the run.
    private func sing(before: [String]? = nil, _ commands: [String]) throws -> RecordedTake {
        let song = try NoiseSong(in: stage.folder, seconds: 90)
        let cable = try Witness(cable: "cable", delay: 777, server: stage.server)
        let duet = try stage.start(
            [
                "sing", song.path, "--mic-volume", "0.3", "--no-replay-gain",
                "--out", "^cable:", "--mic", "^cable:", "--record=\(takes)",
            ], takesCommands: true)
        try duet.wait(for: Events.Take.self) { $0.state == "recording" }
        let client = try stage.commands()
        func ask(_ commands: [String]) throws {
            for command in commands {
                try wait(seconds: 0.3, of: duet)
                #expect(try client.ask(command).hasPrefix("ok"), "\(command)")
            }
        }
        if let before {
            try ask(["set /record off"] + before + ["set /record on"])
            // What sounds on decays.
            try wait(seconds: 6, of: duet)
        }
        try ask(commands)
        // The last change is heard in the take's last cycles.
        try duet.quit()
        try cable.end()
        return try #require(try RecordedTake.all(in: takes).last)
    }

    /// The samples of the take's mix, and of what `--as-heard` makes of it.
    private func samples(_ take: RecordedTake) throws -> (heard: [Float], repeated: [Float]) {
        let out = stage.path("out.wav")
        let duet = try Duet.run(["render", take.folder.path, "--as-heard", "-o", out])
        #expect(duet.exit == .code(0), "\(duet.errors)")
        #expect(!duet.errors.contains("not exactly"), "\(duet.errors)")
        func read(_ path: String) throws -> [Float] {
            try Tool.run(["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-"])
                .withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        }
        let heard = try read(take.folder.appendingPathComponent("mix.wav").path)
        let repeated = try read(out)
        #expect(heard.count == repeated.count)
        #expect(heard.contains { abs($0) > 0.01 })
        return (heard, repeated)
    }

    private static let changes = [
        "set /song/volume 0.5", "set /mic/pan left", "set /mic/mute on", "set /mic/mute off",
        "set /song/solo on", "set /song/solo off", "set /mic/pan centre", "set /mic/preset hall",
        "set /mic/volume 0.2", "set /mic/preset dry", "set /song/eq/preset rock",
        "set /out/volume 0.7",
    ]

    @Test func whatWasSungIsRepeated() throws {
        let take = try sing(Self.changes)
        let (heard, repeated) = try samples(take)
        let different = heard.indices.filter {
            heard[$0].bitPattern != repeated[$0].bitPattern
        }
        let (changes, lead) = (try take.facts.changes.map(\.frame), try take.facts.lead)
        #expect(
            different.isEmpty,
            """
            samples \(different.first ?? 0)…\(different.last ?? 0); lead \(lead), changes in \
            frames \(changes)
            """)
    }

    /// A take that begins while a reverb sounds is the same once that has decayed.
    @Test func aLaterTakeIsRepeatedOnceTheReverbHasDecayed() throws {
        let take = try sing(
            before: ["set /mic/preset hall", "set /mic/echo on", "set /song/volume 0.8"],
            Array(Self.changes.prefix(6)))
        let (heard, repeated) = try samples(take)
        let difference = zip(heard, repeated).map { abs($0 - $1) }
        let decayed = 2 * 48_000 * 6
        try #require(difference.count > decayed + 2 * 48_000 * 3)
        #expect(difference[..<decayed].contains { $0 > 0 }, "nothing sounded on")
        let largest = difference[decayed...].max() ?? 1
        #expect(largest < 1e-5, "\(largest) of full scale")
    }

    /// The late frames of voice processing cannot be repeated: the take says so, and so does the mix.
    @Test func noPromiseIsGivenForVoiceProcessing() throws {
        let take = try sing(["set /mic/voice-processing on", "set /mic/voice-processing off"])
        #expect(try take.facts.notAsHeard == ["voice-processing"])
        let duet = try Duet.run(
            ["render", take.folder.path, "--as-heard", "-o", stage.path("out.wav")])
        #expect(duet.exit == .code(0))
        #expect(
            (duet.output + duet.errors).contains(
                "not exactly as heard: voice processing cannot be repeated exactly"))
    }
}
