import Testing

@testable import AudioMedia

/// The list that two threads change: where a song is put that is to come next, and which song counts as
/// the present one.
@Suite struct SharedListTests {
    private let list: SharedList
    private let ids: [Int]

    init() throws {
        list = SharedList(try Self.songs("abc"), loops: false)
        ids = list.songs.map(\.id)
        list.note(heard: ids[0], decoded: ids[0])
    }

    private static func songs(_ names: String) throws -> [Location] {
        try names.map { try Location("/nowhere/\($0)") }
    }

    private func add(_ name: String) throws -> Int {
        try #require(list.add(Self.songs(name)[0], asNext: true)).song.id
    }

    private var names: String {
        list.songs.compactMap { $0.location.description.last }.map(String.init).joined()
    }

    /// The song's thread still plays the song before, and says so.
    @Test func whatIsChosenIsThePresentSong() throws {
        let version = list.version
        list.choose(ids[1])
        #expect(list.heard == ids[1] && list.version > version)
        list.note(heard: ids[0], decoded: ids[0])
        #expect(list.heard == ids[1])
        let added = try add("x")
        #expect(names == "abxc" && list.following == added)
        list.note(heard: ids[1], decoded: ids[1])
        list.takeChoice()
        #expect(list.heard == ids[1])
        _ = try add("y")
        #expect(names == "abyxc")
        list.choose(999)
        #expect(list.heard == ids[1])
    }

    /// Steps count from the song that was chosen, whatever the song's thread has come to.
    @Test(
        arguments: [
            (1, 2, "abcx"), (-9, 0, "axbc"), (.min, 0, "axbc"), (.max, nil, "abxc"),
        ] as [(Int, Int?, String)])
    func stepsAreChoices(count: Int, chosen: Int?, added: String) throws {
        #expect(list.choose(by: 1) == ids[1])
        #expect(list.choose(by: count) == chosen.map { ids[$0] })
        list.note(heard: ids[0], decoded: ids[0])
        #expect(list.heard == ids[chosen ?? 1])
        _ = try add("x")
        #expect(names == added)
    }

    @Test(arguments: [(1, 2), (2, 0), (-2, 2), (-1, 0), (Int.min, 2), (Int.max, 1)])
    func stepsGoRoundInALoop(count: Int, chosen: Int) throws {
        let loop = SharedList(try Self.songs("abc"), loops: true)
        let ids = loop.songs.map(\.id)
        #expect(loop.choose(by: 1) == ids[1])
        #expect(loop.choose(by: count) == ids[chosen])
        #expect(SharedList([], loops: true).choose(by: count) == nil)
    }

    /// Of two choices the newer one holds until both are taken.
    @Test func theNewestChoiceHolds() {
        list.choose(ids[2])
        list.choose(ids[1])
        list.note(heard: ids[2], decoded: ids[2])
        list.takeChoice()
        #expect(list.heard == ids[1])
        list.takeChoice()
        #expect(list.heard == ids[2])
    }

    /// What comes next comes behind the song that takes the place of one that was taken out.
    @Test func theSongThatIsHeardIsTakenOut() throws {
        #expect(list.remove(ids[0]) == (true, ids[1]))
        // The song's thread has not seen it.
        list.note(heard: ids[0], decoded: ids[0])
        _ = try add("x")
        #expect(names == "bxc" && list.heard == ids[1])
    }

    @Test func theSongThatIsDecodedIsTakenOut() throws {
        list.note(heard: ids[0], decoded: ids[1])
        #expect(list.remove(ids[1]) == (true, nil))
        list.note(heard: ids[0], decoded: ids[1])
        _ = try add("x")
        #expect(names == "axc")
    }

    @Test func theSongThatIsChosenIsTakenOut() throws {
        list.choose(ids[1])
        #expect(list.remove(ids[1]) == (true, ids[2]))
        _ = try add("x")
        #expect(names == "acx" && list.heard == ids[2])
    }

    /// A playlist that was chosen is opened, or given up, before it begins.
    @Test func whatIsChosenMayChange() throws {
        var age = SharedList.Age()
        let entries = try #require(list.entries(newerThan: &age))
        list.choose(ids[1])
        let songs = try Self.songs("de").map { Playlist.Song(location: $0) }
        let parts = list.expand(entries[1], to: songs, age: &age)
        #expect(names == "adec" && list.heard == parts[0].id)
        // The song's thread is asked for the id that was chosen.
        #expect(list.number(of: ids[1]) == 1)
        list.drop(parts[0].id, age: &age)
        #expect(list.heard == ids[0] && list.following == parts[1].id)
    }
}
