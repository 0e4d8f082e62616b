import AudioMedia
import Testing

@testable import DuetApp

/// Which value holds when, and what is remembered of which song.
@Suite struct MixSettingsTests {
    private let start = MixPlan(second: .mic(channelCount: 1))
    private let songs = ["/a.mp3", "/b.mp3", "/c.mp3"].map { SungSong(song: .file(path: $0)) }

    private func settings(
        given: Set<String> = [], values: [String: Double] = [:], start: MixPlan? = nil
    ) -> MixSettings {
        MixSettings(
            start: start ?? self.start, given: given, configured: start ?? self.start, buses: 1,
            values: values)
    }

    private func parameter(_ address: String) throws -> MixParameter {
        try #require(start.vocabulary.parameter(address))
    }

    private func value(_ address: String, _ settings: MixSettings) throws -> Double {
        settings.plan[try parameter(address)]
    }

    private func set(_ address: String, _ value: Double, _ settings: inout MixSettings) throws {
        settings.set(try parameter(address), to: value)
    }

    /// The song of that number begins, of which `values` are remembered. Returns what it has of these.
    @discardableResult private func begin(
        _ number: Int, _ values: [String: Double] = [:], _ settings: inout MixSettings
    ) -> Set<String> {
        settings.find(songs[number - 1], number: number, bus: 0)
        settings.learn(values, of: songs[number - 1], bus: 0)
        return settings.open(number, bus: 0)
    }

    private func saved(_ settings: MixSettings) -> [String: Double] {
        settings.songs[0].song.map(settings.songs[0].saved) ?? [:]
    }

    /// Key, tempo, vocals and the words' offset are the song's; all else is the run's. Both are remembered of
    /// the song, as far as that is remembered at all.
    @Test func whatIsSetByHand() throws {
        var settings = settings()
        begin(1, [:], &settings)
        let ofSong = [
            "/song/key": 2.0, "/song/tempo": 90, "/song/varispeed": 95, "/song/vocals/remove": 100,
            "/song/vocals/mode": 1, "/song/vocals/at": 0.5, "/song/vocals/only": 1,
            "/lyrics/offset": 1,
        ]
        let ofRun = [
            "/song/volume": 0.5, "/song/pan": -1.0, "/song/eq/band/1": 3, "/mic/volume": 0.25,
            "/out/volume": 0.75, "/song/duck": -6,
        ]
        for (address, value) in ofSong.merging(ofRun, uniquingKeysWith: { $1 }) {
            try set(address, value, &settings)
            #expect(try self.value(address, settings) == value)
        }
        #expect(saved(settings) == ofSong.merging(["/song/volume": 0.5]) { $1 })
        begin(2, [:], &settings)
        for address in ofSong.keys {
            #expect(try value(address, settings) == parameter(address).kind.defaultValue)
        }
        for (address, value) in ofRun { #expect(try self.value(address, settings) == value) }
        #expect(saved(settings).isEmpty)
        // And back: the song has what it had.
        settings.find(songs[0], number: 3, bus: 0)
        _ = settings.open(3, bus: 0)
        for (address, value) in ofSong { #expect(try self.value(address, settings) == value) }
    }

    /// A value that the song has already is changed in the song.
    @Test func aVolumeOfTheSong() throws {
        var settings = settings()
        #expect(begin(1, ["/song/volume": 0.25], &settings) == ["/song/volume"])
        try set("/song/volume", 0.5, &settings)
        #expect(saved(settings) == ["/song/volume": 0.5])
        begin(2, [:], &settings)
        #expect(try value("/song/volume", settings) == 1)
        // A song's own wins over the run's.
        try set("/song/volume", 2, &settings)
        begin(3, ["/song/volume": 0.75], &settings)
        #expect(try value("/song/volume", settings) == 0.75)
        // As in the configuration: nothing to remember.
        try set("/song/volume", 1, &settings)
        #expect(try value("/song/volume", settings) == 1 && saved(settings).isEmpty)
    }

    /// What is set while no song is heard is the next one's, and wins over what is remembered of it.
    @Test func betweenSongs() throws {
        var settings = settings()
        try set("/song/key", -1, &settings)
        try set("/song/volume", 0.5, &settings)
        #expect(try value("/song/key", settings) == -1 && value("/song/volume", settings) == 0.5)
        let remembered = ["/song/key": 5.0, "/song/volume": 0.25, "/song/tempo": 90]
        settings.find(songs[0], number: 1, bus: 0)
        settings.learn(remembered, of: songs[0], bus: 0)
        #expect(settings.plan(ofSong: 1, bus: 0).effects(bus: 0).tuning.key == -1)
        #expect(settings.open(1, bus: 0) == ["/song/tempo"])
        #expect(try value("/song/key", settings) == -1 && value("/song/volume", settings) == 0.5)
        #expect(saved(settings) == ["/song/key": -1, "/song/volume": 0.5, "/song/tempo": 90])
        settings.end(bus: 0)
        try set("/song/key", 3, &settings)
        #expect(try value("/song/key", settings) == 3 && value("/song/tempo", settings) == 90)
        #expect(saved(settings)["/song/key"] == -1)
        // A user goes back into the song: it is this one's.
        settings.goOn(bus: 0)
        #expect(try value("/song/key", settings) == 3 && saved(settings)["/song/key"] == 3)
        begin(2, [:], &settings)
        #expect(try value("/song/key", settings) == 0 && value("/song/volume", settings) == 0.5)
    }

    /// What options give stays, and what is remembered beside it, too.
    @Test func whatIsGiven() throws {
        var plan = start
        plan[try parameter("/song/key")] = 3
        var settings = settings(given: ["/song/key"], start: plan)
        let remembered = ["/song/key": 1.0, "/song/tempo": 90]
        #expect(begin(1, remembered, &settings) == ["/song/tempo"])
        #expect(try value("/song/key", settings) == 3 && saved(settings) == remembered)
    }

    /// A session's song has its values at once, and nothing of that is changed by hand.
    @Test func valuesOfTheFirstSong() throws {
        var settings = settings(values: ["/song/key": 2, "/nothing": 1])
        #expect(try value("/song/key", settings) == 2)
        begin(1, [:], &settings)
        #expect(try value("/song/key", settings) == 2 && saved(settings).isEmpty)
        begin(2, [:], &settings)
        #expect(try value("/song/key", settings) == 0)
    }

    /// A session's song has its own volume, too; no other song gets any of it.
    @Test func aSessionsSongHasItsVolume() throws {
        for isLost in [false, true] {
            var settings = settings(values: ["/song/volume": 0.5, "/song/key": 2])
            if isLost { settings.lose(bus: 0) }
            begin(1, [:], &settings)
            #expect(try value("/song/volume", settings) == (isLost ? 1 : 0.5))
            #expect(try value("/song/key", settings) == (isLost ? 0 : 2))
            try set("/song/volume", 0.25, &settings)
            try set("/song/key", 3, &settings)
            var other = settings
            begin(2, [:], &settings)
            #expect(try value("/song/volume", settings) == (isLost ? 0.25 : 1))
            // A reset returns to the session's values.
            _ = other.reset()
            #expect(try value("/song/volume", other) == (isLost ? 1 : 0.5))
            #expect(try value("/song/key", other) == (isLost ? 0 : 2))
        }
    }

    /// A volume that was saved in this run is there when the song comes again, whatever the run's is by then.
    @Test func aSongIsHeardTwice() throws {
        var settings = settings()
        begin(1, [:], &settings)
        try set("/song/volume", 0.5, &settings)
        begin(2, [:], &settings)
        try set("/song/volume", 0.25, &settings)
        settings.find(songs[0], number: 3, bus: 0)
        settings.learn(["/song/volume": 0.5], of: songs[0], bus: 0)
        #expect(settings.open(3, bus: 0) == ["/song/volume"])
        #expect(try value("/song/volume", settings) == 0.5)
    }

    /// Buses that play no songs, as those of a take's voices, have no values of songs.
    @Test func busesWithoutSongs() throws {
        let settings = MixSettings(start: start, configured: start, buses: 3)
        #expect(settings.songs.map(\.parameters.isEmpty) == [false, true, true])
        #expect(settings.plan == start)
        let two = MixPlan(second: .song)
        let both = MixSettings(start: two, configured: two, buses: 2)
        #expect(both.songs[1].parameters["/second/volume"] != nil)
        #expect(both.songs[1].parameters["/lyrics/offset"] == nil)
    }

    /// What is read after a user has changed it counts no more.
    @Test func whatIsReadLate() throws {
        var settings = settings()
        settings.find(songs[0], number: 1, bus: 0)
        _ = settings.open(1, bus: 0)
        try set("/song/key", 2, &settings)
        settings.learn(["/song/key": 1, "/song/tempo": 90], of: songs[0], bus: 0)
        #expect(try value("/song/key", settings) == 2 && value("/song/tempo", settings) == 90)
        #expect(saved(settings) == ["/song/key": 2, "/song/tempo": 90])
    }

    /// A reset drops the run and the song that is heard, and forgets that; the next press brings all back,
    /// also what was changed in between.
    @Test(arguments: [false, true]) func aResetIsUndone(isOver: Bool) throws {
        var settings = settings()
        begin(1, ["/song/key": 3, "/song/volume": 0.5], &settings)
        try set("/song/tempo", 90, &settings)
        try set("/song/pan", -1, &settings)
        let (before, kept) = (settings.plan, saved(settings))
        let first = settings.reset()
        #expect(!first.isUndo && settings.plan == start && saved(settings).isEmpty)
        try set("/song/volume", 0.25, &settings)
        if isOver { settings.end(bus: 0) }
        let second = settings.reset()
        #expect(second.isUndo && settings.plan == before && saved(settings) == kept)
        begin(2, [:], &settings)
        #expect(try value("/song/key", settings) == 0 && value("/song/pan", settings) == -1)
        // Another song has begun: the next press resets.
        let third = settings.reset()
        #expect(!third.isUndo && settings.plan == start)
    }

    /// Undone after the song has begun, the song has both what was set before the reset and what is
    /// remembered of it.
    @Test func aResetBeforeTheSongBeginsIsUndone() throws {
        var settings = settings()
        try set("/song/key", 2, &settings)
        try set("/song/tempo", 80, &settings)
        _ = settings.reset()
        #expect(settings.plan == start)
        begin(1, ["/song/tempo": 90, "/song/volume": 0.5], &settings)
        #expect(try value("/song/tempo", settings) == 90 && value("/song/key", settings) == 0)
        #expect(settings.reset().isUndo)
        for (address, expected) in [("/song/key", 2.0), ("/song/tempo", 80), ("/song/volume", 0.5)]
        {
            #expect(try value(address, settings) == expected)
        }
        #expect(saved(settings) == ["/song/key": 2, "/song/tempo": 80, "/song/volume": 0.5])
    }

    /// A reset that finds nothing to change only forgets; after a change the next one resets that.
    @Test(arguments: [false, true]) func aResetThatChangesNothing(isChanged: Bool) throws {
        var settings = settings(given: ["/song/key"])
        begin(1, ["/song/key": 1], &settings)
        #expect(try value("/song/key", settings) == 0)
        _ = settings.reset()
        #expect(saved(settings).isEmpty)
        if isChanged { try set("/song/pan", 1, &settings) }
        #expect(settings.reset().isUndo != isChanged)
        #expect(saved(settings) == (isChanged ? [:] : ["/song/key": 1]))
    }

    /// A song that is over is not forgotten, and its values are not those of the next one.
    @Test func aResetAfterTheSong() throws {
        var settings = settings()
        begin(1, ["/song/key": 3], &settings)
        settings.end(bus: 0)
        _ = settings.reset()
        #expect(settings.plan == start && saved(settings) == ["/song/key": 3])
        // When it begins again, it has what is remembered of it.
        begin(1, ["/song/key": 3], &settings)
        #expect(try value("/song/key", settings) == 3)
    }

    /// Neither way lets more of a microphone through.
    @Test func aResetIsSafe() throws {
        var plan = start
        plan[try parameter("/mic/volume")] = 2
        var settings = settings(start: plan)
        try set("/mic/volume", 0.5, &settings)
        let target = settings.reset().target
        #expect(try target[parameter("/mic/volume")] == 2)
        #expect(try value("/mic/volume", settings) == 0.5)
    }

    // MARK: Singers

    private func begin(
        _ number: Int, song: Int, _ singer: String?, _ values: [String: Double] = [:],
        _ settings: inout MixSettings
    ) {
        let sung = SungSong(song: songs[song].song, singer: singer)
        settings.end(bus: 0)
        settings.find(sung, number: number, bus: 0)
        settings.learn(values, of: sung, bus: 0)
        _ = settings.open(number, bus: 0)
    }

    private static let ofSinger = [
        "/song/key": -2.0, "/song/tempo": 90, "/song/vocals/remove": 100, "/lyrics/offset": 0.5,
        "/song/volume": 0.5, "/mic/preset": 3,
    ]

    /// Six values are the singer's and the song's, and nobody else's; they come back with both.
    @Test func aSingerHasOwnValuesOfEachSong() throws {
        var settings = settings()
        begin(1, song: 0, "Anna", [:], &settings)
        for (address, value) in Self.ofSinger { try set(address, value, &settings) }
        try set("/mic/volume", 0.5, &settings)
        let reverb = try value("/mic/reverb/wet", settings)
        #expect(saved(settings) == Self.ofSinger)
        var run = start
        run[try parameter("/mic/volume")] = 0.5
        #expect(settings.run == run)
        // Bob, the same song; Anna, another song; nobody.
        for (number, (song, singer)) in [(0, "Bob"), (1, "Anna"), (0, nil)].enumerated() {
            begin(number + 2, song: song, singer, [:], &settings)
            for address in Self.ofSinger.keys {
                let wanted = start[try parameter(address)]
                #expect(try value(address, settings) == wanted, "\(address)")
            }
            let wet = start[try parameter("/mic/reverb/wet")]
            #expect(try value("/mic/reverb/wet", settings) == wet)
            #expect(try value("/mic/volume", settings) == 0.5)
            #expect(saved(settings) == [:])
        }
        begin(5, song: 0, "Anna", [:], &settings)
        for (address, wanted) in Self.ofSinger { #expect(try value(address, settings) == wanted) }
        #expect(try value("/mic/reverb/wet", settings) == reverb)
    }

    @Test func whatIsRememberedOfASingerComesBack() throws {
        var settings = settings(given: ["/song/tempo"])
        begin(1, song: 0, "Anna", Self.ofSinger, &settings)
        // Nearer than what the command line gives.
        for (address, wanted) in Self.ofSinger {
            #expect(try value(address, settings) == wanted)
        }
        #expect(settings.run == start)
    }

    /// A sound of the microphone that is chosen between two singers is the next one's.
    @Test func whatIsSetWhileNobodySingsIsTheNextSingers() throws {
        var settings = settings()
        begin(1, song: 0, "Anna", [:], &settings)
        settings.end(bus: 0)
        let next = SungSong(song: songs[1].song, singer: "Bob")
        settings.find(next, number: 2, bus: 0)
        try set("/mic/preset", 3, &settings)
        try set("/song/volume", 0.25, &settings)
        #expect(settings.run == start)
        _ = settings.open(2, bus: 0)
        #expect(saved(settings) == ["/mic/preset": 3, "/song/volume": 0.25])
        begin(3, song: 2, "Carla", [:], &settings)
        let preset = start[try parameter("/mic/preset")]
        #expect(try value("/mic/preset", settings) == preset)
    }

    /// What is changed of the sound that a singer has stays with the singer, and is not kept; without a singer
    /// it is the run's.
    @Test func changesOfASingersPresetAreTheSingers() throws {
        var settings = settings()
        begin(1, song: 0, "Anna", ["/mic/preset": 3], &settings)
        try set("/mic/reverb/wet", 11, &settings)
        #expect(try value("/mic/reverb/wet", settings) == 11)
        #expect(settings.run == start)
        #expect(saved(settings) == ["/mic/preset": 3])
        try set("/mic/preset", 2, &settings)
        #expect(try value("/mic/preset", settings) == 2)
        begin(2, song: 0, nil, [:], &settings)
        try set("/mic/preset", 1, &settings)
        let preset = settings.run[try parameter("/mic/preset")]
        #expect(preset == 1 && saved(settings) == [:])
        begin(3, song: 1, "Bob", [:], &settings)
        #expect(try value("/mic/preset", settings) == 1)
    }
}
