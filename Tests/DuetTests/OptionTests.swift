import AudioGraph
import AudioMedia
import Foundation
import JackIO
import TestSupport
import Testing

@testable import DuetApp

@Suite struct OptionTests {
    private func read(_ words: [String]) throws -> OptionValues {
        guard case .run(let options) = try CommandParser.read(words) else {
            throw DuetError(status: .failure, attempt: "no command: \(words)", result: "", hint: "")
        }
        return try options.configured(in: nil)
    }

    private func sing(_ arguments: String...) throws -> OptionValues { try read(arguments) }

    /// Expects these values in `mix`, and the defaults at all other addresses.
    private func expect(_ mix: MixPlan, _ values: [String: String]) {
        for parameter in mix.vocabulary.parameters {
            let kind = parameter.kind
            #expect(
                kind.spelling(mix[parameter])
                    == values[parameter.address] ?? kind.spelling(kind.defaultValue),
                "\(parameter.address)")
        }
    }

    @Test func anyValueByItsAddress() throws {
        let sing = try sing(
            "song", "--song-volume", "2", "--set", "/song/volume=-6dB", "--set=/mic/solo=on",
            "--set", "/song/volume=0.5")
        let mix = try sing.mix(second: sing.microphones)
        expect(mix, ["/song/volume": "0.5", "/mic/solo": "on"])
    }

    @Test func singIsTheDefault() throws {
        #expect(try sing("a.mp3", "b.mp3").words == ["a.mp3", "b.mp3"])
        #expect(try sing("sing", "a.mp3").words == ["a.mp3"])
        let third = try sing("--json", "a.mp3")
        #expect(third[.json] && third.command == .sing)
    }

    @Test func negativeValuesInBothForms() throws {
        for arguments in [["--mic-volume", "-6dB"], ["--mic-volume=-6dB"]] {
            let sing = try read(arguments + ["song"])
            #expect(sing[.micVolume]?.value == Volume(Decibels(-6)).gain)
        }
        #expect(try sing("song", "--song-pan", "-0.5")[.songPan]?.value == -0.5)
        #expect(try sing("song", "--song-pan=-1")[.songPan]?.value == -1)
        #expect(try sing("song", "--ceiling", "-1")[.ceiling]?.value == -1)
    }

    /// The song behind the option is not its value.
    @Test func theOptionWhoseValueMayBeLeftOut() throws {
        func mix(_ arguments: String...) throws -> (songs: [String], removed: Double?) {
            let sing = try read(arguments)
            return (sing.words, sing[.removeVocals]?.value)
        }
        #expect(try mix("--remove-vocals", "50") == (["50"], 100))
        #expect(try mix("a", "--remove-vocals=50", "b") == (["a", "b"], 50))
        #expect(try mix("a", "--remove-vocals") == (["a"], 100))
        #expect(try mix("a", "--", "--remove-vocals") == (["a", "--remove-vocals"], nil))
    }

    /// The folder of takes may be left out, and no shell reads `~` behind the equals sign.
    @Test func theFolderOfTakes() throws {
        func takes(_ arguments: String...) throws -> (
            songs: [String], isOn: Bool?, folder: FileName?
        ) {
            let sing = try read(arguments)
            return (sing.words, sing.takes?.isOn, sing.takes?.folder)
        }
        #expect(try takes("a") == (["a"], nil, nil))
        #expect(try takes("--record", "a") == (["a"], true, nil))
        #expect(try takes("a", "--record", "--plain") == (["a"], true, nil))
        #expect(try takes("--record=", "a") == (["a"], true, nil))
        #expect(try takes("--record=my takes", "a") == (["a"], true, "my takes"))
        let home = try #require(UserFolder.home)
        #expect(try takes("--record=~/takes", "a") == (["a"], true, home + "/takes"))
    }

    @Test func everyOptionOfSing() throws {
        let sing = try sing(
            "song", "-n", "voice", "-s", "other", "--server-wait", "2.5", "--no-start-server",
            "--mic", "one", "--mic", "two", "--out", "left$", "--out", "right$", "--stereo-mic",
            "--song-volume", "0.5", "--mic-volume", "2", "--volume", "-3 dB", "--song-pan", "left",
            "--mic-pan", "RIGHT", "--pan-law", "balance", "--no-limiter", "--ceiling", "-2dB",
            "--start-at", "1:30", "--duration", "0:00:10", "--json", "--levels", "--plain", "-v",
            "--log-level", "debug", "--song-azimuth", "-30", "--mic-azimuth=120.5",
            "--voice-processing", "--duck=-6", "--key", "-2.5", "--tempo=80%", "--varispeed", "125",
            "--remove-vocals=80",
            "--vocals-mode", "plain", "--vocals-at", "-0.2", "--only-vocals")
        #expect(sing[.songAzimuth]?.value == -30 && sing[.micAzimuth]?.value == 120.5)
        #expect(sing[.voiceProcessing])
        #expect(sing[.name] == "voice")
        #expect(sing[.server] == "other")
        #expect(sing[.serverWait] == 2.5)
        #expect(sing[.noStartServer])
        #expect(sing[all: .out] == ["left$", "right$"])
        #expect(sing[all: .mic] == ["one", "two"])
        #expect(sing[.startAt]?.seconds == 90)
        #expect(sing[.duration]?.seconds == 10)
        #expect(sing.logLevel == .debug)
        let mix = try sing.mix(second: sing.microphones)
        #expect(mix.second == .mic(channelCount: 2))
        expect(
            mix,
            [
                "/song/volume": "0.5", "/song/pan": "-1", "/mic/volume": "2", "/mic/pan": "1",
                "/song/duck": "-6", "/song/azimuth": "-30", "/mic/azimuth": "120.5",
                "/mic/voice-processing": "on",
                "/song/key": "-2.5", "/song/tempo": "80", "/song/varispeed": "125",
                "/song/vocals/remove": "80", "/song/vocals/mode": "plain",
                "/song/vocals/at": "-0.2", "/song/vocals/only": "on",
                "/out/volume": "\(Decibels(-3).gain)", "/out/pan-law": "balance",
                "/out/limiter/ceiling": "-2", "/out/limiter/bypass": "on",
            ])
    }

    @Test func lyricsAreNamed() throws {
        #expect(try sing("song")[.lyrics] == nil)
        #expect(try sing("song", "--lyrics", "-words.lrc")[.lyrics] == "-words.lrc")
        let play = try read(["play", "song", "--lyrics=http://host/a b.lrc"])
        #expect(play[.lyrics] == "http://host/a b.lrc")
        #expect(try read(["mix", "a", "b", "--lyrics", "words"])[.lyrics] == "words")
        for text in ["", "-", "ftp://host/words", "http://"] {
            #expect(throws: (any Error).self) { try sing("song", "--lyrics=\(text)") }
        }
    }

    @Test func stemsGoWithOneSong() throws {
        let sing = try sing("song", "--instrumental", "-i.wav", "--vocals=file:///v%20v.wav")
        #expect(
            sing.stems
                == StemFiles(
                    instrumental: .file(path: "-i.wav"), vocals: .file(path: "/v v.wav")))
        #expect(try self.sing("song").stems == nil)
        for words in [
            ["a", "b", "--vocals", "v.wav"], ["a.m3u", "--instrumental", "i.wav"],
            ["--vocals", "v.wav", "song", "--vocals="], ["song", "--vocals=-"],
            ["song", "--vocals=http://host/v.wav"],
        ] {
            #expect(throws: (any Error).self) { try read(["sing"] + words) }
        }
        #expect(throws: (any Error).self) {
            try read(["mix", "a", "b", "--vocals", "v.wav"])
        }
    }

    @Test func aSecondMicrophoneIsAskedFor() throws {
        let two = try sing("song", "--second-mic", "capture_2$", "--mic", "capture_1$")
        #expect(two[.secondMic] == "capture_2$" && two[all: .mic] == ["capture_1$"])
        #expect(two.microphones == .mics(2))
        #expect(try sing("song", "--stereo-mic").microphones == .mic(channelCount: 2))
        var mix = MixPlan(second: .mics(2))
        #expect(mix.directOutputs == [])
        mix.hasDirectOutputs = true
        #expect(mix.directOutputs == ["song", "mic", "mic_2"])
    }

    /// Each is asked for beside those before it.
    @Test func upToFourMicrophonesAreAskedFor() throws {
        let words = ["song", "--second-mic", "a", "--third-mic", "b", "--fourth-mic", "none"]
        for (count, words) in [(3, words.prefix(5)), (4, words[...])] {
            let options = try read(["sing"] + words)
            #expect(options.microphones == .mics(count))
            var plan = LivePlan(options, songs: [["song"]], mix: MixPlan(second: .mics(count)))
            let client = try plan.clientConfiguration()
            let asked = try ["a", "b", "none"].prefix(count - 1)
                .map { try PortSelection(patterns: [$0]) }
            #expect(client.microphoneChannels == 1 && client.moreMicrophones == asked)
            #expect(plan.leftOpen == (count == 4 ? ["mic4"] : []))
            plan = LivePlan(options, songs: [["song"]], mix: MixPlan())
            #expect(try plan.clientConfiguration().moreMicrophones == [])
        }
        var mix = MixPlan(second: .mics(4))
        mix.hasDirectOutputs = true
        #expect(mix.directOutputs == ["song", "mic", "mic_2", "mic_3", "mic_4"])
    }

    /// Alone it has its own value, and the word after it stays what it is.
    @Test func aValueMayBeLeftOut() throws {
        func read(_ words: String...) throws -> (Double?, [String]) {
            let sing = try self.read(words)
            return (sing[.duck]?.value, sing.words)
        }
        #expect(try read("--duck", "song.mp3") == (-9, ["song.mp3"]))
        #expect(try read("song.mp3", "--duck") == (-9, ["song.mp3"]))
        #expect(try read("--duck", "12") == (-9, ["12"]))
        #expect(try read("--duck=-12dB", "song.mp3") == (-12, ["song.mp3"]))
        #expect(try read("--duck=0", "song.mp3") == (0, ["song.mp3"]))
        #expect(try read("song.mp3", "--", "--duck") == (nil, ["song.mp3", "--duck"]))
    }

    private static let misused: [([String], meant: [String]?)] = [
        (["--duck", "5", "a"], ["--duck=5", "a"]),
        (["play", "--remove-vocals", "60%", "a"], ["play", "--remove-vocals=60%", "a"]),
        (["a", "--duck", "-6dB"], ["a", "--duck=-6dB"]),
        (["--duck", "off", "a"], ["--duck=off", "a"]),
        (["--duck", "a"], nil), (["--duck"], nil), (["--duck=5", "6"], nil),
        (["5", "--duck"], nil), (["--duck", "--", "5"], nil), (["--", "--duck", "5"], nil),
    ]

    /// A number behind such an option, where there is no song of that name.
    @Test(arguments: misused)
    func aValueWithoutTheSignIsFound(words: [String], meant: [String]?) {
        let found = MisplacedValue.find(in: words, isTake: StoredTake.isOne)
        #expect(found?.meant == meant)
        if let meant, let found {
            let option = meant.first { $0.contains("=") } ?? ""
            #expect(found.error.status == .usage && found.error.line.hasSuffix("write \(option)"))
        }
    }

    /// `--record out song.mp3` would record elsewhere, and take `out` for a song.
    @Test func aFolderBehindRecordIsNoSong() throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }
        for name in ["empty", "songs", "take"] {
            try files.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        }
        for name in ["songs/a.mp3", "take/take.json", "list"] { try folder.write(name, "") }
        func meant(_ words: String...) -> [String]? {
            MisplacedValue.find(in: words, isTake: StoredTake.isOne)?.meant
        }
        #expect(meant("--record", path("none"), "a.mp3") == ["--record=\(path("none"))", "a.mp3"])
        #expect(
            meant("sing", "a.mp3", "--record", path("empty"))
                == ["sing", "a.mp3", "--record=\(path("empty"))"])
        let error = MisplacedValue.find(
            in: ["--record", path("empty"), "a.mp3"], isTake: StoredTake.isOne)?.error
        #expect(error?.line.hasSuffix("write --record=\(path("empty"))") == true)
        #expect(
            meant("--record", path("songs"), "a.mp3")
                == ["--record=\(path("songs"))", "a.mp3"])
        for word in [path("take"), path("list"), "none.mp3", "http://h/x", "--loop"] {
            #expect(meant("--record", word, "a.mp3") == nil, "\(word)")
        }
        #expect(meant("sing", "--record", path("none")) == nil)
        #expect(meant("--record", "--", path("none"), "a.mp3") == nil)
    }

    /// A value that is empty is none, and the next word is not taken for it.
    @Test func anEmptyValueIsRefused() throws {
        for option in ["--lyrics=", "--name=", "--control=", "--loop=", "-n="] {
            let error = try #require(throws: DuetError.self) {
                try read(["play", option, "a.mp3"])
            }
            #expect(error.line.contains("'\(option)' has no value"), "\(error)")
        }
        for word in ["--record=", "--lyrics=http://h/a?t=", "a=", "-"] {
            #expect(throws: Never.self, "\(word)") { try read(["play", word, "a.mp3"]) }
        }
        #expect(try read(["play", "--", "--lyrics="]).words == ["--lyrics="])
    }

    @Test func lettersGoTogether() throws {
        let sing = try sing("-vs", "studio", "-n=me", "a")
        #expect(sing[.verbose] && sing[.server] == "studio" && sing[.name] == "me")
        #expect(sing.words == ["a"])
        let other = try self.sing("-vsstudio", "a")
        #expect(other[.verbose] && other[.server] == "studio")
    }

    @Test func whatSaysOff() throws {
        #expect(try sing("song", "--duck=off")[.duck]?.value == 0)
        #expect(try sing("song", "--eq", "none")[.eq] == Assignment("/song/eq/preset", "flat"))
        #expect(try sing("song", "--mic-preset", "off")[.micPreset]?.value == 0)
    }

    @Test func theSecondSongOfMix() throws {
        let mix = try read([
            "mix", "a", "b", "--song-volume", "0.5", "--song-pan", "right", "--second-pan",
            "left", "--second-volume", "-6dB",
        ])
        let plan = try mix.mix(second: .song)
        #expect(plan.second == .song)
        expect(
            plan,
            [
                "/song/volume": "0.5", "/song/pan": "1", "/second/pan": "-1",
                "/second/volume": "\(Decibels(-6).gain)",
            ])
    }

    /// Arguments that are refused, and a word of the reason that is shown.
    static let wrong: [([String], String)] = [
        (["play"], "SONG"), (["mix", "a"], "SONG"), (["mix", "a", "b", "c"], "c"),
        (["song", "--song-volume"], "--song-volume"), (["song", "--song-volume", "5"], "0…4"),
        (["song", "--song-volume", "loud"], "loud"), (["song", "--mic-volume", "-1"], "0…4"),
        (["song", "--volume", "nan"], "0…4"), (["song", "--volume", "13dB"], "0…4"),
        (["song", "--song-volume", "--json"], "--json"),
        (["song", "--song-pan", "1.1"], "use left, centre, right or -1…1, not"),
        (["song", "--mic-pan", "up"], "use left, centre, right or -1…1, not"),
        (["song", "--song-azimuth", "181"], "-180…180 degrees or off"),
        (["song", "--mic-azimuth", "left"], "-180…180 degrees or off"),
        (["song", "--mic-azimuth", "nan"], "-180…180 degrees or off"),
        (["play", "a", "--mic-azimuth", "0"], "--mic-azimuth"),
        (["mix", "a", "b", "--voice-processing"], "--voice-processing"),
        (["song", "--set", "/mic/distance=0.1"], "0.2…100 metres"),
        (["song", "--duck=1"], "-40…0 dB"), (["song", "--duck=loud"], "-40…0 dB"),
        (["play", "song", "--duck=-9"], "--duck"),
        (["mix", "a", "b", "--duck=-9"], "--duck"),
        (["song", "--remove-vocals=101"], "0…100 %"),
        (["song", "--remove-vocals=nan"], "0…100"),
        (["song", "--vocals-mode", "loud"], "spectral or plain"),
        (["song", "--vocals-at", "2"], "-1…1"), (["song", "--vocals-at", "inf"], "-1…1"),
        (["song", "--key", "13"], "-12…12 semitones"), (["song", "--key", "nan"], "-12…12"),
        (["song", "--key", "high"], "-12…12"), (["song", "--tempo", "49"], "50…200 %"),
        (["song", "--tempo", "inf"], "50…200"), (["song", "--tempo", "-80"], "50…200"),
        (["song", "--varispeed", "1e300"], "50…200"), (["song", "--varispeed", ""], "50…200"),
        (["song", "--pan-law", "sine"], "constant-power, linear or balance"),
        (["song", "--ceiling", "1"], "-60…0"), (["song", "--ceiling", "x"], "-60…0"),
        (["song", "--start-at", "1:70"], "0:01:30"), (["song", "--duration", "0"], "more than 0"),
        (["song", "--duration", "-1"], "0:01:30"), (["song", "-n", ""], "1…63"),
        (["song", "-n", "a:b"], "colon"),
        (["song", "--name", String(repeating: "x", count: 64)], "63"),
        (["song", "--server-wait", "-1"], "from 0"),
        (["song", "--server-wait", "x"], "seconds"),
        (["song", "--server-wait", "1e300"], "a year"),
        (["song", "--server-wait", "inf"], "a year"),
        (["song", "--server-wait", "nan"], "a year"),
        (["doctor", "--period", "--seconds", "1e19"], "a year"),
        (["song", "--start-at", "31536001"], "a year"),
        (["song", "--start-at", "999999999:00:00"], "a year"),
        (["song", "--duration", "1e300"], "a year"),
        (["song", "--song-volume", "1e400"], "0…4"), (["song", "--ceiling", "-1e300"], "-60…0"),
        (["song", "--mic-pan", "1e400"], "use left, centre, right or -1…1, not"),
        (["render", "a", "-o", "a.wav", "--rate", "9223372036854775808"], "8000…192000"),
        (["render", "a", "-o", "a.wav", "--rate", "1e5"], "8000…192000"),
        (["render", "a", "-o", "a.wav", "--period", "9223372036854775808"], "1…65536"),
        (["song", "--out", "("], "Unmatched"), (["song", "--out", ""], "empty"),
        (["song", "--mic", "["], "pattern"),
        (["song", "--mic", "a", "--mic", "b", "--mic", "c"], "3 times"),
        (["song", "--out", "a", "--out", "b", "--out", "c"], "3 times"),
        (["song", "--out", "none", "--out", "b"], "does not go with"),
        (["song", "--mic", "a", "--mic", "none"], "does not go with"),
        (["song", "--second-mic", "["], "pattern"), (["song", "--second-mic", ""], "empty"),
        (["song", "--second-mic", "a", "--stereo-mic"], "is mono"),
        (["graph", "--second-mic", "a", "--stereo-mic"], "is mono"),
        (["song", "--third-mic", "a"], "--third-mic needs --second-mic"),
        (["song", "--second-mic", "a", "--fourth-mic", "a"], "--fourth-mic needs --third-mic"),
        (["graph", "--third-mic", "a"], "--third-mic needs --second-mic"),
        (["song", "--second-mic", "a", "--third-mic", "["], "pattern"),
        (["play", "a", "--third-mic", "x"], "--third-mic"),
        (["render", "a", "-o", "a.wav", "--fourth-mic", "x"], "--fourth-mic"),
        (["graph", "play", "--mic-preset", "plate"], "no microphone"),
        (["graph", "mix", "--duck=-9"], "no microphone"),
        (
            ["graph", "play", "--second-mic", "x"],
            "--second-mic has no effect: 'duet play' has no microphone"
        ),
        (["graph", "--second-pan", "left"], "no second song"),
        (["graph", "song.mp3"], "use sing, play or mix, not 'song.mp3'"),
        (["graph", "play", "song.mp3"], "the graph is the same for every song"),
        (["graph", "play", "mix"], "'mix'"),
        (["play", "a", "--second-mic", "x"], "--second-mic"),
        (["mix", "a", "b", "--second-mic", "x"], "--second-mic"),
        (["song", "--log-level", "loud"], "trace"),
        (["song", "--no-such-option"], "--no-such-option"), (["", "b"], "empty"),
        (["mix", "a", "b", "--mic-volume", "1"], "--mic-volume"),
        (["mix", "a", "b", "--mic", "x"], "--mic"),
        (["mix", "a", "b", "--stereo-mic"], "--stereo-mic"),
        (["play", "a", "--mic-pan", "0"], "--mic-pan"),
        (["play", "a", "--second-pan", "0"], "--second-pan"),
        (["song", "--second-volume", "1"], "--second-volume"),
        (["song", "--eq", "rok"], "--eq: 'rok' is unknown; did you mean rock?"),
        (["song", "--set", "/song/volume"], "ADDRESS=VALUE"),
        (["song", "--set", "/song/volum=1"], "did you mean /song/volume?"),
        (["song", "--set", "/song/volume=5"], "0…4"),
        (["song", "--set", "/mic/mute=2"], "on or off"),
        (["song", "--set", "/out/pan-law=sine"], "constant-power, linear or balance"),
        (["song", "--set", "/transport/position=10"], "at the start"),
    ]

    /// Who leaves the port out is not to lose the song.
    @Test(arguments: ["--mic", "--second-mic", "--out"])
    func aSongIsNotTakenForAPort(option: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.song(seconds: 1).path
        let error = try #require(throws: DuetError.self) { try sing("a", option, path) }
        #expect(error.line.contains("not a song's file"))
        #expect(throws: Never.self) { try sing("a", option, "no-such-file.mp3") }
        // No pattern at all.
        let odd = folder.url.appendingPathComponent("song (live.ogg").path
        try FileManager.default.moveItem(atPath: path, toPath: odd)
        let other = try #require(throws: DuetError.self) { try sing("a", option, odd) }
        #expect(other.line.contains("not a song's file"))
    }

    @Test(arguments: wrong)
    func wrongUsage(arguments: [String], reason: String) throws {
        let error = try #require(throws: DuetError.self) {
            let options = try read(arguments)
            // What `--set` names is found in the mix.
            _ = try options.mix(second: options.microphones)
        }
        #expect(error.line.contains(reason), "\(error)")
        #expect(!error.line.contains("\n") && error.status == .usage)
    }
}
