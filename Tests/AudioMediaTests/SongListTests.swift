import Testing

@testable import AudioMedia

/// The list that two threads change: where a song is put that is to come next, and which song counts as
/// the present one.
@Suite struct SongListTests {
    private let list: SongList
    private let ids: [Int]

    init() throws {
        list = SongList(try Self.songs("abc"), loops: false)
        ids = list.songs.map(\.id)
        play(ids[0])
    }

    /// The song's thread decodes `decoded`, or what is heard.
    private func play(_ heard: Int, decoding decoded: Int? = nil) {
        list.note(heard: heard)
        list.decode(decoded ?? heard)
    }

    private static func songs(_ names: String) throws -> [Location] {
        try names.map { try Location("/nowhere/\($0)") }
    }

    private func add(_ name: String) throws -> Int {
        try #require(list.add(Self.songs(name)[0], at: .next)).song.id
    }

    private var names: String {
        list.songs.compactMap { $0.location.description.last }.map(String.init).joined()
    }

    /// The song's thread still plays the song before, and says so.
    @Test func whatIsChosenIsThePresentSong() throws {
        let version = list.version
        list.choose(ids[1])
        #expect(list.present == ids[1] && list.version > version)
        play(ids[0])
        #expect(list.present == ids[1])
        let added = try add("x")
        #expect(names == "abxc" && list.following == added)
        play(ids[1])
        list.takeChoice()
        #expect(list.present == ids[1])
        _ = try add("y")
        #expect(names == "abyxc")
        list.choose(999)
        #expect(list.present == ids[1])
    }

    /// Steps count from the song that was chosen, whatever the song's thread has come to.
    @Test(
        arguments: [
            (1, 2, "abcx"), (-9, 0, "axbc"), (.min, 0, "axbc"), (.max, nil, "abxc"),
        ] as [(Int, Int?, String)])
    func stepsAreChoices(count: Int, chosen: Int?, added: String) throws {
        #expect(list.choose(by: 1) == ids[1])
        #expect(list.choose(by: count) == chosen.map { ids[$0] })
        play(ids[0])
        #expect(list.present == ids[chosen ?? 1])
        _ = try add("x")
        #expect(names == added)
    }

    @Test(arguments: [(1, 2), (2, 0), (-2, 2), (-1, 0), (Int.min, 2), (Int.max, 1)])
    func stepsGoRoundInALoop(count: Int, chosen: Int) throws {
        let loop = SongList(try Self.songs("abc"), loops: true)
        let ids = loop.songs.map(\.id)
        #expect(loop.choose(by: 1) == ids[1])
        #expect(loop.choose(by: count) == ids[chosen])
        #expect(SongList([], loops: true).choose(by: count) == nil)
    }

    /// Of two choices the newer one holds until both are taken.
    @Test func theNewestChoiceHolds() {
        list.choose(ids[2])
        list.choose(ids[1])
        play(ids[2])
        list.takeChoice()
        #expect(list.present == ids[1])
        list.takeChoice()
        #expect(list.present == ids[2])
    }

    /// What comes next comes behind the song that takes the place of one that was taken out.
    @Test func theSongThatIsHeardIsTakenOut() throws {
        #expect(list.remove(ids[0], isPlayed: true) == (true, ids[1]))
        // The song's thread has not seen it.
        play(ids[0])
        _ = try add("x")
        #expect(names == "bxc" && list.present == ids[1])
    }

    @Test func theSongThatIsDecodedIsTakenOut() throws {
        play(ids[0], decoding: ids[1])
        #expect(list.remove(ids[1], isPlayed: true) == (true, nil))
        play(ids[0], decoding: ids[1])
        _ = try add("x")
        #expect(names == "axc")
    }

    @Test func theSongThatIsChosenIsTakenOut() throws {
        list.choose(ids[1])
        #expect(list.remove(ids[1], isPlayed: true) == (true, ids[2]))
        _ = try add("x")
        #expect(names == "acx" && list.present == ids[2])
    }

    /// A playlist that was chosen is opened, and its first song cannot be played: that is passed over.
    @Test func whatIsChosenMayChange() throws {
        list.choose(ids[1])
        let songs = try Self.songs("de").map { Playlist.Song(location: $0) }
        let place = try #require(list.entry(ids[1])).location
        let parts = list.expand(ids[1], at: place, to: songs)
        #expect(names == "adec" && parts[0] == ids[1] && list.present == parts[0])
        list.mark(parts[0], .refused(because: missing))
        list.takeChoice(of: parts[0], for: parts[1])
        #expect(names == "adec" && list.present == parts[1] && list.following == ids[2])
        list.takeChoice()
        #expect(list.present == ids[0] && list.following == parts[1])
    }

    private let missing = SongError.cannotOpen(song: "x", .notOpened(code: 2, meant: nil))
    private let absent = SongError.cannotOpen(song: "x", .network(.noSuchHost))

    /// An entry that cannot be played stays, marked, and is passed over; one that the network did not
    /// lead to is tried again, but once in a silence.
    @Test(arguments: [false, true]) func refusedSongsArePassedOver(isAbsence: Bool) {
        let error = isAbsence ? absent : missing
        list.mark(ids[1], .refused(because: error))
        #expect(names == "abc" && list.songs[1].state == .refused(because: error))
        #expect(list.next(after: ids[0]) == (isAbsence ? ids[1] : ids[2]))
        #expect(list.next(after: ids[0], besides: [ids[1]]) == ids[2])
        #expect(list.next(after: ids[0], besides: [ids[1], ids[2]]) == nil)
        #expect(list.choose(by: 1) == (isAbsence ? ids[1] : ids[2]))
    }

    /// Where all entries of a loop were tried in vain, none follows.
    @Test func aSilentRoundEnds() throws {
        let loop = SongList(try Self.songs("abc"), loops: true)
        let ids = loop.songs.map(\.id)
        #expect(
            loop.next(after: ids[2]) == ids[0]
                && loop.next(after: ids[1], besides: [ids[2]]) == ids[0])
        #expect(loop.next(after: ids[1], besides: [ids[0], ids[2]]) == ids[1])
        #expect(loop.next(after: ids[1], besides: Set(ids)) == nil)
        let one = SongList(try Self.songs("a"), loops: true)
        #expect(one.following == one.songs[0].id)
        one.mark(one.songs[0].id, .absent(until: 3, because: .stalled))
        #expect(one.following == one.songs[0].id && one.version > 0)
    }

    /// What follows a song that is removed is what followed it, as long as it is played.
    @Test func aRemovedSongKeepsItsPlaceWhileItIsPlayed() throws {
        play(ids[0], decoding: ids[1])
        #expect(list.remove(ids[1], isPlayed: true).isRemoved && names == "ac" && list.count == 2)
        #expect(list.number(of: ids[2]) == 1 && list.id(at: 1) == ids[2] && list.id(at: 2) == nil)
        #expect(list.entry(ids[1]) == nil && !list.remove(ids[1], isPlayed: true).isRemoved)
        #expect(list.next(after: ids[1]) == ids[2])
        #expect(list.move(ids[2], by: -1) && names == "ca" && list.next(after: ids[1]) == nil)
        list.decode(ids[2])
        #expect(names == "ca" && list.next(after: ids[1]) == ids[2])
    }

    @Test func othersAreTheNearestFirst() throws {
        list.mark(ids[1], .refused(because: missing))
        #expect(list.others(from: ids[0], forwards: true) == [ids[2]])
        #expect(list.others(from: ids[2], forwards: false) == [ids[0]])
    }

    @Test func titlesAndStatesAreChanges() {
        let changes: [() -> Void] = [
            { self.list.note(self.ids[0], title: "t", artist: nil, duration: nil) },
            { self.list.mark(self.ids[0], .refused(because: self.missing)) },
            { self.list.mark(self.ids[0], .waiting) },
        ]
        for change in changes {
            let version = list.version
            change()
            #expect(list.version == version + 1)
            change()
            #expect(list.version == version + 1)
        }
    }
}

/// What users take back, whose turn it is, and what is found of songs before their turn.
@Suite struct ListEditTests {
    private let list: SongList
    private let ids: [Int]

    init() throws {
        list = SongList(try Self.songs("abcd"), loops: false, singers: [0: "A", 1: "B"])
        ids = list.songs.map(\.id)
        list.note(heard: ids[0])
        list.decode(ids[0])
    }

    private static func songs(_ names: String) throws -> [Location] {
        try names.map { try Location("/nowhere/\($0)") }
    }

    private var names: String {
        list.songs.compactMap { $0.location.description.last }.map(String.init).joined()
    }

    private func add(_ name: String, _ turn: ListTurn, _ singer: String? = nil) throws -> ListedSong
    {
        try #require(list.add(Self.songs(name)[0], at: turn, singer: singer)).song
    }

    @Test func changesAreTakenBackInTheirOrder() throws {
        let added = try add("x", .next)
        #expect(list.move(ids[3], by: -2))
        #expect(list.remove(ids[1], isPlayed: true).isRemoved)
        #expect(names == "axdc")
        #expect(list.undo() == .returned(try #require(list.entry(ids[1])?.listed)))
        #expect(names == "axdbc" && list.entry(ids[1])?.singer == "B")
        #expect(list.undo() == .moved(try #require(list.entry(ids[3])?.listed)))
        #expect(names == "axbcd")
        #expect(list.undo() == .removed(added, count: 1))
        #expect(names == "abcd" && list.undo() == nil && !list.hasUndo)
    }

    /// The song that is heard when it is removed is at its place again, and the one that was chosen instead
    /// plays on.
    @Test func aRemovedSongThatIsHeardComesBack() throws {
        #expect(list.remove(ids[0], isPlayed: true).next == ids[1])
        #expect(names == "bcd")
        #expect(list.undo() != nil && names == "abcd" && list.present == ids[1])
        // Also when its thread has left it meanwhile.
        #expect(list.remove(ids[1], isPlayed: true).next == ids[2])
        list.note(heard: ids[2])
        list.decode(ids[2])
        list.takeChoice()
        #expect(list.undo() != nil && names == "abcd")
    }

    @Test func tenChangesAreKept() throws {
        for name in "0123456789ab" { _ = try add(String(name), .last) }
        for _ in 0..<10 { #expect(list.undo() != nil) }
        #expect(list.undo() == nil && names == "abcd01")
    }

    /// The songs of a folder go with it; one that plays stays.
    @Test func anAddedFolderGoesAsAWhole() throws {
        let folder = try add("f", .last, "C")
        let parts = try Self.songs("123").map { Playlist.Song(location: $0) }
        #expect(list.expand(folder.id, at: folder.location, to: parts).count == 3)
        #expect(names == "abcd123" && list.songs.last?.singer == "C")
        // Whoever comes second finds it expanded.
        #expect(list.expand(folder.id, at: folder.location, to: parts).isEmpty)
        list.choose(try #require(list.songs.last?.id))
        #expect(list.undo() == nil && names == "abcd123" && list.hasUndo)
        list.choose(ids[0])
        guard case .removed(_, count: 3)? = list.undo() else {
            Issue.record("the folder's songs are still there")
            return
        }
        #expect(names == "abcd")
    }

    /// A sings now and waits for a second turn, B for a first: C comes before A's second.
    @Test func turnsAreFair() throws {
        let list = SongList(try Self.songs("a"), loops: false, singers: [0: "A"])
        list.note(heard: 0)
        list.decode(0)
        var order: String {
            list.songs.map { ($0.singer ?? "-") + String($0.location.description.last ?? " ") }
                .joined(separator: " ")
        }
        func add(_ name: String, _ singer: String?) throws {
            _ = list.add(try Self.songs(name)[0], at: .fair, singer: singer)
        }
        try add("b", "A")
        try add("c", "A")
        try add("d", "B")
        #expect(order == "Aa Bd Ab Ac")
        try add("e", "B")
        try add("f", "C")
        #expect(order == "Aa Bd Cf Ab Be Ac")
        // Who names nobody waits like a singer.
        try add("g", nil)
        try add("h", nil)
        #expect(order == "Aa Bd Cf -g Ab Be -h Ac")
    }

    @Test func factsAreReadAheadOfTheirTurn() throws {
        // The one that plays is its thread's own.
        #expect(list.unseen(atMost: 2).map(\.id) == [ids[1], ids[2]])
        list.note(ids[1], title: "T", artist: nil, duration: 61)
        list.note(ids[2], fault: .directory)
        #expect(list.unseen(atMost: 9).map(\.id) == [ids[3]])
        let songs = list.songs
        #expect(songs[1].title == "T" && songs[1].duration == 61 && songs[1].singer == "B")
        // It is tried all the same.
        #expect(songs[2].fault == .directory && songs[2].state == .waiting)
        list.note(ids[2], title: nil, artist: "R", duration: nil)
        #expect(list.songs[2].fault == nil && list.songs[2].artist == "R")
    }
}
