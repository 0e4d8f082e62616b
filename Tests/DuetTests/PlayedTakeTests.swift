import AudioGraph
import TestSupport
import Testing

@testable import DuetApp

/// What of a take is played live.
@Suite struct PlayedTakeTests {
    private var made: HandmadeTake

    init() throws {
        made = try HandmadeTake(lead: 4800)
        try made.write("song.wav", [[0, 0], [0, 0]])
        try made.write("voice.wav", [[0, 0]])
    }

    private func parameter(_ address: String) throws -> MixParameter {
        try #require(made.take.mix.vocabulary.parameter(address))
    }

    private func played(isBacking: Bool = false) throws -> PlayedTake {
        try made.save()
        return try PlayedTake(StoredTake(made.path), isBacking: isBacking)
    }

    @Test mutating func leavesOutWhatIsInTheSongAlready() throws {
        let (key, volume) = (try parameter("/song/key"), try parameter("/song/volume"))
        (made.take.mix[key], made.take.mix[volume]) = (2, 0.5)
        made.take.changes = [.init(frame: 480, parameter: key, value: 3)]
        let played = try played()
        #expect(played.mix[key] == 0 && played.mix[volume] == 0.5)
        #expect(played.changes(offset: 0).isEmpty)
        // No port and no guard: files play in the microphone's place.
        #expect(played.mix.microphones.isEmpty && !played.mix.guardsFeedback)
        #expect(played.files.map(\.last.description) == ["song.wav", "voice.wav"])
    }

    @Test mutating func putsChangesWhereTheyAreHeard() throws {
        let (song, voice) = (try parameter("/song/volume"), try parameter("/mic/volume"))
        made.take.changes = [
            .init(frame: 48_000, parameter: song, value: 0.5),
            .init(frame: 48_000, parameter: voice, value: 0.25),
            .init(frame: 52_800, parameter: voice, value: 0.75),
        ]
        // The song's file begins with the round trip; the voice's does not, and may be moved.
        #expect(
            try played().changes(offset: 0.02) == [
                .init(time: 1.1, parameter: song, value: 0.5),
                .init(time: 1.02, parameter: voice, value: 0.25),
                .init(time: 1.12, parameter: voice, value: 0.75),
            ])
    }

    @Test mutating func aBackingHasNoOutputVolume() throws {
        let volume = try parameter("/out/volume")
        made.take.mix[volume] = 0.5
        made.take.changes = [.init(frame: 0, parameter: volume, value: 0.25)]
        #expect(try played().mix[volume] == 0.5)
        #expect(try played().changes(offset: 0).count == 1)
        let backing = try played(isBacking: true)
        #expect(backing.mix[volume] == 1 && backing.changes(offset: 0).isEmpty)
    }

    @Test mutating func theTitleIsThatOfTheSong() throws {
        let name = made.folder.url.lastPathComponent
        #expect(try played().title == "take \(name)")
        made.take.songs = [.init(address: "/music/tune.flac")]
        #expect(try played().title == "tune.flac · take \(name)")
        made.take.songs[0].title = "A – Tune · take 2026-11-27 001"
        #expect(try played().title == "A – Tune · take \(name)")
    }

    @Test func aMonoVoiceIsPannedAsOneSource() throws {
        let mix = try MixGraph(played().mix, sampleRate: 48_000)
        #expect(mix.io.inputChannelCount == 0)
        for bus in 0...1 { _ = try mix.addSong(bus: bus) }
        #expect(mix.mixer.inputs.map(\.hasMonoPan) == [false, true])
    }

    @Test func songsAreNoTakes() throws {
        let song = made.path + "/song.wav"
        #expect(try PlayedTake.find(among: [song], isBacking: false) == nil)
        try made.save()
        #expect(try PlayedTake.find(among: [made.path], isBacking: false) != nil)
        #expect(throws: DuetError.self) {
            try PlayedTake.find(among: [made.path, "song.mp3"], isBacking: false)
        }
    }
}
