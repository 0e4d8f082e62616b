import AudioMedia
import Foundation
import Testing

@testable import DuetApp

/// Session files that duet wrote are read again; any other file is refused, naming the wrong line.
@Suite struct SessionStateTests {
    private static let title = "duet session\t1\n"

    @Test func whatIsWrittenIsRead() throws {
        let text =
            Self.title + """
                second
                song\t0\t/a\\tb\\n\\\\.mp3
                song\t1\thttp://x/y.mp3
                place\t0\t0\t3\t12.5
                place\t1\t0\t0\t0.0
                set\t/song/volume\t0.5
                set\t/song/pan\t-1
                set\t/song/mute\ton
                set\t/song/solo\toff
                set\t/song/azimuth\t-30.5
                set\t/song/elevation\t0
                set\t/song/distance\t2
                set\t/song/key\t-2.5
                set\t/song/tempo\t80
                set\t/song/varispeed\t100
                set\t/song/vocals/remove\t80
                set\t/song/vocals/mode\tplain
                set\t/song/vocals/at\t-0.25
                set\t/song/vocals/only\toff
                set\t/second/volume\t4
                set\t/second/pan\t0.25
                set\t/second/mute\toff
                set\t/second/solo\ton
                set\t/second/azimuth\toff
                set\t/second/elevation\t0
                set\t/second/distance\t1
                set\t/second/key\t12
                set\t/second/tempo\t100
                set\t/second/varispeed\t50
                set\t/second/vocals/remove\t0
                set\t/second/vocals/mode\tspectral
                set\t/second/vocals/at\t0
                set\t/second/vocals/only\ton
                set\t/out/volume\t0.125
                set\t/out/pan-law\tlinear
                set\t/out/limiter/ceiling\t-0.3
                set\t/out/limiter/bypass\ton
                set\t/lyrics/offset\t-0.3
                song-set\t/lyrics/offset\t0.5
                song-set\t/second/vocals/mode\tplain
                song-set\t/song/key\t2
                loop
                transport\tlead
                no-replay-gain
                connection\t:out_left\tsystem:playback_1

                """
        let state = try SessionState(text: text)
        #expect(state.songs == [["/a\tb\n\\.mp3"], ["http://x/y.mp3"]])
        #expect(withoutEffects(state.text) == text)
        let later = text + "\nof a later version\t1\t2\nset\t/song/of-a-later-version\t3\n"
        #expect(try SessionState(text: later) == state)
    }

    /// The text of a session without the lines of effects.
    private func withoutEffects(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !SourceEffect.allCases.contains { effect in
                ["song", "second", "mic"].contains {
                    line.hasPrefix("set\t/\(effect.stripName(of: $0))")
                }
            }
        }.joined(separator: "\n")
    }

    @Test func aSecondMicrophoneIsKept() throws {
        let text = Self.title + "mic\t1\nsecond-mic\n"
        let values = "set\t/mic2/volume\t0.5\nset\t/mic2/preset\tplate\n"
        let state = try SessionState(text: text + values)
        #expect(state.mix.second == .mics(2) && state.mix.guardsFeedback)
        #expect(state.text.hasPrefix(text) && state.text.contains("set\t/mic2/volume\t0.5\n"))
        #expect(state.text.contains("set\t/mic2/reverb\ton\n"))
        #expect(try SessionState(text: state.text) == state)
    }

    /// A version that knows two microphones reads the lines of the others as a later version's.
    @Test(arguments: [3, 4]) func moreMicrophonesAreKept(count: Int) throws {
        let lines = ["mic\t1", "second-mic", "third-mic", "fourth-mic"].prefix(count)
        let text = Self.title + lines.joined(separator: "\n") + "\n"
        let values = "set\t/mic3/volume\t0.5\nset\t/mic4/volume\t0.25\n"
        let state = try SessionState(text: text + values)
        #expect(state.mix.second == .mics(count) && state.mix.guardsFeedback)
        #expect(state.text.hasPrefix(text) && state.text.contains("set\t/mic3/volume\t0.5\n"))
        #expect(state.text.contains("set\t/mic4/volume\t0.25\n") == (count == 4))
        #expect(try SessionState(text: state.text) == state)
    }

    @Test func stemsAreKept() throws {
        let text = Self.title + "song\t0\t/a.mp3\ninstrumental\ti.wav\nvocals\t/v.wav\n"
        let state = try SessionState(text: text)
        #expect(
            state.stems
                == StemFiles(instrumental: .file(path: "i.wav"), vocals: .file(path: "/v.wav")))
        #expect(try SessionState(text: state.text) == state)
        let folder = FileManager.default.currentDirectoryPath
        #expect(state.portable.stems?.instrumental == .file(path: folder + "/i.wav"))
        #expect(try SessionState(text: Self.title).stems == nil)
        for line in ["vocals\t", "vocals\thttp://host/a", "instrumental"] {
            #expect(throws: SessionState.Malformed.self) {
                try SessionState(text: Self.title + line + "\n")
            }
        }
    }

    /// Lyrics and stems may be those of another song than the first, whose number does not count standard
    /// input.
    @Test func theSongOfLyricsIsKept() throws {
        var state = SessionState()
        (state.songs, state.places) = ([["-", "/a.mp3", "/b.mp3"]], [SessionState.Place()])
        (state.lyrics, state.namedSong) = ("/words.lrc", 2)
        let kept = try SessionState(text: state.portable.text)
        #expect(kept.namedSong == 1 && kept.lyrics == "/words.lrc")
        state.namedSong = 0
        let none = try SessionState(text: state.portable.text)
        #expect(none.namedSong == 0 && none.lyrics == nil)
        for line in ["named-song", "named-song\tx", "named-song\t-1"] {
            #expect(throws: SessionState.Malformed.self) {
                try SessionState(text: Self.title + line + "\n")
            }
        }
    }

    /// The place of the first song's lyrics, a file from another folder, too.
    @Test func lyricsAreKept() throws {
        let text = Self.title + "song\t0\t/a.mp3\nlyrics\twords.lrc\n"
        let state = try SessionState(text: text)
        #expect(state.lyrics == "words.lrc")
        #expect(try SessionState(text: state.text) == state)
        #expect(state.portable.lyrics == FileManager.default.currentDirectoryPath + "/words.lrc")
        let remote = try SessionState(text: Self.title + "lyrics\thttp://host/a b\n")
        #expect(remote.portable.lyrics == "http://host/a b")
        #expect(try SessionState(text: Self.title).lyrics == nil)
    }

    /// A name that is not UTF-8 stays an address; one that is becomes a path.
    @Test func namesAreBytes() {
        var state = SessionState()
        (state.songs, state.places) = ([["file:///caf%E9.mp3", "file:///a%0Ab.mp3"]], [.init()])
        #expect(state.portable.songs == [["file:///caf%E9.mp3", "/a\nb.mp3"]])
    }

    /// Files of version 0.2, which had lines of their own for levels.
    @Test func aFileOfAnOlderVersion() throws {
        let text =
            Self.title + """
                strip\t0\t0.5\t-1.0\toff
                strip\t1\t4.0\t0.25\ton
                mic\t2
                volume\t0.125
                pan-law\tlinear
                ceiling\t-3.0

                """
        let state = try SessionState(text: text)
        #expect(state.mix.second == .mic(channelCount: 2))
        let values = withoutEffects(state.text).split(separator: "\n").filter {
            $0.hasPrefix("set\t")
        }
        #expect(
            values.map { $0.dropFirst(4).replacing("\t", with: " ") } == [
                "/song/volume 0.5", "/song/pan -1", "/song/mute on", "/song/solo off",
                "/song/azimuth off", "/song/elevation 0", "/song/distance 1",
                "/song/key 0", "/song/tempo 100", "/song/varispeed 100",
                "/song/vocals/remove 0", "/song/vocals/mode spectral", "/song/vocals/at 0",
                "/song/vocals/only off",
                "/song/duck 0", "/song/duck/threshold -40", "/song/duck/attack 0.1",
                "/song/duck/hold 0.5", "/song/duck/release 1", "/mic/volume 4", "/mic/pan 0.25",
                "/mic/mute off", "/mic/solo off",
                "/mic/azimuth off", "/mic/elevation 0", "/mic/distance 1",
                "/mic/voice-processing off", "/mic/voice-processing/echo-cancellation on",
                "/mic/voice-processing/noise-reduction 0", "/mic/voice-processing/gain-control off",
                "/mic/preset dry",
                "/mic/feedback-guard/bypass off", "/out/volume 0.125", "/out/pan-law linear",
                "/out/limiter/ceiling -3", "/out/limiter/bypass off", "/lyrics/offset 0",
            ])
        let without = try SessionState(text: Self.title + "ceiling\tnone\n")
        #expect(without.text.contains("set\t/out/limiter/bypass\ton"))
    }

    @Test(arguments: [
        "mic\t3", "mic\tone", "mic", "second-mic\t1", "fourth-mic\t4", "second\t1", "song\t2\tx",
        "song\t0\t",
        "song\t0",
        "place\t1\t0\t0\t0", "place\t0\t-1\t0\t0", "place\t0\t0\t-1\t0",
        "place\t0\t0\t0\t-1", "place\t0\t0\t0\tnan", "place\t0\t0\t0\tinf", "place\t0\t0\t0\t1e300",
        "place\t0\t0\t0\t1e400", "place\t0\t0\t0\t-1e300", "place\t0\t0\t0\t31536001",
        "place\t0\t0\t0\t9223372036854775808", "place\t0\t9223372036854775808\t0\t0",
        "place\t0\t0\t18446744073709551616\t0", "place\t0\t1e3\t0\t0",
        "place\t0\t0\t0", "mic\t9223372036854775808", "strip\t0\t1e400\t0\ton",
        "strip\t0\t-1e300\t0\ton", "strip\t0\t1e300dB\t0\ton", "strip\t0\tnan\t0\ton",
        "strip\t0\t1\tnan\ton", "strip\t0\t1\t1e400\ton", "strip\t0\t1\t-inf\ton",
        "volume\tinf", "volume\t1e400", "ceiling\t-1e300", "ceiling\t-inf",
        "strip\t0\t9\t0\ton", "strip\t0\t1\t2\ton", "strip\t0\t1\t0\tloud", "strip\t2\t1\t0\ton",
        "volume\t-1", "volume\tnan", "pan-law\tround", "ceiling\t1", "ceiling\tnan",
        "transport\tsideways", "lyrics", "lyrics\t", "lyrics\ta\tb", "connection\tx",
        "set\t/song/volume\t9", "set\t/song/volume",
        "set\t/mic/mute\tloud", "set\t/out/pan-law\t1", "set\t/song/pan\tnan", "set",
    ]) func aLineThatNobodyWrote(line: String) {
        do {
            _ = try SessionState(text: Self.title + "loop\n" + line + "\n")
            Issue.record("\(line) was read")
        } catch {
            #expect(error.line == 3)
        }
    }

    @Test(arguments: ["", "duet session\t2\n", "something else\n", "\u{FEFF}duet session\t1\n"])
    func aFileThatNobodyWrote(text: String) {
        #expect(throws: SessionState.Malformed.self) { try SessionState(text: text) }
    }

    /// Lines for a second song bus in a session that has none.
    @Test(arguments: ["song\t1\tx\n", "place\t0\t0\t0\t0\nplace\t1\t0\t0\t0\n"])
    func aSecondSongWithoutASecondBus(text: String) {
        #expect(throws: SessionState.Malformed.self) {
            try SessionState(text: Self.title + "mic\t1\n" + text)
        }
    }

    /// What standard input had of its own is no other song's.
    @Test func theValuesOfStandardInputAreNotKept() {
        var state = SessionState()
        (state.songs, state.places) = ([["-", "/a.mp3"], ["/b.mp3"]], [.init(), .init()])
        state.songValues = ["/song/key": 2, "/lyrics/offset": 1, "/second/key": 3]
        #expect(state.portable.songValues == ["/second/key": 3])
        state.places[0].song.song = 1
        #expect(state.portable.songValues == state.songValues)
    }

    /// Who sings what; a version that knows no singers passes these lines over.
    @Test func singersAreKept() throws {
        var state = SessionState()
        state.songs = [["/a.mp3", "-", "/c.mp3", "/d.mp3"]]
        state.places = [.init()]
        state.singers = [0: "Anna\tB", 1: "Bob", 3: "Carla"]
        state.rules.takesFairTurns = true
        #expect(try SessionState(text: state.text).singers == [0: "Anna B", 1: "Bob", 3: "Carla"])
        #expect(try SessionState(text: state.text).rules.takesFairTurns)
        // Standard input is no song of another process.
        #expect(state.portable.singers == [0: "Anna\tB", 2: "Carla"])
        #expect(throws: SessionState.Malformed.self) {
            try SessionState(text: Self.title + "song\t0\ta\nplace\t0\t0\t0\t0\nsinger\t-1\tA\n")
        }
    }
}
