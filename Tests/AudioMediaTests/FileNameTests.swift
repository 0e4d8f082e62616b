import TestSupport
import Testing

@testable import AudioMedia

/// Names of files, which are bytes, as places of songs.
@Suite struct FileNameTests {
    private static let latin = FileName(bytes: Array("/music/caf".utf8) + [0xE9] + ".mp3".utf8)

    @Test func aNameThatIsNotUTF8IsAnAddress() throws {
        let place = Location.file(Self.latin)
        #expect(place.name == "file:///music/caf%E9.mp3")
        #expect(place.reference == place.name)
        #expect(place.description == "/music/café.mp3")
        #expect(Location.shown(place.name) == "/music/café.mp3")
        #expect(try Location(place.name) == place)
        #expect(try Location("/music/café.mp3") != place)
    }

    @Test(arguments: [
        "song.mp3", "/a/é.mp3", "-", "file:x.mp3", "http://h/x.mp3", "two\nlines.mp3", "%41?#.mp3",
        "/",
    ])
    func theNameOfAPlaceLeadsThere(text: String) throws {
        let place = Location.file(path: text)
        #expect(try Location(place.name).whole == place.whole)
        #expect(try Location(FileName(text).address) == place.whole)
    }

    @Test func anAddressIsDecodedToBytes() throws {
        #expect(
            try Location("file:///a%0Ab%C3%A9%e9%2")
                == .file(
                    FileName(bytes: Array("/a\nbé".utf8) + [0xE9] + "%2".utf8)))
        #expect(throws: SongError.self) { _ = try Location("file:///a%00b") }
    }

    @Test func aCharacterIsNotCut() {
        #expect(FileName("aéb").prefix(2) == "a")
        #expect(FileName("aéb").prefix(3) == "aé")
        #expect(FileName("a\u{1F600}").prefix(4) == "a")
        #expect(FileName("ab").prefix(2) == "ab")
        #expect(FileName(bytes: [0x61, 0xE9, 0x62]).prefix(2).bytes == [0x61, 0xE9])
    }

    @Test func lyricsLieBesideEveryName() {
        let files = FilesBeside(.file(Self.latin))
        #expect(files.map { Location.file($0.stem + ".lrc").name } == "file:///music/caf%E9.lrc")
    }
}
