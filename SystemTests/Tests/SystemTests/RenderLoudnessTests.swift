import Foundation
import Rig
import Testing

/// The loudness of rendered files, as `render` tells it and as `--loudness` makes it, compared with
/// ffmpeg's ebur128.
@Suite(.serialized) struct RenderLoudnessTests {
    /// Arguments of sox that make ten seconds or so of sound.
    private static let signals: [String: [String]] = [
        "sine": ["synth", "10", "sine", "997", "vol", "0.2"],
        "noise": ["synth", "10", "pinknoise", "vol", "0.3"],
        // Syllables, four a second, and pauses.
        "speech": [
            "synth", "1.5", "pinknoise", "bass", "6", "tremolo", "4", "90", "vol", "0.3", "pad",
            "0", "1", "repeat", "5",
        ],
        // A second half that is 26 dB softer is put behind it.
        "parts": ["synth", "6", "pinknoise", "vol", "0.5"],
        // At a quarter of the rate: no sample lies at a peak.
        "peaks": ["synth", "8", "sine", "12000", "0", "12.5", "vol", "0.9", "fade", "0.1"],
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: folder.url.appendingPathComponent(name))
    }

    /// Makes a sound file at 48 kHz.
    private func make(_ name: String, _ words: [String]) throws {
        try Tool.run(
            ["sox", "-R", "-n", "-r", "48000", "-c", "2", "-e", "float", "-b", "32", path(name)]
                + words)
    }

    private func make(signal: String) throws {
        try make("in.wav", Self.signals[signal]!)
        guard signal == "parts" else { return }
        try Tool.run(["sox", path("in.wav"), path("soft.wav"), "vol", "0.05"])
        try Tool.run(["sox", path("in.wav"), path("soft.wav"), path("both.wav")])
        try Tool.run(["mv", path("both.wav"), path("in.wav")])
    }

    /// Loudness in LUFS and true peak in dBTP of a file, by ffmpeg.
    private func measured(_ name: String) throws -> (integrated: Double, truePeak: Double) {
        let ffmpeg = try ChildProcess(
            "ffmpeg",
            [
                "-nostats", "-hide_banner", "-i", path(name), "-af",
                "ebur128=peak=true:metadata=1,ametadata=print:key=lavfi.r128.I:file=-", "-f",
                "null", "/dev/null",
            ])
        #expect(try ffmpeg.waitForExit() == .code(0))
        func last(_ key: String, in text: String) throws -> Double {
            let line = try #require(
                text.split(whereSeparator: \.isNewline).last { $0.contains(key) })
            let value = line.split(whereSeparator: { $0 == "=" || $0 == ":" }).last ?? ""
            let word = value.split(separator: " ").first ?? ""
            return try #require(Double(word), "\(line)")
        }
        return (
            try last("lavfi.r128.I=", in: ffmpeg.output), try last("Peak:", in: ffmpeg.errors)
        )
    }

    private func render(_ words: String) throws -> Duet {
        let duet = try Duet.run(shell: "render \(words) --json", in: folder.url)
        #expect(duet.exit == .code(0), "\(duet.errors)")
        return duet
    }

    @Test(arguments: signals.keys.sorted())
    func theLoudnessIsWhatFfmpegMeasures(signal: String) throws {
        try make(signal: signal)
        let told = try #require(
            try render("in.wav -o out.wav --bits float --no-limiter").first(Events.Loudness.self))
        let peer = try measured("out.wav")
        let (integrated, truePeak) = (try #require(told.integrated), try #require(told.truePeak))
        #expect(abs(integrated - peer.integrated) <= 0.1, "\(told), \(peer)")
        #expect(abs(truePeak - peer.truePeak) <= 0.5, "\(told), \(peer)")
        #expect(told.gain == 0)
    }

    @Test(arguments: ["out.wav --bits 16", "out.flac"], [-23.0, -30])
    func aFileIsBroughtToItsLoudness(output: String, target: Double) throws {
        try make(signal: "speech")
        let duet = try render("in.wav -o \(output) --loudness \(target)")
        let told = try #require(try duet.first(Events.Loudness.self))
        #expect(try duet.first(Events.Warning.self) == nil)
        let peer = try measured(String(output.split(separator: " ")[0]))
        #expect(abs(peer.integrated - target) <= 0.1, "\(peer)")
        #expect(abs((told.integrated ?? 0) - peer.integrated) <= 0.1, "\(told), \(peer)")
        #expect(abs(told.gain) > 1)
    }

    /// Its pauses make speech softer than its peaks let it be.
    @Test func theTruePeakWins() throws {
        try make(signal: "speech")
        let duet = try render("in.wav -o out.wav --loudness -5 --bits 16 --no-limiter")
        let told = try #require(try duet.first(Events.Loudness.self))
        let (integrated, truePeak) = (try #require(told.integrated), try #require(told.truePeak))
        #expect((-1.1 ..< -1).contains(truePeak) && integrated < -5.1, "\(told)")
        #expect(
            try duet.all(Events.Warning.self).map(\.message).contains {
                $0.hasPrefix("-5.0 LUFS is not reached")
            })
        #expect(abs(try measured("out.wav").truePeak + 1) <= 0.5)
    }

    @Test func silenceStaysSilence() throws {
        try make("in.wav", ["trim", "0", "2"])
        let duet = try render("in.wav -o out.wav --loudness -14")
        let told = try #require(try duet.first(Events.Loudness.self))
        #expect(told.integrated == nil && told.truePeak == nil && told.gain == 0)
        _ = try render("in.wav -o plain.wav")
        #expect(try bytes("out.wav") == bytes("plain.wav"))
        let plain = try Duet.run(shell: "render in.wav -o out.wav", in: folder.url)
        #expect(plain.output.contains("48000 Hz; silence"))
    }

    /// A song from a pipe comes once, and what goes into a pipe cannot be changed afterwards.
    @Test func pipesAreReadAndWrittenOnce() throws {
        let song = try folder.song(seconds: 4)
        let end = try Duet.run(
            shell:
                "render - -o /dev/stdout --loudness -30 < <(cat \(song.path)) | cat > piped.flac",
            in: folder.url)
        #expect(end.exit == .code(0), "\(end.errors)")
        #expect(end.errors.contains("loudness -30.0 LUFS"))
        let loudness = try measured("piped.flac").integrated
        #expect(abs(loudness + 30) <= 0.1)
    }

    /// The song's own samples, times one gain: nothing else has changed.
    @Test func allSamplesHaveTheSameGain() throws {
        try make(signal: "noise")
        let duet = try render("in.wav -o out.wav --bits float --loudness -30")
        _ = try render("in.wav -o plain.wav --bits float")
        let gain = try #require(try duet.first(Events.Loudness.self)).gain
        let sound = try ["out.wav", "plain.wav"].map { name in
            try Tool.run(["sox", path(name), "-t", "f32", "-"])
                .withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        }
        #expect(sound[0].count == sound[1].count)
        let factor = Float(pow(10, gain / 20))
        #expect(
            zip(sound[0], sound[1]).allSatisfy { abs($0 - $1 * factor) < 1e-3 * abs($0) + 1e-6 })
    }

    /// What was rendered until then is kept, at the loudness asked for.
    @Test func aStoppedRenderKeepsItsSound() throws {
        let song = try folder.song(seconds: 1)
        let duet = try Duet(
            shell: "render \(song.path) -o out.wav --loop --duration 100:00:00 --loudness -30",
            in: folder.url, streams: .terminal)
        // More than ten seconds.
        #expect(
            poll { duet.output.contains(/rendering [0-9:]*[1-9][0-9]\//) }, "\(duet.output)")
        duet.child.signal(SIGINT)
        let end = try duet.end()
        #expect(end.exit == .code(130))
        #expect(end.output.contains("normalizing ") && end.output.contains("out.wav.part"))
        #expect(abs(try measured("out.wav.part").integrated + 30) <= 0.1)
    }

    @Test func theTemporaryFileIsGone() throws {
        try make(signal: "sine")
        try FileManager.default.createDirectory(
            atPath: path("there"), withIntermediateDirectories: false)
        let duet = try Duet.run(
            shell: "render in.wav -o out.wav --loudness -30",
            in: folder.url, environment: ["TMPDIR": path("there")])
        #expect(duet.exit == .code(0), "\(duet.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path("there")) == [])
    }

    @Test func aTemporaryFolderThatIsNotThereIsNamed() throws {
        try make(signal: "sine")
        try folder.write("out.wav", "precious")
        let duet = try Duet.run(
            shell: "render in.wav -o out.wav --loudness -30",
            in: folder.url, environment: ["TMPDIR": path("nowhere")])
        #expect(duet.exit == .code(73))
        #expect(duet.complaint.count == 1)
        #expect(duet.errors.contains("nowhere") && duet.errors.contains("set TMPDIR"))
        #expect(try bytes("out.wav") == Data("precious".utf8))
    }

    /// A temporary folder without room ends the render, which keeps what had room.
    @Test(.enabled(if: getuid() == 0, "takes the right to mount"))
    func aTemporaryFolderWithoutRoomIsNamed() throws {
        try make(signal: "sine")
        try FileManager.default.createDirectory(
            atPath: path("small"), withIntermediateDirectories: false)
        let script =
            "mount -t tmpfs -o size=1m tmpfs small && exec \"$0\" render in.wav -o out.wav "
            + "--loudness -30"
        let child = try ChildProcess(
            "env",
            [
                "-C", folder.url.path, "TMPDIR=\(path("small"))", "unshare", "--mount", "sh", "-c",
                script, Duet.path,
            ])
        #expect(try child.waitForExit() == .code(74))
        #expect(child.errors.contains("No space left") && child.errors.contains("more room"))
        #expect(child.errors.contains("out.wav.part"))
        #expect(abs(try measured("out.wav.part").integrated + 30) <= 0.1)
        #expect(!FileManager.default.fileExists(atPath: path("out.wav")))
    }
}
