import Foundation
import Rig
import Testing

/// What `render -o` writes to, and what it leaves alone.
@Suite(.serialized) struct RenderOutputTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.song(seconds: 1)
        for name in ["one.wav", "two.wav"] {
            try Tool.run([
                "sox", "-R", "-n", "-r", "48000", "-c", "2", path(name), "synth", "0.5", "sine",
                "330",
            ])
        }
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: folder.url.appendingPathComponent(name))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test(arguments: ["outer.m3u", "song.mp3 --voice outer.m3u"])
    func songsOfAListAreNotReplaced(words: String) throws {
        try folder.write("outer.m3u", "inner.m3u\n")
        try folder.write("inner.m3u", "one.wav\nlink.wav\n")
        try FileManager.default.createSymbolicLink(
            atPath: path("link.wav"), withDestinationPath: "two.wav")
        let before = try bytes("two.wav")
        let duet = try Duet.run(shell: "render \(words) -o two.wav", in: folder.url)
        #expect(duet.exit == .code(64))
        #expect(duet.errors.contains("two.wav"))
        #expect(try bytes("two.wav") == before)
    }

    // MARK: Formats

    /// What ffprobe says of a file.
    private struct Probe: Decodable {
        struct Stream: Decodable {
            let codecName: String
            let sampleRate: String
            let tags: [String: String]?
        }
        struct Format: Decodable {
            let duration: String
            let tags: [String: String]?
        }
        let streams: [Stream]
        let format: Format

        /// A tag of the file, or, as Ogg has them, of its stream.
        func tag(_ name: String) -> String? {
            let all = [format.tags, streams[0].tags].compactMap { $0 }
            return all.compactMap { $0.first { $0.key.lowercased() == name }?.value }.first
        }
    }

    private func probe(_ name: String) throws -> Probe {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(
            Probe.self,
            from: Tool.run([
                "ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json",
                path(name),
            ]))
    }

    private func sound(_ name: String) throws -> [Float] {
        try Tool.run([
            "ffmpeg", "-v", "error", "-i", path(name), "-ar", "48000", "-f", "f32le", "-",
        ])
        .withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    @Test(arguments: [
        ("wav", "pcm_s24le", 96_000), ("rf64", "pcm_s24le", 96_000), ("flac", "flac", 96_000),
        ("ogg", "vorbis", 96_000), ("opus", "opus", 48_000), ("mp3", "mp3", 48_000),
    ])
    func theEndingIsTheFormat(ending: String, codec: String, rate: Int) throws {
        try Tool.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:r=96000:d=3", "-ac", "2",
            "-metadata", "title=Lïed – 1", "-metadata", "artist=Sänger", path("tagged.flac"),
        ])
        for name in ["a", "b"] {
            let duet = try Duet.run(
                shell: "render tagged.flac -o \(name).\(ending)", in: folder.url)
            #expect(duet.exit == .code(0), "\(duet.errors)")
        }
        let found = try probe("a.\(ending)")
        #expect(found.streams[0].codecName == codec)
        #expect(found.streams[0].sampleRate == "\(rate)")
        #expect(found.tag("title") == "Lïed – 1" && found.tag("artist") == "Sänger")
        #expect(abs((Double(found.format.duration) ?? 0) - 3) < 0.1)
        // Ogg files have serial numbers of their own.
        if ["ogg", "opus"].contains(ending) {
            #expect(try sound("a.\(ending)") == sound("b.\(ending)"))
        } else {
            #expect(try bytes("a.\(ending)") == bytes("b.\(ending)"))
        }
        func level(_ name: String) throws -> Float {
            let middle = try sound(name).dropFirst(48_000).prefix(96_000)
            return (middle.reduce(0) { $0 + $1 * $1 } / Float(middle.count)).squareRoot()
        }
        let (made, own) = (try level("a.\(ending)"), try level("tagged.flac"))
        #expect(abs(made / own - 1) < 0.02, "\(made) of \(own)")
    }

    /// What a format cannot have is refused before the old file is touched.
    @Test(arguments: [
        "--bits 16 -o old.mp3", "--rate 44100 -o old.opus", "--rate 96000 -o old.mp3",
        "--bits float -o old.ogg",
    ])
    func whatAFormatLacksIsRefused(words: String) throws {
        let name = String(words.split(separator: " ").last ?? "")
        try folder.write(name, "old")
        let duet = try Duet.run(shell: "render one.wav \(words)", in: folder.url)
        #expect(duet.exit == .code(64))
        #expect(duet.errors.contains("--bits") || duet.errors.contains("48000"), "\(duet.errors)")
        #expect(try bytes(name) == Data("old".utf8))
    }

    /// The configuration says how samples are kept: a format that keeps none passes that over.
    @Test(arguments: [
        ("wav", "pcm_s16le", 96_000), ("ogg", "vorbis", 48_000), ("opus", "opus", 48_000),
        ("mp3", "mp3", 48_000),
    ])
    func theConfigurationIsForSamples(ending: String, codec: String, rate: Int) throws {
        try FileManager.default.createDirectory(
            atPath: path("duet"), withIntermediateDirectories: true)
        try folder.write("duet/duet.conf", "bits=16\nrate=96000\n")
        let duet = try Duet.run(
            shell: "render one.wav -o out.\(ending)", in: folder.url,
            environment: ["XDG_CONFIG_HOME": folder.url.path])
        #expect(duet.exit == .code(0), "\(duet.errors)")
        let stream = try probe("out.\(ending)").streams[0]
        #expect(stream.codecName == codec && stream.sampleRate == "\(rate)")
    }

    /// A list may have the name of a sound file; its content decides.
    @Test func theListItselfIsNotReplaced() throws {
        try folder.write("list.wav", "#EXTM3U\none.wav\n")
        try folder.write("outer.m3u", "list.wav\n")
        let duet = try Duet.run(shell: "render outer.m3u -o list.wav", in: folder.url)
        #expect(duet.exit == .code(64))
        #expect(try String(contentsOfFile: path("list.wav"), encoding: .utf8).hasPrefix("#EXTM3U"))
    }

    /// Songs that are never opened, since the render ends before them.
    @Test(arguments: ["list.m3u", "song.mp3 --voice list.m3u"])
    func aSongThatIsNotReachedIsNotReplaced(words: String) throws {
        for name in ["first.wav", "second.wav", "third.wav"] {
            try Tool.run([
                "sox", "-R", "-n", "-r", "48000", "-c", "2", path(name), "synth", "20", "sine",
                "220",
            ])
        }
        try folder.write("list.m3u", "first.wav\nsecond.wav\nthird.wav\ntwo.wav\n")
        let before = try bytes("two.wav")
        let duet = try Duet.run(
            shell: "render \(words) --duration 1 -o two.wav", in: folder.url)
        #expect(duet.exit == .code(64))
        #expect(try bytes("two.wav") == before)
    }

    /// The largest file that duet may write is less than the song.
    @Test func aFailedRenderLeavesTheOldFile() throws {
        try folder.write("out.wav", "precious")
        let duet = try ChildProcess(
            "bash",
            [
                "-c",
                "cd \"$0\" && ulimit -f 100 && trap '' XFSZ && "
                    + "exec \"$1\" render song.mp3 -o out.wav", folder.url.path, Duet.path,
            ])
        #expect(try duet.waitForExit() == .code(74))
        #expect(duet.errors.contains("File too large"))
        #expect(duet.errors.contains("out.wav.part"))
        #expect(try bytes("out.wav") == Data("precious".utf8))
        #expect(try bytes("out.wav.part").count > 50_000)
    }

    @Test func aLongNameIsNotCutInsideACharacter() throws {
        // 254 bytes; the 240th is the first of a character.
        let name = "x" + String(repeating: "é", count: 124) + "x.wav"
        try folder.write(name, "precious")
        let duet = try Duet(
            shell: "render one.wav --loop --duration 100:00:00 -o '\(name)'", in: folder.url)
        let part = "x" + String(repeating: "é", count: 119) + ".part"
        #expect(poll { (try? names().contains(part)) ?? false }, "\(duet.child.errors)")
        duet.child.signal(SIGINT)
        #expect(try duet.end().exit == .code(130))
        #expect(try bytes(name) == Data("precious".utf8))
    }

    @Test func aStoppedRenderLeavesTheOldFile() throws {
        try folder.write("out.wav", "precious")
        try folder.write("out.wav.part", "precious, too")
        let duet = try Duet(
            shell: "render song.mp3 -o out.wav --loop --duration 100:00:00", in: folder.url)
        #expect(
            poll { (try? bytes("out.wav.part2").count) ?? 0 > 1 << 20 }, "\(duet.child.errors)")
        duet.child.signal(SIGINT)
        let end = try duet.end()
        #expect(end.exit == .code(130))
        #expect(end.errors.contains("out.wav.part2"))
        #expect(try bytes("out.wav") == Data("precious".utf8))
        #expect(try bytes("out.wav.part") == Data("precious, too".utf8))
        let told = try Tool.run(["soxi", "-r", path("out.wav.part2")])
        #expect(String(decoding: told, as: UTF8.self).hasPrefix("48000"))
    }

    /// The link stays a link, the mode is the old file's, and no part is left.
    @Test func aWholeRenderReplacesTheFileBehindALink() throws {
        try FileManager.default.createDirectory(
            atPath: path("there"), withIntermediateDirectories: false)
        try folder.write("there/old.wav", "old")
        #expect(chmod(path("there/old.wav"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: path("link.wav"), withDestinationPath: "there/old.wav")
        let before = try names()
        #expect(try Duet.run(shell: "render song.mp3 -o link.wav", in: folder.url).exit == .code(0))
        #expect(try names() == before)
        let there = try FileManager.default.contentsOfDirectory(atPath: path("there"))
        #expect(there == ["old.wav"])
        let facts = try FileManager.default.attributesOfItem(atPath: path("there/old.wav"))
        #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try bytes("there/old.wav").prefix(4) == Data("RIFF".utf8))
    }

    /// What goes through a pipe is the sound that a file gets.
    @Test func aPipeGetsFLAC() throws {
        let end = try Duet.run(
            shell: "render song.mp3 -o /dev/stdout | cat > piped.flac; exit ${PIPESTATUS[0]}",
            in: folder.url)
        #expect(end.exit == .code(0), "\(end.errors)")
        #expect(
            try Duet.run(shell: "render song.mp3 -o file.flac", in: folder.url).exit == .code(0))
        let sound = try ["piped.flac", "file.flac"].map {
            try Tool.run(["ffmpeg", "-v", "error", "-xerror", "-i", path($0), "-f", "s32le", "-"])
        }
        #expect(sound[0] == sound[1])
        // But for the length and the sum in their heads the files are the same, to their ends.
        let (piped, whole) = (try bytes("piped.flac"), try bytes("file.flac"))
        #expect(piped.dropFirst(42) == whole.dropFirst(42))
        #expect(sound[0].count == 48_000 * 8)
    }

    @Test func standardOutputIntoAFileTakesTheFormatOfItsName() throws {
        let named = try Duet.run(
            shell: "render song.mp3 -o /dev/stdout > named.flac", in: folder.url)
        #expect(named.exit == .code(0), "\(named.errors)")
        #expect(try bytes("named.flac").prefix(4) == Data("fLaC".utf8))
        let end = try Duet.run(shell: "render song.mp3 -o /dev/stdout > plain", in: folder.url)
        #expect(end.exit == .code(64))
        #expect(end.errors.contains("-o: standard output is a file; use -o FILE.flac instead"))
    }

    @Test func aReaderThatEndsIsAFailure() throws {
        let end = try Duet.run(
            shell: "render song.mp3 --loop --duration 60 -o /dev/stdout | head -c 10 > /dev/null; "
                + "exit ${PIPESTATUS[0]}", in: folder.url)
        #expect(end.exit == .code(74))
        #expect(end.errors.contains("Broken pipe"))
    }

    @Test func aSocketAsStandardOutputGetsFLAC() throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let duet = try Duet(
            shell: "render song.mp3 -o /dev/stdout", in: folder.url, streams: .output(ends[1]))
        close(ends[1])
        let sound = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let got = try #require(try sound.readToEnd())
        #expect(try duet.end().exit == .code(0), "\(duet.child.errors)")
        #expect(
            try Duet.run(shell: "render song.mp3 -o file.flac", in: folder.url).exit == .code(0))
        #expect(got.dropFirst(42) == (try bytes("file.flac")).dropFirst(42))
    }

    @Test func anotherSocketIsRefused() throws {
        let listener = try #require(Self.socket(at: path("socket.flac")))
        defer { close(listener) }
        let end = try Duet.run(shell: "render song.mp3 -o socket.flac", in: folder.url)
        #expect(end.exit == .code(73))
        #expect(end.errors.contains("it is a socket"))
    }

    private static func socket(at path: String) -> Int32? {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return code == 0 ? descriptor : nil
    }

    @Test func noWAVGoesIntoAPipe() throws {
        #expect(mkfifo(path("pipe.wav"), 0o600) == 0)
        let end = try Duet.run(shell: "render song.mp3 -o pipe.wav", in: folder.url)
        #expect(end.exit == .code(73))
        #expect(end.errors.contains("pipe"))
    }

    @Test func aPipeWithoutAReaderIsWaitedForUntilCtrlC() throws {
        #expect(mkfifo(path("pipe.flac"), 0o600) == 0)
        let duet = try Duet(shell: "render song.mp3 -o pipe.flac --json", in: folder.url)
        try duet.wait(for: Events.Source.self)
        duet.child.signal(SIGINT)
        #expect(try duet.end().exit == .code(130))
    }

    @Test func aReaderThatTakesNothingHoldsNoStopUp() throws {
        #expect(mkfifo(path("pipe.flac"), 0o600) == 0)
        let reader = open(path("pipe.flac"), O_RDWR)
        defer { close(reader) }
        let duet = try Duet(
            shell: "render song.mp3 --loop --duration 100:00:00 -o pipe.flac", in: folder.url)
        // A pipe holds 64 KiB (pipe(7)), or 4 KiB where the user has many.
        #expect(
            poll {
                var entry = pollfd(fd: reader, events: Int16(POLLOUT), revents: 0)
                return Glibc.poll(&entry, 1, 0) == 0
            })
        duet.child.signal(SIGTERM)
        #expect(try duet.end().exit == .code(130))
    }

    @Test(arguments: [("/dev/null", Int32(0)), ("/dev/full", 74)])
    func devicesAreWrittenAsTheyAre(device: String, code: Int32) throws {
        #expect(
            try Duet.run(shell: "render song.mp3 -o \(device)", in: folder.url).exit == .code(code))
    }
}

/// What another user's rights make of the file that is written. Only root can be another user.
@Suite(.serialized, .enabled(if: getuid() == 0, "root becomes another user"))
struct RenderRightsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.song(seconds: 1)
        // The tests may lie in a home that nobody else may read.
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: Duet.path), to: folder.url.appendingPathComponent("duet"))
        try folder.write("old.wav", "old")
        try shell("chmod 777 . && chmod 755 duet && chmod 644 song.mp3")
    }

    private func shell(_ command: String) throws {
        try Tool.run(["bash", "-c", command], in: folder.url)
    }

    /// Renders as the user `nobody`.
    private func render() throws {
        try shell(
            "HOME=$PWD XDG_STATE_HOME= XDG_CONFIG_HOME= setpriv --reuid=65534 --regid=65534 "
                + "--clear-groups ./duet render song.mp3 -o old.wav")
    }

    private func facts() throws -> stat {
        var facts = stat()
        try #require(stat(folder.url.appendingPathComponent("old.wav").path, &facts) == 0)
        return facts
    }

    /// A file that may be written only, not read.
    @Test func theFileNeedNotBeReadable() throws {
        try shell("chown 65534:65534 old.wav && chmod 200 old.wav")
        try render()
        let facts = try facts()
        #expect(facts.st_mode & 0o777 == 0o200 && facts.st_size > 100_000)
    }

    /// What the old group might do, another group may not.
    @Test func noOtherGroupGetsRights() throws {
        try shell("chown 0:0 old.wav && chmod 666 old.wav")
        try render()
        let facts = try facts()
        #expect(facts.st_gid == 65534 && facts.st_mode & 0o777 == 0o606)
    }
}
