import Foundation
import Rig
import Testing

/// `render`, from files and from the web, compared with the output of other programs.
@Suite struct RenderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func render(_ arguments: String...) throws -> Duet {
        try Duet.run(["render"] + arguments)
    }

    /// Interleaved stereo floats of a sound file, by sox.
    private func samples(_ path: String, _ type: String? = nil) throws -> [Float] {
        let raw = path + ".f32"
        let types = type.map { ["-t", $0] } ?? []
        let sox = try ChildProcess("sox", ["-D"] + types + [path, "-t", "f32", raw])
        guard try sox.waitForExit() == .code(0) else {
            throw ChildProcess.Failure(description: sox.errors)
        }
        return try Data(contentsOf: URL(fileURLWithPath: raw))
            .withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
    }

    @Test func theSongAloneIsWhatMpg123Decodes() throws {
        let song = try folder.song(seconds: 2, rate: 44_100)
        let duet = try render(song.path, "-o", path("out.wav"), "--bits", "float")
        #expect(try duet.child.waitForExit() == .code(0))
        let decoder = try ChildProcess(
            "mpg123", ["-q", "-e", "f32", "-w", path("peer.wav"), song.path])
        #expect(try decoder.waitForExit() == .code(0))
        let ours = try samples(path("out.wav"))
        #expect(ours.count == 2 * 2 * 44_100)
        #expect(ours == (try samples(path("peer.wav"))))
    }

    @Test func thePeriodDoesNotMatter() throws {
        let song = try folder.song(seconds: 2)
        let voice = try folder.song("voice.mp3", seconds: 1, frequency: 330)
        var files: [Data] = []
        for period in ["1", "480", "1024", "65536"] {
            let out = path("\(period).wav")
            let duet = try render(
                song.path, "--voice", voice.path, "-o", out, "--period", period, "--mic-pan",
                "-0.3", "--song-volume", "3", "--bits", "float")
            #expect(try duet.child.waitForExit() == .code(0))
            files.append(try Data(contentsOf: URL(fileURLWithPath: out)))
        }
        #expect(files.allSatisfy { $0 == files[0] })
        #expect(files[0].count > 2 * 48_000 * 8)
    }

    /// A hall and an echo ring out, to where nothing is heard any more.
    @Test(arguments: [("hall", 2.0...8.0), ("echo", 1.0...6.0), ("dry", 0...0)])
    func whatRingsOnIsKept(preset: String, rest: ClosedRange<Double>) throws {
        let song = try folder.song(seconds: 1)
        let voice = try folder.song("voice.mp3", seconds: 1, frequency: 330)
        let duet = try render(
            song.path, "--voice", voice.path, "-o", path("out.wav"), "--song-volume", "0",
            "--mic-preset", preset)
        #expect(try duet.child.waitForExit() == .code(0))
        let all = try samples(path("out.wav"))
        let seconds = Double(all.count / 2) / 48_000
        #expect(rest.contains(seconds - 1), "\(seconds) s")
        #expect(rest == 0...0 || all.suffix(480).allSatisfy { abs($0) < 0.002 })
    }

    @Test func songRightAndVoiceLeft() throws {
        let song = try folder.song(seconds: 1)
        let voice = try folder.song("voice.mp3", seconds: 2, frequency: 330)
        let duet = try render(
            song.path, "--voice", voice.path, "-o", path("out.wav"), "--song-pan", "right",
            "--mic-pan", "left", "--bits", "float")
        #expect(try duet.child.waitForExit() == .code(0))
        let mixed = try samples(path("out.wav"))
        // The mix is as long as the longer of song and voice.
        #expect(mixed.count == 2 * 2 * 48_000)
        _ = try render(song.path, "-o", path("song.wav"), "--bits", "float")
        _ = try render(voice.path, "-o", path("voice.wav"), "--bits", "float")
        let alone = (song: try samples(path("song.wav")), voice: try samples(path("voice.wav")))
        // Both files have two equal channels, so folding them to one side gives that channel again.
        for frame in 0..<48_000 {
            try #require(mixed[2 * frame] == alone.voice[2 * frame])
            try #require(abs(mixed[2 * frame + 1] - alone.song[2 * frame + 1]) < 1e-7)
        }
        #expect((48_000..<96_000).allSatisfy { mixed[2 * $0 + 1] == 0 })
    }

    /// A voice that is processed is heard when it was sung, and to its last frame.
    @Test func aProcessedVoiceIsNotLate() throws {
        let song = try folder.song(seconds: 1)
        let voice = path("voice.wav")
        // Half a second of silence, a burst of noise, and silence again.
        try Tool.run([
            "sox", "-R", "-n", "-r", "48000", "-c", "1", voice, "synth", "0.1", "whitenoise", "vol",
            "0.5", "pad", "0.5", "1",
        ])
        func burst(_ options: [String]) throws -> (start: Int?, count: Int) {
            let out = path("burst.wav")
            let duet = try Duet.run(
                ["render", song.path, "--voice", voice, "-o", out, "--song-volume", "0"]
                    + ["--bits", "float"] + options)
            #expect(try duet.child.waitForExit() == .code(0))
            let mixed = try samples(out)
            return (mixed.firstIndex { abs($0) > 0.01 }.map { $0 / 2 }, mixed.count / 2)
        }
        let plain = try burst([])
        #expect(plain.start.map { (24_000..<24_010).contains($0) } == true)
        for options in [["--voice-processing"], ["--mic-azimuth", "0"]] {
            let processed = try burst(options)
            let start = try #require(processed.start)
            #expect(abs(start - (plain.start ?? 0)) <= 480, "\(options): \(start)")
            #expect(processed.count == plain.count)
        }
    }

    /// A program that plays songs from the web may end by `exit`: OpenSSL's handler, which would free what
    /// the thread of such a song frees at its end, is never registered.
    @Test func openSSLHasNoExitHandler() throws {
        let exit = try Preload("tell-exit", in: folder)
        _ = try folder.song(seconds: 1)
        let web = try FileServer(root: folder.url)
        let duet = try Duet.run(
            ["render", web.url("song.mp3"), "-o", path("out.wav")], environment: exit.environment)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(unlink(path("hold.libcrypto")) == 0 && unlink(path("hold.openssl")) != 0)
    }

    /// The end runs no exit handler of a library: a thread that was left behind may use it still.
    @Test func theEndLeavesLibrariesAlone() throws {
        let exit = try Preload("tell-exit", in: folder)
        let song = try folder.song(seconds: 1).path
        for (name, code) in [(song, Int32(0)), (path("none.mp3"), 66)] {
            let duet = try Duet.run(
                ["render", name, "-o", path("out.wav")], environment: exit.environment)
            #expect(try duet.child.waitForExit() == .code(code))
            #expect(!exit.holds && unlink(path("hold.quick")) == 0)
        }
    }

    @Test func aStretchAtAnotherRateFromTheWeb() throws {
        _ = try folder.song(seconds: 3, rate: 44_100)
        let web = try FileServer(root: folder.url)
        let duet = try render(
            web.url("song.mp3"), "-o", path("out.flac"), "--rate", "32000", "--start-at", "0:01",
            "--duration", "1.5", "--bits", "16", "--json")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Source.self)?.rate == 44_100)
        #expect(try duet.first(Events.Bye.self)?.frames == 48_000)
        #expect(try samples(path("out.flac")).count == 2 * 48_000)
    }

    @Test func soundFilesAreSongsToo() throws {
        let song = try folder.song(seconds: 1, rate: 22_050)
        _ = try render(song.path, "-o", path("first.wav"), "--bits", "float")
        let duet = try render(path("first.wav"), "-o", path("second.wav"), "--bits", "float")
        #expect(try duet.child.waitForExit() == .code(0))
        let both = (try samples(path("first.wav")), try samples(path("second.wav")))
        #expect(both.0 == both.1)
        #expect(both.0.count == 2 * 22_050)
    }

    /// Options of a microphone change nothing where no voice is given, which is said.
    @Test func withoutAVoiceItsOptionsAreNamed() throws {
        let song = try folder.song(seconds: 0.5)
        let duet = try render(
            song.path, "-o", path("out.wav"), "--json", "--mic-preset", "plate", "--duck=-6")
        #expect(try duet.child.waitForExit() == .code(0))
        let message = try duet.first(Events.Warning.self)?.message
        #expect(message?.hasPrefix("--mic-preset, --duck: without --voice") == true)
        let plain = try render(song.path, "-o", path("out.wav"), "--json")
        #expect(try plain.first(Events.Warning.self) == nil)
        let sung = try render(
            song.path, "-o", path("out.wav"), "--json", "--duck", "--voice", song.path)
        #expect(try sung.first(Events.Warning.self) == nil)
    }

    /// A file that was stopped before its end holds what was rendered, and is not taken for a whole
    /// one.
    @Test(arguments: [SIGINT, SIGTERM]) func aStopIsNoEnd(signal: Int32) throws {
        let song = try folder.song(seconds: 10)
        let duet = try Duet([
            "render", song.path, "-o", path("out.wav"), "--loop", "--duration", "100:00:00",
            "--json",
        ])
        #expect(
            poll {
                (try? Data(contentsOf: URL(fileURLWithPath: path("out.wav.part"))).count) ?? 0
                    > 1 << 20
            })
        duet.child.signal(signal)
        #expect(try duet.child.waitForExit() == .code(130))
        #expect(try duet.first(Events.Failure.self)?.code == 130)
        let frames = try #require(try duet.first(Events.Bye.self)?.frames)
        #expect(try samples(path("out.wav.part"), "wav").count == 2 * frames && frames > 1000)
        let seconds = String(format: "%.3f", Double(frames) / 48_000)
        #expect(
            duet.complaint == [
                "duet: stopped; \(seconds) s are in \(path("out.wav.part"))"
            ])
    }

    static let failing: [([String], Int32)] = [
        (["no-such-song.mp3", "-o", "OUT.wav"], 66), (["/media", "-o", "OUT.wav"], 66),
        (["SONG", "--voice", "no-such-voice.wav", "-o", "OUT.wav"], 66),
        (["SONG", "-o", "/no-such-folder/out.wav"], 73), (["SONG", "-o", "OUT.aac"], 64),
        (["SONG", "-o", "OUT.flac", "--bits", "float"], 64), (["SONG"], 64),
        (["SONG", "-o", "OUT.wav", "--bits", "8"], 64),
        (["SONG", "-o", "OUT.wav", "--rate", "1"], 64),
        (["SONG", "-o", "OUT.wav", "--period", "0"], 64),
    ]

    @Test(arguments: failing)
    func failures(arguments: [String], code: Int32) throws {
        let song = try folder.song(seconds: 0.5)
        let duet = try Duet.run(
            ["render"]
                + arguments.map {
                    $0.replacing("SONG", with: song.path).replacing("OUT", with: path("out"))
                })
        #expect(try duet.child.waitForExit() == .code(code))
        #expect(duet.complaint.count == 1)
        for ending in ["wav", "flac", "ogg"] {
            #expect(!FileManager.default.fileExists(atPath: path("out.\(ending)")))
        }
    }

    @Test(arguments: ["song.wav", "link.wav", "voice.wav"])
    func whatIsReadIsNotWritten(output: String) throws {
        let source = try folder.song(seconds: 0.5)
        for name in ["song.wav", "voice.wav"] { _ = try render(source.path, "-o", path(name)) }
        try FileManager.default.createSymbolicLink(
            atPath: path("link.wav"), withDestinationPath: path("song.wav"))
        let target = path(output == "link.wav" ? "song.wav" : output)
        let before = try Data(contentsOf: URL(fileURLWithPath: target))
        let duet = try render(
            path("song.wav"), "--voice", path("voice.wav"), "-o", path(output))
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
    }

    @Test(arguments: ["song.mp3", "song.wav"])
    func nothingToRenderLeavesTheOutputAlone(name: String) throws {
        let song = try folder.song(seconds: 6)
        _ = try render(song.path, "-o", path("song.wav"))
        try folder.write("out.wav", "precious")
        let duet = try render(path(name), "-o", path("out.wav"), "--start-at", "0:09")
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.contains("0:09") && duet.child.errors.contains("0:06"))
        #expect(try String(contentsOfFile: path("out.wav"), encoding: .utf8) == "precious")
    }

    @Test func theProgressIsFinalBeforeTheLastLine() throws {
        let song = try folder.song(seconds: 2)
        let duet = try Duet(
            ["render", song.path, "-o", path("out.wav")], streams: .terminal)
        #expect(try duet.child.waitForExit() == .code(0))
        let lines = duet.child.output.split(whereSeparator: \.isNewline)
        let done = lines.lastIndex {
            $0.contains("rendering 0:02/0:02 [") && $0.contains("  100 %")
        }
        // The last line is longer than the terminal is wide.
        let wrote = try #require(lines.lastIndex { $0.contains("wrote 2.000 s") })
        #expect(done.map { $0 < wrote } == true)
        #expect(lines[wrote...].joined(separator: " ").contains(" LUFS, true peak "))
        #expect(lines[wrote...].allSatisfy { !$0.contains("rendering") })
        #expect(!duet.child.output.contains("xruns"))
    }

    /// The end is that of `--duration`, and a stop leaves the bar where it was.
    @Test func theProgressOfAStoppedRender() throws {
        let song = try folder.song(seconds: 1)
        let duet = try Duet(
            ["render", song.path, "-o", path("out.wav"), "--loop", "--duration", "100:00:00"],
            streams: .terminal)
        #expect(poll { duet.child.output.contains(/rendering [0-9:]*[1-9]\/100:00:00 \[/) })
        duet.child.signal(SIGINT)
        #expect(try duet.child.waitForExit() == .code(130))
        let lines = duet.child.output.split(whereSeparator: \.isNewline)
        let bar = try #require(
            lines.lastIndex { $0.contains("stopped 0:") || $0.contains("/100:00:00 [") })
        #expect(lines[bar].contains("stopped ") && lines[bar].contains("   0 %"))
        #expect(lines[(bar + 1)...].first?.contains("duet: stopped; ") == true)
    }

    /// Writes a rate that no file has into the header of a WAV file.
    @Test(arguments: [1, 0x7FFF_FFFF] as [UInt32], ["song", "voice"])
    func aHeaderWithARateThatNoFileHas(rate: UInt32, role: String) throws {
        let song = try folder.song(seconds: 0.5)
        _ = try render(song.path, "-o", path("odd.wav"))
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path("odd.wav"))))
        let format = try #require(bytes.firstRange(of: Array("fmt ".utf8))).upperBound
        for index in 0..<4 { bytes[format + 8 + index] = UInt8(rate >> (8 * index) & 0xFF) }
        try Data(bytes).write(to: URL(fileURLWithPath: path("odd.wav")))
        let duet =
            try role == "song"
            ? render(path("odd.wav"), "-o", path("out.wav"))
            : render(song.path, "--voice", path("odd.wav"), "-o", path("out.wav"))
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.contains("its header says \(rate) Hz"))
        #expect(!FileManager.default.fileExists(atPath: path("out.wav")))
    }

    @Test func aFullDiskIsAFailure() throws {
        let song = try folder.song(seconds: 0.5)
        try FileManager.default.createSymbolicLink(
            atPath: path("out.wav"), withDestinationPath: "/dev/full")
        let duet = try render(song.path, "-o", path("out.wav"))
        // Not even the head of the file could be written.
        #expect(try duet.child.waitForExit() == .code(73))
        #expect(duet.complaint.count == 1)
        #expect(duet.complaint.first?.hasSuffix("; check the space on the disk") == true)
    }
}
