import Foundation
import Rig
import Testing

/// Four singers in the built program, on a real server.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct FourMicsTests {
    private static let ports = ["mic", "mic_2", "mic_3", "mic_4"]
    private let stage: Stage
    private let takes: String

    init() throws {
        stage = try Stage(period: 1024)
        takes = stage.path("takes")
    }

    private func start(_ options: [String], takesCommands: Bool = false) throws -> Duet {
        let duet = try stage.start(
            [
                "sing", NoiseSong(in: stage.folder, seconds: 60).path, "--mic", "none",
                "--second-mic", "none", "--third-mic", "none", "--fourth-mic", "none",
                "--no-replay-gain",
            ] + options, isHeard: false, takesCommands: takesCommands)
        try duet.wait(for: Events.Playing.self)
        // By then the microphones have faded in.
        for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        return duet
    }

    /// Four voices for the four ports, each with a noise of its own.
    private func voices(_ options: [String], record: Int = 0) throws -> Witness {
        let wires = Self.ports.enumerated().flatMap { channel, port in
            ["--noise", "\(5 + channel)", "--connect-to", "\(stage.client):\(port):\(channel)"]
        }
        return try Witness(wires + options + ["--wait"], server: stage.server, record: record)
    }

    private func noise(_ channel: Int, _ count: Int) -> [Float] {
        Noise(seed: UInt64(5 + channel)).prefix(count)
    }

    /// What another program records of four voices is the formula, bit for bit: each with its own
    /// volume and pan, in the mix and at outputs of its own.
    @Test func allSingersEqualTheFormula() throws {
        let volumes: [Float] = [0.5, 0.25, 0.125, 0.5]
        let duet = try start(
            ["--direct-outs", "--song-volume", "0"]
                + zip(["mic", "mic2", "mic3", "mic4"], volumes).enumerated().flatMap {
                    number, mic in
                    [
                        "--set", "/\(mic.0)/volume=\(mic.1)", "--set",
                        "/\(mic.0)/pan=\(number % 2 == 0 ? "left" : "right")",
                    ]
                })
        let listed = Set(
            try stage.server.tool("jack_lsp", []).split(separator: "\n")
                .filter { $0.hasPrefix(stage.client) }.map { $0.dropFirst(stage.client.count + 1) })
        let sources = (["song"] + Self.ports).map { "\($0)_" } + [""]
        let outputs = sources.flatMap { ["\($0)out_left", "\($0)out_right"] }
        #expect(listed == Set((Self.ports + outputs).map { Substring($0) }))
        let names = try stage.server.tool("jack_property", ["-l"])
        for name in ["Second", "Third", "Fourth"] {
            #expect(names.contains("value: \(name) microphone "))
        }
        let recorded =
            ["out_left", "out_right"]
            + Self.ports.enumerated().map { "\($1)_out_\($0 % 2 == 0 ? "left" : "right")" }
        let witness = try voices(
            ["--frames", "9600"]
                + recorded.enumerated().flatMap {
                    ["--connect-from", "\(stage.client):\($1):\($0)"]
                }, record: 6)
        try witness.begin()
        let heard = try witness.finish().channels
        let start = try #require(heard[0].firstIndex { $0 != 0 })
        let sung = volumes.enumerated().map { number, volume in
            noise(number, 9600 - start).map { $0 * volume }
        }
        for (number, voice) in sung.enumerated() {
            #expect(firstDifference(heard[2 + number][start...], voice) == nil, "\(number)")
        }
        for side in 0..<2 {
            let sum = zip(sung[side], sung[side + 2]).map { $0 + $1 }
            #expect(firstDifference(heard[side][start...], sum) == nil)
        }
        try duet.quit()
    }

    /// Each voice has a file of its own in a take, bit for bit, and the take is mixed again as it was
    /// heard; it is played, too.
    @Test func aTakeHasFourVoices() throws {
        let duet = try start(
            ["--record=\(takes)", "--song-volume", "0.3", "--set", "/mic4/volume=0.1"],
            takesCommands: true)
        let client = try stage.commands()
        let witness = try voices(["--frames", "288000"])
        try witness.begin()
        for command in [
            "set /mic3/preset hall", "set /mic3/pan left", "set /mic4/mute on",
            "set /mic4/mute off",
            "set /mic2/volume 0.2",
        ] {
            #expect(try client.ask(command).hasPrefix("ok"), "\(command)")
            try duet.waitForNext(Events.Position.self)
        }
        _ = try witness.finish()
        try duet.quit()
        let take = try #require(try RecordedTake.all(in: takes).last)
        let files = ["voice.wav", "voice2.wav", "voice3.wav", "voice4.wav"]
        #expect(try take.facts.files == ["song.wav"] + files + ["mix.wav"])
        #expect(try take.names == Set(["song.wav", "mix.wav", "take.json"] + files))
        var starts: Set<Int> = []
        for (number, name) in files.enumerated() {
            let voice = try take.channels(name)
            #expect(voice.count == 1)
            let start = try #require(voice[0].firstIndex { $0 != 0 })
            starts.insert(start)
            let sung = voice[0][start..<(start + 96_000)]
            #expect(firstDifference(sung, noise(number, 96_000)) == nil, "\(name)")
        }
        #expect(starts.count == 1, "\(starts)")

        let out = stage.path("out.wav")
        let again = try Duet.run(["render", take.folder.path, "--as-heard", "-o", out])
        #expect(again.exit == .code(0) && !again.errors.contains("not exactly"), "\(again.errors)")
        func samples(_ path: String) throws -> [Float] {
            try Tool.run(["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-"])
                .withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        }
        let heard = try samples(take.folder.appendingPathComponent("mix.wav").path)
        #expect(heard.contains { abs($0) > 0.01 })
        #expect(try firstDifference(samples(out)[...], heard) == nil)

        // Played, each voice has its strip.
        let played = try stage.start(
            ["play", take.folder.path, "--levels"], as: Duet.clientName(), isHeard: false)
        let levels = try played.wait(for: Events.Levels.self) { ($0.mic4?.peak[0] ?? -120) > -60 }
        #expect(levels.mic3.map { $0.peak[0] > -120 } == true)
        try played.quit()
    }

    /// Their meters are their own, their channels are selected by tab, and keys reach them.
    @Test func keysAndLevelsReachThem() throws {
        let duet = try start(["--levels"])
        let singer = try Witness(
            [
                "--noise", "5", "--frames", "480000", "--connect-to", "\(stage.client):mic_3:0",
                "--wait",
            ], server: stage.server)
        try singer.begin()
        let loud = try duet.wait(for: Events.Levels.self) { ($0.mic3?.peak[0] ?? -120) > -20 }
        #expect(loud.mic?.peak == [-120, -120] && loud.mic2?.peak == [-120, -120])
        #expect(loud.mic4?.peak == [-120, -120])
        for (keys, address, text) in [
            ("3", "/mic3/mute", "on"), ("4", "/mic4/mute", "on"), ("\t\t\t\t", "/strip", "mic4"),
            ("\u{1B}[1;2C", "/mic4/pan", "0.10"), ("j", "/mic4/preset", "natural"),
            ("J", "/mic4/preset", "dry"),
        ] {
            duet.child.type(keys)
            try duet.wait(for: Events.Parameter.self) { $0.address == address && $0.text == text }
        }
        try duet.quit()
        _ = try singer.finish()
    }

    /// On a small terminal each singer has a strip, in both views.
    @Test(arguments: [(60, 16), (80, 24)]) func theScreenHoldsThem(columns: Int, rows: Int) throws {
        let words = [
            "sing", try stage.song(), "--mic", "none", "--second-mic", "none", "--third-mic",
            "none",
            "--fourth-mic", "none", "--out", "none",
        ]
        let screen = try stage.screen(words, columns: columns, rows: rows)
        try screen.wait { lines in
            lines.contains { line in
                ["song", "mic ", "mic2", "mic3", "mic4", "out"].allSatisfy(line.contains)
            }
        }
        try screen.press("4")
        try screen.wait { lines in lines.contains { $0.contains(" mic4 muted") } }
        try screen.press("q")
        try screen.wait(for: "stopped 0:0")
    }
}
