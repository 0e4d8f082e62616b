import AudioMedia
import TestSupport
import Testing

@testable import DuetApp

/// How a take is mixed again.
@Suite struct TakeMixTests {
    private static let rate = 48_000

    /// A take of one second with all files that such a mix has.
    private func take(
        _ second: MixPlan.Second = .mic(channelCount: 1),
        _ change: (inout Take) throws -> Void = { _ in }
    ) throws -> HandmadeTake {
        var made = try HandmadeTake(second: second, lead: 480)
        made.take.songs = [.init(address: "/song.mp3", frame: 4800, place: 12.5)]
        try change(&made.take)
        for file in Take.files(of: second) {
            try made.write(file.name, Array(repeating: [0, 0.5], count: file.channelCount))
        }
        try made.save()
        return made
    }

    private func mix(
        _ made: HandmadeTake, _ assignments: [(String, String)] = [],
        _ change: (inout TakeMix.Wishes) -> Void = { _ in }
    ) throws -> TakeMix {
        var wishes = TakeMix.Wishes()
        wishes.assignments = try assignments.map { try Assignment($0.0, $0.1) }
        change(&wishes)
        return try TakeMix(StoredTake(made.path), wishes)
    }

    private func parameter(_ address: String, in mix: MixPlan) throws -> MixParameter {
        try #require(mix.vocabulary.parameter(address))
    }

    @Test(arguments: [
        (MixPlan.Second.nothing, [String](), false), (.mic(channelCount: 2), ["voice.wav"], false),
        (.mics(2), ["voice.wav", "voice2.wav"], false), (.song, [], true),
        (.mics(4), ["voice.wav", "voice2.wav", "voice3.wav", "voice4.wav"], false),
    ])
    func eachKindHasItsFiles(second: MixPlan.Second, voices: [String], hasSecond: Bool) throws {
        let made = try take(second)
        let mix = try mix(made)
        #expect(mix.song == "\(made.path)/song.wav")
        #expect(mix.voices == voices.map { "\(made.path)/\($0)" })
        #expect(mix.second == (hasSecond ? "\(made.path)/second.wav" : nil))
        #expect(mix.mix.second == second)
    }

    /// A change of the song is heard the round trip later in the file, one of the voice with the voice.
    @Test func changesLieOnWhatTheyChange() throws {
        let made = try take { take in
            take.offset = 0.25
            for address in ["/song/volume", "/mic/volume", "/out/volume", "/song/key"] {
                let parameter = try parameter(address, in: take.mix)
                take.changes.append(.init(frame: 24_000, parameter: parameter, value: 0.5))
            }
        }
        let whole = try mix(made)
        #expect(
            whole.changes.map(\.parameter.address) == [
                "/song/volume", "/mic/volume", "/out/volume",
            ])
        #expect(whole.changes.map(\.time) == [0.51, 0.75, 0.51])
        #expect(whole.place == 0.25)
        let later = try mix(made) {
            $0.start = 0.5
            $0.offset = 0
        }
        #expect(
            later.changes.allSatisfy {
                abs($0.time - ($0.parameter.address.hasPrefix("/mic") ? 0 : 0.01)) < 1e-9
            })
        #expect((later.songStart, later.place) == (0.5, -0.5))
    }

    /// Key, tempo and vocals are in `song.wav`.
    @Test func whatWasRecordedIsNotDoneAgain() throws {
        let made = try take { take in
            try take.mix.set([Assignment("/song/key", "3"), Assignment("/song/volume", "0.5")])
        }
        let mix = try mix(made)
        #expect(mix.mix.effects(bus: 0) == SongEffects())
        #expect(mix.mix[try parameter("/song/volume", in: mix.mix)] == 0.5)
        let error = #expect(throws: DuetError.self) { try self.mix(made, [("/song/key", "2")]) }
        #expect(error?.line.contains("--song FILE") == true)
    }

    /// Only the first song can be replaced by its original.
    @Test func theSecondSongIsAsItWasRecorded() throws {
        let made = try take(.song)
        for song in [nil, "/song.flac"] {
            let error = #expect(throws: DuetError.self) {
                try mix(made, [("/second/key", "2")]) { $0.song = song }
            }
            #expect(error?.line.contains("/second/key") == true)
        }
        let first = try mix(made, [("/song/key", "2")]) { $0.song = "/song.flac" }
        #expect(first.mix.effects(bus: 0).tuning.key == 2)
    }

    @Test func theOriginalSongBeginsWhereItWasHeard() throws {
        let made = try take { take in try take.mix.set([Assignment("/song/tempo", "200")]) }
        // 4800 frames before its first frame, 12.5 s, are 0.2 s of it; then come 480 of silence.
        let whole = try mix(made) { $0.song = "/song.flac" }
        #expect(whole.song == "/song.flac")
        #expect(abs(whole.songStart - (12.3 - 0.02)) < 1e-9)
        #expect(whole.place == 0)
        let later = try mix(made) {
            $0.song = "/song.flac"
            $0.start = 10
        }
        #expect(abs(later.songStart - (12.28 + 20)) < 1e-9)
        #expect(later.place == -10)
        // With another tempo it still begins there.
        let slow = try mix(made, [("/song/tempo", "50")]) { $0.song = "/song.flac" }
        #expect(abs(slow.songStart - (12.3 - 0.005)) < 1e-9)
        // Before its beginning there is the voice.
        let first = try take { take in
            take.songs[0].place = 0
            try take.mix.set([Assignment("/song/tempo", "200")])
        }
        let early = try mix(first) { $0.song = "/song.flac" }
        #expect(early.songStart == 0 && early.start == 0 && early.place == 0)
        #expect(abs(early.songPlace - 0.11) < 1e-9)
        let inside = try mix(first) { ($0.song, $0.start) = ("/song.flac", 0.05) }
        #expect(inside.songStart == 0 && inside.start == 0.05 && inside.place == -0.05)
        #expect(abs(inside.songPlace - 0.06) < 1e-9)
        let behind = try mix(first) { ($0.song, $0.start) = ("/song.flac", 0.61) }
        #expect(behind.songPlace == 0 && abs(behind.songStart - 1) < 1e-9)
    }

    @Test func anOriginalSongThatCannotBeAlignedIsRefused() throws {
        func refused(_ text: String, _ change: (inout Take) throws -> Void) throws {
            let made = try take(.nothing, change)
            let error = #expect(throws: DuetError.self) { try mix(made) { $0.song = "/song.flac" } }
            #expect(error?.line.contains(text) == true, "\(error?.line ?? "")")
        }
        try refused("several songs") { $0.songs.append($0.songs[0]) }
        try refused("where the song began") { $0.songs = [] }
        let changed: (inout Take) throws -> Void = { take in
            let parameter = try parameter("/song/tempo", in: take.mix)
            take.changes = [.init(frame: 0, parameter: parameter, value: 90)]
        }
        try refused("--set /song/tempo=100", changed)
        let made = try take(.nothing, changed)
        #expect(try mix(made, [("/song/tempo", "100")]) { $0.song = "/song.flac" }.changes.isEmpty)
    }

    @Test func aVoiceOfAnotherProgramTakesTheFirstVoicesPlace() throws {
        for second in [MixPlan.Second.nothing, .mic(channelCount: 2)] {
            let mix = try mix(try take(second)) { $0.voice = "/v.flac" }
            #expect(mix.voices == ["/v.flac"])
            #expect(mix.mix.second == .mic(channelCount: 1))
        }
        let two = try take(.mics(2))
        let mixed = try mix(two) { $0.voice = "/v.flac" }
        #expect(mixed.voices == ["/v.flac", "\(two.path)/voice2.wav"])
        let four = try take(.mics(4))
        #expect(
            try mix(four) { $0.voice = "/v.flac" }.voices
                == ["/v.flac"] + (2...4).map { "\(four.path)/voice\($0).wav" })
        let songs = try take(.song)
        #expect(throws: DuetError.self) { try mix(songs) { $0.voice = "/v.flac" } }
    }

    // MARK: Values

    /// What the user gives, and what it brings, stays; the rest goes on as in the take.
    @Test func whatIsGivenWins() throws {
        let made = try take { take in
            for (address, value) in [
                ("/mic/volume", "0.5"), ("/mic/pan", "0.5"), ("/mic/preset", "hall"),
                ("/mic/reverb/wet", "7"),
            ] {
                let parameter = try parameter(address, in: take.mix)
                take.changes.append(
                    .init(frame: 0, parameter: parameter, value: try parameter.kind.read(value)))
            }
        }
        func values(_ assignments: [(String, String)]) throws -> [String: Double] {
            let mix = try mix(made, assignments)
            var changes = TakeChanges(mix.mix, mix.changes, given: mix.given, rate: Self.rate)
            let set = changes.move(to: 0)
            // The graph has what is set in its order.
            var heard = Dictionary(
                uniqueKeysWithValues: mix.mix.vocabulary.parameters.map {
                    ($0.address, mix.mix[$0])
                })
            for (parameter, value) in set { heard[parameter.address] = value }
            for parameter in changes.mix.vocabulary.parameters {
                if case .preset = parameter.unit { continue }
                #expect(heard[parameter.address] == changes.mix[parameter], "\(parameter.address)")
            }
            return heard
        }
        let plain = try values([])
        #expect((plain["/mic/volume"], plain["/mic/pan"]) == (0.5, 0.5))
        #expect((plain["/mic/reverb"], plain["/mic/reverb/wet"]) == (1, 7))
        #expect(try values([("/mic/volume", "2")])["/mic/volume"] == 2)
        // A preset is given with all that it sets.
        let dry = try values([("/mic/preset", "dry")])
        #expect((dry["/mic/reverb"], dry["/mic/pan"]) == (0, 0.5))
        // Of a preset in the take one value is given.
        let own = try values([("/mic/reverb/wet", "33")])
        #expect((own["/mic/reverb"], own["/mic/reverb/wet"]) == (1, 33))
    }

    @Test func changesComeInTheirFrames() throws {
        let mix = MixPlan()
        let volume = try parameter("/song/volume", in: mix)
        var changes = TakeChanges(
            mix,
            [0.5, -1, 0.25, 0.25].enumerated().map {
                .init(time: $1, parameter: volume, value: Double($0) / 4)
            }, rate: 44_100)
        #expect(changes.nextFrame == 0)
        #expect(changes.move(to: 0).map(\.value) == [0.25])
        #expect(changes.nextFrame == 11_025)
        #expect(changes.move(to: 11_024).isEmpty)
        #expect(changes.move(to: 11_025).map(\.value) == [0.5, 0.75])
        #expect(changes.move(to: .max).map(\.value) == [0])
        #expect(changes.nextFrame == nil)
        #expect(changes.mix[volume] == 0)
    }

    /// As after a seek, or when the voices are moved.
    @Test func changesGoBack() throws {
        let mix = MixPlan(second: .mic(channelCount: 1))
        let (volume, pan) = (
            try parameter("/song/volume", in: mix), try parameter("/song/pan", in: mix)
        )
        let (reverb, wet) = (
            try parameter("/mic/reverb", in: mix), try parameter("/mic/reverb/wet", in: mix)
        )
        let list: [TakeChanges.Change] = [
            .init(time: 1, parameter: volume, value: 0.5),
            .init(time: 2, parameter: pan, value: 0.25),
            .init(time: 3, parameter: try parameter("/mic/preset", in: mix), value: 2),
        ]
        var changes = TakeChanges(mix, list, rate: 1000)
        #expect(changes.move(to: 0).isEmpty)
        #expect(!changes.move(to: 3000).isEmpty)
        #expect(changes.mix[volume] == 0.5 && changes.mix[pan] == 0.25)
        #expect(changes.mix[reverb] == 1)
        // What users give stays so, forth and back.
        var plan = changes.mix
        (plan[pan], plan[wet]) = (-1, 77)
        changes.give([pan, wet], of: plan)
        #expect(!changes.move(to: 1500).isEmpty)
        #expect(changes.mix[volume] == 0.5 && changes.mix[pan] == -1 && changes.mix[wet] == 77)
        #expect(changes.move(to: 2500).isEmpty)
        #expect(!changes.move(to: 500).isEmpty)
        #expect(changes.mix[volume] == mix[volume] && changes.mix[pan] == -1)
        #expect(changes.mix[reverb] == 0)
        _ = changes.move(to: 4000)
        #expect(changes.mix[volume] == 0.5 && changes.mix[pan] == -1 && changes.mix[wet] == 77)
        // At other times, also where none has come yet.
        changes.replace(with: [.init(time: 9, parameter: volume, value: 0.125)])
        #expect(changes.move(to: 4000).contains { $0.parameter == volume && $0.value == 1 })
        #expect(changes.move(to: 9000).map(\.value) == [0.125])
    }

    /// A value of an effect that is off turns it on, and no change of the take turns it off again.
    @Test func whatIsGivenTurnsItsEffectOn() throws {
        var mix = MixPlan(second: .mic(channelCount: 1))
        let reverb = try parameter("/mic/reverb", in: mix)
        let given = try mix.give(Assignment("/mic/reverb/wet", "30"))
        #expect(given == ["/mic/reverb", "/mic/reverb/wet"])
        var changes = TakeChanges(
            mix, [.init(time: 0, parameter: reverb, value: 0)], given: given, rate: 48_000)
        #expect(changes.move(to: 1).isEmpty && changes.mix[reverb] == 1)
    }
}
