import AudioGraph
import Foundation
import Testing

@testable import DuetApp

@Suite struct VocabularyTests {
    private static let withMicrophone: MixPlan = {
        var plan = MixPlan(second: .mic(channelCount: 1))
        plan.guardsFeedback = true
        return plan
    }()

    private static let withTwo: MixPlan = {
        var plan = MixPlan(second: .mics(2))
        plan.guardsFeedback = true
        return plan
    }()

    private static let withFour: MixPlan = {
        var plan = MixPlan(second: .mics(4))
        plan.guardsFeedback = true
        return plan
    }()

    /// A JACK server may report any sample rate.
    @Test(arguments: [0, 1, 999, 768_001, Int(Int32.max), Int(UInt32.max)])
    func aRateThatNoGraphHas(rate: Int) {
        let error = #expect(throws: DuetError.self) {
            _ = try MixGraph(Self.withMicrophone, sampleRate: rate)
        }
        #expect(error?.status == .unavailable)
        #expect(error?.line.contains("\(rate) Hz") == true)
    }

    @Test func everyRunHasTheAddressesOfItsSources() {
        func addresses(_ second: MixPlan.Second) -> Set<String> {
            Set(MixPlan(second: second).vocabulary.entries.map(\.address))
        }
        let song = addresses(.nothing)
        let effects = SourceEffect.allCases.flatMap { effect in
            ["/\(effect.stripName(of: "mic"))"]
                + effect.parameters.map { "/\(effect.stripName(of: "mic"))/\($0.name)" }
        }
        #expect(
            Set(effects).isSuperset(of: [
                "/mic/reverb/wet", "/mic/highpass/frequency", "/mic/compressor/threshold",
                "/mic/eq/band/10", "/mic/eq/filter/8/kind", "/mic/echo/time", "/mic/gate/hold",
                "/mic/de-esser",
            ]))
        func equalizer(_ bus: String) -> [String] {
            ["/\(bus)/eq", "/\(bus)/eq/preset"]
                + SourceEffect.equalizer.parameters.map { "/\(bus)/eq/\($0.name)" }
        }
        #expect(
            song.isSuperset(of: [
                "/song/volume", "/out/volume", "/lyrics/offset", "/transport/play", "/quit",
            ]))
        #expect(!song.contains { $0.hasPrefix("/mic/") || $0.hasPrefix("/second/") })
        #expect(
            addresses(.song).subtracting(song)
                == Set(
                    [
                        "/second/volume", "/second/pan", "/second/mute", "/second/solo",
                        "/second/azimuth", "/second/elevation", "/second/distance",
                        "/second/key", "/second/tempo", "/second/varispeed",
                        "/second/vocals/remove", "/second/vocals/mode", "/second/vocals/at",
                        "/second/vocals/only",
                    ] + equalizer("second")))
        #expect(
            addresses(.mic(channelCount: 1)).subtracting(song)
                == Set(
                    [
                        "/mic/volume", "/mic/pan", "/mic/mute", "/mic/solo", "/mic/release",
                        "/mic/azimuth", "/mic/elevation", "/mic/distance", "/song/duck",
                        "/song/duck/threshold", "/song/duck/attack", "/song/duck/hold",
                        "/song/duck/release", "/mic/voice-processing",
                        "/mic/voice-processing/echo-cancellation",
                        "/mic/voice-processing/noise-reduction",
                        "/mic/voice-processing/gain-control", "/mic/preset", "/mic/eq/preset",
                    ] + effects))
        #expect(song.isSuperset(of: equalizer("song")))
        #expect(
            Set(Self.withMicrophone.vocabulary.entries.map(\.address))
                .subtracting(addresses(.mic(channelCount: 1))) == ["/mic/feedback-guard/bypass"])
        #expect(
            addresses(.song).union(Self.withFour.vocabulary.entries.map(\.address))
                == Set(Vocabulary.all.entries.map(\.address)))
    }

    /// All that the first has, but for the voice processing.
    @Test func aSecondMicrophoneHasTheAddressesOfTheFirst() throws {
        #expect(
            throws: Refusal(reason: "no second microphone; start with --second-mic PORT")
        ) { try Self.withMicrophone.vocabulary.entry("/mic2/mute") }
        // With one, a typing error is answered as any other.
        let typo = #expect(throws: Refusal.self) {
            try Self.withTwo.vocabulary.entry("/mic2/vlume")
        }
        #expect(typo?.reason.hasPrefix("no address /mic2/vlume; did you mean /mic2/volume") == true)
        let (one, two) = (Self.withMicrophone.vocabulary, Self.withTwo.vocabulary)
        let first = one.entries.map(\.address).filter {
            $0.hasPrefix("/mic/") && !$0.hasPrefix("/mic/voice-processing")
        }
        let second = first.map { "/mic2" + $0.dropFirst(4) }
        #expect(
            Set(two.entries.map(\.address)) == Set(one.entries.map(\.address) + second))
        let four = Self.withFour.vocabulary
        let more = ["/mic3", "/mic4"].flatMap { name in first.map { name + $0.dropFirst(4) } }
        #expect(Set(four.entries.map(\.address)) == Set(two.entries.map(\.address) + more))
        for (old, new) in zip(first + first + first, second + more) {
            #expect(try one.entry(old).kind == four.entry(new).kind, "\(new)")
        }
        #expect(
            try four.entry("/strip").kind?.unit
                == .choice(["song", "mic", "mic2", "mic3", "mic4", "out"]))
        #expect(try two.entry("/strip").kind?.unit == .choice(["song", "mic", "mic2", "out"]))
    }

    /// All options that are missing are named: each needs the one before.
    @Test func aMicrophoneThatIsMissingHasAnOption() {
        for (mix, address, reason) in [
            (
                Self.withMicrophone, "/mic3/pan",
                "no third microphone; start with --second-mic PORT --third-mic PORT"
            ),
            (Self.withTwo, "/mic3/pan", "no third microphone; start with --third-mic PORT"),
            (
                Self.withTwo, "/mic4/release",
                "no fourth microphone; start with --third-mic PORT --fourth-mic PORT"
            ),
        ] {
            #expect(throws: Refusal(reason: reason)) { try mix.vocabulary.entry(address) }
        }
        for (mix, address) in [
            (MixPlan(second: .song), "/mic2/pan"), (Self.withFour, "/mic5/pan"),
        ] {
            let refusal = #expect(throws: Refusal.self) { try mix.vocabulary.entry(address) }
            #expect(refusal?.reason.hasPrefix("no address \(address)") == true)
        }
    }

    @Test(arguments: [
        ("/song/volum", "/song/volume"), ("/mic/spna", "/mic/pan"), ("song/pan", "/song/pan"),
        ("/transport/nxt", "/transport/next"), ("/SWAP", nil), ("", nil), ("/", nil), ("/nix", nil),
        ("/second", "/second/volume, /second/pan or /second/mute"),
        (String(repeating: "/song", count: 100_000), nil),
    ])
    func aWrongAddressIsAnsweredWithTheNearest(address: String, nearest: String?) {
        let refusal = #expect(throws: Refusal.self) { try Vocabulary.all.entry(address) }
        if let nearest { #expect(refusal?.reason.contains("did you mean \(nearest)") == true) }
        #expect((refusal?.reason.utf8.count ?? 0) < 300)
    }

    /// To both ends, the middle and beyond, as text that is written and read again.
    @Test(arguments: Vocabulary.all.parameters)
    func everyValueIsReadAsItIsSpelt(parameter: MixParameter) throws {
        let kind = parameter.kind
        let (low, high) = (kind.range.lowerBound, kind.range.upperBound)
        let isWhole = kind.unit.name == "switch" || kind.unit.name == "choice"
        let middle = isWhole ? ((low + high) / 2).rounded() : (low + high) / 2 + (high - low) / 7
        for value in [low, high, middle, kind.defaultValue] {
            #expect(try kind.read(kind.spelling(value)) == value)
            #expect(try Assignment("\(parameter.address)=\(kind.spelling(value))").value == value)
        }
        #expect(try kind.read("default") == kind.defaultValue)
        for text in [
            "\(low - 1)", "\(high + 1)", "nan", "inf", "-inf", "1e400", "", " ", "loud", "\u{0}",
            "1,5",
        ] {
            let refusal = #expect(throws: Refusal.self) { try kind.read(text) }
            #expect(refusal?.reason == "use \(kind.rangeText), not '\(text)'")
        }
    }

    @Test(arguments: [
        ("/song/volume", "-6 dB", 0.501187), ("/song/volume", "-inf dB", 0),
        ("/mic/pan", "LEFT", -1),
        ("/mic/mute", "yes", 1), ("/mic/mute", "False", 0), ("/out/pan-law", "Balance", 2),
        ("/out/limiter/ceiling", "-3dB", -3), ("/out/limiter/ceiling", "-3 dB", -3),
        ("/song/key", "+2", 2), ("/song/key", "-0.5", -0.5), ("/song/tempo", "80 %", 80),
        ("/song/varispeed", "125%", 125), ("/song/duck/attack", "200ms", 0.2),
        ("/song/duck/release", "2 s", 2),
        // What changes nothing at the beginning may be called off.
        ("/song/duck", "off", 0), ("/song/duck", "none", 0), ("/song/eq/preset", "off", 7),
        ("/song/eq/preset", "None", 7), ("/mic/preset", "none", 0), ("/mic/preset", "OFF", 0),
    ])
    func valuesAreWrittenAsPeopleDo(address: String, text: String, value: Double) throws {
        #expect(abs(try Assignment(address, text).value - value) < 1e-6)
    }

    @Test func stepsUpAndDownEndWhereTheyBegan() throws {
        let volume = try #require(Vocabulary.all.parameter("/song/volume")).kind
        func moved(_ value: Double, by amount: Double, _ times: Int) -> Double {
            (0..<times).reduce(value) { value, _ in volume.adjusted(value, by: amount) }
        }
        #expect(volume.text(moved(1, by: -1, 1)) == "-1.0 dB")
        #expect(moved(moved(1, by: -1, 50), by: 1, 50) == 1)
        #expect(moved(moved(1, by: -0.1, 50), by: 0.1, 50) == 1)
        #expect(moved(1, by: -1, 100) == 0)
        #expect(moved(0, by: -1, 1) == 0)
        #expect(abs(Volume(gain: moved(0, by: 1, 1)).decibels.value + 60) < 1e-6)
        #expect(moved(0, by: 1, 100) == 4)
        #expect(moved(1, by: 1e9, 1) == 4)
        let pan = try #require(Vocabulary.all.parameter("/song/pan")).kind
        #expect((0..<10).reduce(0) { value, _ in pan.adjusted(value, by: 0.1) } == 1)
        #expect(pan.adjusted(1, by: 0.1) == 1)
        #expect((0..<1000).reduce(0) { value, _ in pan.adjusted(value, by: 0.0004) } > 0.39)
        #expect(pan.adjusted(1, by: -1e9) == -1)
    }

    @Test func onlyWhatBeginsWithoutEffectIsCalledOff() throws {
        for address in ["/mic/compressor/threshold", "/out/pan-law", "/mic/eq/filter/1/frequency"] {
            for text in ["off", "none"] {
                #expect(throws: Refusal.self) { try Assignment(address, text) }
            }
        }
        // It is told of presets that were changed, and is nothing to choose.
        #expect(throws: Refusal.self) { try Assignment("/song/eq/preset", "own") }
        let preset = try #require(Vocabulary.all.parameter("/song/eq/preset")).kind
        #expect(preset.text(ValueKind.own) == "own" && preset.json(ValueKind.own) == .text("own"))
    }

    @Test func timesOfTheDuckerAreTold() throws {
        let kind = try #require(Vocabulary.all.parameter("/song/duck/attack")).kind
        #expect(kind.text(kind.defaultValue) == "100 ms" && kind.range == 0.04...2)
    }

    @Test func keyAndTempoAreTold() throws {
        let key = try #require(Vocabulary.all.parameter("/song/key")).kind
        #expect([-12, 0, 0.5, 2].map(key.text) == ["-12", "0", "+0.5", "+2"])
        #expect(key.adjusted(12, by: 1) == 12 && key.adjusted(0, by: -1) == -1)
        #expect(key.rangeText == "-12…12 semitones")
        let tempo = try #require(Vocabulary.all.parameter("/song/tempo")).kind
        #expect(tempo.text(95) == "95 %" && tempo.adjusted(52, by: -5) == 50)
    }

    @Test func theOffsetOfLyricsIsTold() throws {
        let offset = MixParameter.lyricsOffset.kind
        #expect(
            [-2.5, -0.3, 0, 0.1, 1].map(offset.text) == [
                "-2.5 s", "-300 ms", "0 ms", "+100 ms", "+1 s",
            ])
        #expect((0..<10).reduce(0) { value, _ in offset.adjusted(value, by: -0.1) } == -1)
        #expect(try offset.read("-300ms") == -0.3 && offset.adjusted(10, by: 0.1) == 10)
    }

    @Test func choicesGoRound() throws {
        let law = try #require(Vocabulary.all.parameter("/out/pan-law")).kind
        #expect(law.adjusted(2, by: 1) == 0)
        #expect(law.adjusted(0, by: -1) == 2)
        #expect(law.adjusted(0, by: 1e9) == 1)
        #expect(law.json(1) == .text("linear"))
        #expect(throws: Refusal.self) { try law.toggled(0) }
        let mute = try #require(Vocabulary.all.parameter("/mic/mute")).kind
        #expect(try mute.toggled(0) == 1)
        #expect(try mute.toggled(1) == 0)
        #expect(mute.json(1) == .boolean(true))
        let amount = try #require(Vocabulary.all.parameter("/song/vocals/remove")).kind
        #expect(try amount.toggled(0) == 100 && amount.toggled(30) == 0)
        #expect(try amount.toggled(0, before: 60) == 60 && amount.toggled(30, before: 60) == 0)
    }

    /// A line is an action, which prints itself so that it is read again.
    @Test(arguments: [
        ("set /mic/pan -0.5", "set /mic/pan -0.5"), ("set /mic/pan left", "set /mic/pan -1"),
        ("set /song/volume -6 dB", "set /song/volume -6dB"),
        ("set  /song/key\t2", "set /song/key 2"),
        ("set /song/key default", "set /song/key default"),
        ("set /strip/volume 0.7", "set /strip/volume 0.7"), ("set /strip mic2", "set /strip mic2"),
        ("set /mic/azimuth off", "set /mic/azimuth off"),
        ("set /song/eq/preset Hip Hop", "set /song/eq/preset hip-hop"),
        ("adjust /song/volume 1", "adjust /song/volume 1"),
        ("adjust /transport/position -0.5", "adjust /transport/position -0.5"),
        ("toggle /mic/mute", "toggle /mic/mute"), ("get /song/volume", "get /song/volume"),
        ("trigger /transport/next", "trigger /transport/next"), ("trigger /help", "trigger /help"),
        ("add  a b.mp3 ", "add a b.mp3"), ("insert x", "insert x"),
    ])
    func linesAreActions(line: String, printed: String) throws {
        let action = try Action(line: line, in: .all)
        #expect(action.line == printed)
        #expect(try Action(line: printed, in: .all) == action)
    }

    @Test(arguments: [
        "", " ", "set", "set /mic/pan", "toggle", "toggle /mic/mute on", "get /a b", "play it",
        "adjust /song/volume", "adjust /song/volume loud", "adjust /song/volume nan",
        "adjust /song/volume 1e300", "adjust /song/volume inf", "SET /mic/pan 0", "set /mic/pan=0",
        "set /quit 1", "get /help", "toggle /song/key", "trigger /song/key", "save /mic/volume x",
        "set /strip/nothing 1", "add", "insert ",
    ])
    func linesThatAreNone(line: String) {
        #expect(throws: Refusal.self) { try Action(line: line, in: .all) }
    }

    @Test func aSessionsValuesAreTakenWhereTheMixHasThem() throws {
        var kept = Self.withMicrophone
        try kept.set([Assignment("/song/pan", "left"), Assignment("/mic/volume", "2")])
        var plan = MixPlan(second: .song)
        try plan.set([Assignment("/second/volume", "0.5")])
        plan.takeValues(of: kept)
        #expect(plan[try #require(plan.vocabulary.parameter("/song/pan"))] == -1)
        #expect(plan[try #require(plan.vocabulary.parameter("/second/volume"))] == 0.5)
        #expect(throws: Refusal.self) { try plan.set([Assignment("/mic/volume", "2")]) }
    }

    /// The README has the ten keys of the help, in their order, and the interface all, with their help.
    @Test func thePagesNameTheKeysOfTheTable() throws {
        let keys = KeyTable(of: MixPlan(second: .mic(channelCount: 1)))
        let table = try page("README.md").split(separator: "| key | does |\n|---|---|\n")[1]
        let rows = table.split(separator: "\n").prefix { $0.hasPrefix("|") }
        let names = rows.map { $0.split(separator: " ")[1] }
        #expect(names.map(String.init) == keys.hints.prefix(10).map(\.keys))
        let section = try page("docs/interface.md").components(separatedBy: "\n## Keys")[1]
        let whole = KeyTable(of: MixPlan(second: .mics(2)), playsTake: true).help
        #expect(whole.filter { !keys.help.contains($0) }.count == 2)
        let four = KeyTable(of: MixPlan(second: .mics(4)), playsTake: true).help
        #expect(four.filter { !whole.contains($0) }.count == 1)
        for line in whole + four { #expect(section.contains("\n- \(line)\n"), "\(line)") }
    }

    /// `duet presets` names all that a preset names, also what is the default.
    @Test func aPresetKeepsWhatItNames() {
        let preset = EffectPreset(kind: .microphone, bus: "mic")
        for (choice, found) in MicPreset.all.enumerated() {
            #expect(preset.values(of: choice) == found.values(of: "mic"))
        }
    }

    private func page(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "../../" + name), encoding: .utf8)
    }
}
