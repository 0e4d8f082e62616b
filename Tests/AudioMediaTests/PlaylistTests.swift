import TestSupport
import Testing

@testable import AudioMedia

/// Reading the bytes of playlists.
@Suite struct PlaylistTests {
    private let here = Location.file(path: "/music/lists/a.m3u")

    /// The songs of a list, and a mark for each entry that is refused.
    private func songs(
        _ bytes: [UInt8], _ format: Playlist.Format = .m3u, base: Location? = nil,
        address: String? = nil
    ) throws -> [String] {
        try Playlist(bytes: bytes, format: format, base: base ?? here, address: address).entries
            .map { if case .song(let song) = $0 { song.location.name } else { "refused" } }
    }

    /// The titles that a list gives its songs.
    private func titles(_ bytes: [UInt8], _ format: Playlist.Format = .m3u) throws -> [String?] {
        try Playlist(bytes: bytes, format: format, base: here, address: nil).entries
            .map { if case .song(let song) = $0 { song.title } else { "refused" } }
    }

    private func titles(_ text: String, _ format: Playlist.Format = .m3u) throws -> [String?] {
        try titles(Array(text.utf8), format)
    }

    @Test func titlesAreTheNextSongs() throws {
        let text = """
            #EXTM3U
            #EXTINF:123,An Artist - A Song, Live
            #EXTVLCOPT:network-caching=1000
            a.mp3
            b.mp3
            #EXTINF:9,first
            #extinf:-1 tvg-name="x, y" group="z",  second\u{1B}[31m\u{202E}
            c.mp3
            #EXTINF:5
            d.mp3
            #EXTINF:5,\t
            e.mp3
            """
        #expect(
            try titles(text) == ["An Artist - A Song, Live", nil, "second[31m", nil, nil])
        let long = String(repeating: "é", count: 300)
        #expect(try titles("#EXTINF:1,\(long)\na.mp3") == [String(long.prefix(200))])
        let accents = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(
            try titles("#EXTINF:1,\(accents)\na.mp3")[0]?.unicodeScalars.count == 200)
        let numbered = """
            [playlist]
            Title2=Second = last
            File1=a.mp3
            File2=b.mp3
            Title3=nobody
            title 1 = First
            File4=d.mp3
            """
        #expect(try titles(numbered, .pls) == ["First", "Second = last", nil])
    }

    private func songs(_ text: String, _ format: Playlist.Format = .m3u) throws -> [String] {
        try songs(Array(text.utf8), format)
    }

    @Test(arguments: [
        ("a.mp3\nb.mp3", ["/music/lists/a.mp3", "/music/lists/b.mp3"]),
        ("a.mp3\r\nb.mp3\r\n", ["/music/lists/a.mp3", "/music/lists/b.mp3"]),
        ("a.mp3\rb.mp3\r\r", ["/music/lists/a.mp3", "/music/lists/b.mp3"]),
        ("\u{FEFF}#EXTM3U\n#EXTINF:9,A song\n  a b.mp3 \n\n", ["/music/lists/a b.mp3"]),
        ("../b.mp3\n/c.mp3", ["/music/lists/../b.mp3", "/c.mp3"]),
        ("file:///x%20y.mp3\nhttp://h/z.mp3", ["/x y.mp3", "http://h/z.mp3"]),
        ("old\\b.mp3\nAC\\DC/c.mp3", ["/music/lists/old/b.mp3", "/music/lists/AC\\DC/c.mp3"]),
        ("-\nftp://h/a.mp3\nc#1?.mp3", ["/music/lists/-", "refused", "/music/lists/c#1?.mp3"]),
    ])
    func linesAreSongs(_ text: String, _ expected: [String]) throws {
        #expect(try songs(text) == expected)
    }

    @Test func namesAreBytes() throws {
        #expect(try songs("ö.mp3") == ["/music/lists/ö.mp3"])
        let latin = [0xF6] + Array(".mp3".utf8)
        // A line in UTF-8 beside it is read as such; NEL and a space that does not break are letters.
        let lines = latin + [0x0A] + Array("ö.mp3\n".utf8) + latin + [0x85, 0xA0, 0x20]
        let names = ["%F6.mp3", "ö.mp3", "%F6.mp3%85%A0"]
        #expect(
            try songs(lines)
                == [
                    "file:///music/lists/\(names[0])", "/music/lists/\(names[1])",
                    "file:///music/lists/\(names[2])",
                ])
        #expect(
            try songs(Array("[playlist]\nFile1= /".utf8) + latin, .pls) == ["file:///%F6.mp3"])
        #expect(try songs("file:///%F6.mp3") == ["file:///%F6.mp3"])
    }

    @Test func plsIsInTheOrderOfItsNumbers() throws {
        let text = """
            [playlist]
            File10=c.mp3
            Title1=File2=no.mp3
            FILE2 = b=1.mp3
            file1=a.mp3
            FileX=no.mp3
            NumberOfEntries=3
            """
        #expect(
            try songs(text, .pls) == ["a", "b=1", "c"].map { "/music/lists/\($0).mp3" })
    }

    /// The examples of RFC 3986 5.4 that suit songs, and names that must not open a file.
    @Test func namesFromTheNetworkStayInIt() throws {
        let base = try Location("http://singer:word@asked/x.m3u")
        let cases = [
            ("g", "http://a/b/c/g"), ("./g?y#s", "http://a/b/c/g?y#s"), ("/g", "http://a/g"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"), ("https://h/g h", "https://h/g%20h"),
            ("-", "http://a/b/c/-"), ("file:///etc/passwd", "refused"),
            ("FILE:/etc/passwd", "refused"), ("file:g", "refused"), ("ftp://h/g", "refused"),
            ("data:text/plain,x", "refused"),
        ]
        for (name, expected) in cases {
            #expect(
                try songs(Array(name.utf8), base: base, address: "http://a/b/c/d;p?q")
                    == [expected], "\(name)")
        }
        #expect(try songs(Array("g".utf8), base: base) == ["http://singer:word@asked/g"])
        #expect(try songs(Array("//g/h".utf8), base: base) == ["http://g/h"])
    }

    @Test func streamsInPiecesAreRefused() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\na.ts\n"
        #expect(throws: SongError.self) { try songs(text) }
    }

    /// A list that breaks off inside a letter is still read as UTF-8 before that.
    @Test func longListsAreCutAtALine() throws {
        let comment = "#" + String(repeating: "x", count: Playlist.maximumSize - 12)
        let bytes = Array("ö.mp3\n\(comment)\nöööö".utf8).prefix(Playlist.maximumSize)
        #expect(try songs(Array(bytes)) == ["refused", "/music/lists/ö.mp3"])
        let many = String(repeating: "a\n", count: Playlist.maximumCount + 1)
        let found = try songs(many)
        #expect(found.count == Playlist.maximumCount && found.first == "refused")
        #expect(found.dropFirst().allSatisfy { $0 == "/music/lists/a" })
        #expect(!(try songs(String(many.dropLast(2))).contains("refused")))
    }

    @Test func bytesThenServerThenNameTellTheFormat() throws {
        func format(_ name: String, _ head: String, type: String? = nil) throws -> Playlist.Format?
        {
            let facts = type.map { ResponseFacts(contentType: $0, address: nil, station: nil) }
            return Playlist.format(
                of: try Location(name), response: facts, head: Array(head.utf8)[...])
        }
        #expect(try format("a.mp3", "#EXTM3U\r\na.mp3") == .m3u)
        #expect(try format("a.mp3", "\u{FEFF}[Playlist]\n") == .pls)
        #expect(try format("a.mp3", "a.mp3\nb.mp3") == nil)
        #expect(try format("http://h/a", "b.mp3\n", type: "audio/x-mpegurl") == .m3u)
        #expect(try format("http://h/a", "b.mp3\n", type: "audio/x-scpls") == .pls)
        #expect(try format("http://h/a", "ID3\u{4}", type: "audio/x-mpegurl") == nil)
        #expect(try format("a.m3u", "ID3\u{4}") == nil)
        #expect(try format("http://h/a.M3U8?x=.pls", "b.mp3\n") == .m3u)
        #expect(try format("http://h/a.mp3?x=.pls", "b.mp3\n") == nil)
        #expect(try format("/music/#1 hits?/a.pls", "File1=b.mp3\n") == .pls)
        let xml = "<?xml version='1.0'?>\n<!-- <asx> --><x:playlist a='>'>"
        #expect(try format("http://h/a.mp3", "\u{FEFF} \n\(xml)") == .xspf)
        #expect(try format("a", "<?xml version='1.0'?><rss>") == nil)
        #expect(try format("a.XSPF", "<?xml version='1.0'?><!--") == .xspf)
        #expect(try format("http://h/a", "<", type: "application/xspf+xml") == .xspf)
        #expect(try format("a", "<ASX version = \"3.0\">") == .asx)
        #expect(try format("http://h/a.mp3", "<?xml version='1.0'?><Asx>") == .asx)
        #expect(try format("http://h/a", "x", type: "audio/x-ms-wax") == .asx)
        for name in ["a.asx", "a.WAX", "http://h/a.wvx?b=c"] {
            #expect(try format(name, "[Reference]\nRef1=http://h/a.wma\n") == .asx)
            // Sound is called so, too.
            #expect(try format(name, "0&\u{0}") == nil)
        }
        #expect(try format("http://h/a", "<?wpl version=\"1.0\"?>\n<smil>") == .wpl)
        #expect(try format("http://h/a", "x", type: "application/vnd.ms-wpl") == .wpl)
        #expect(try format("a.WPL", "<smil>") == .wpl)
        #expect(try format("a.cue", "PERFORMER \"A\"\nFILE \"a.wav\" WAVE") == .cue)
        #expect(try format("http://h/a", "x", type: "application/x-cue") == .cue)
        #expect(try format("a.cue", "RIFF\u{0}") == nil)
        // A page in place of a list; elsewhere it is no list at all.
        for (name, type) in [("http://h/a.m3u", "text/html"), ("a.pls", nil), ("a.xspf", nil)] {
            #expect(try format(name, "\n<!DOCTYPE html>", type: type) == .webPage)
            #expect(try format(name, "<HTML><body>", type: type) == .webPage)
        }
        #expect(try format("http://h/a", "<html>", type: "audio/x-scpls") == .webPage)
        #expect(try format("http://h/a.mp3", "<html>", type: "text/html") == nil)
        let wide = Array("[playlist]\n".utf8).flatMap { [$0, 0] as [UInt8] }
        #expect(
            Playlist.format(of: here, response: nil, head: ([0xFF, 0xFE] + wide)[...]) == .pls)
    }

    @Test func xmlNeedsMoreBytesToTell() throws {
        #expect(Playlist.isCut(Array(" \n<?xml ".utf8)[...]))
        #expect(Playlist.isCut([0xFE, 0xFF, 0, 0x23]))
        #expect(!Playlist.isCut(Array("#EXTM3U\n".utf8)[...]))
        let long = "<" + String(repeating: " ", count: Playlist.longestHead - 1)
        #expect(!Playlist.isCut(Array(long.utf8)[...]))
    }

    @Test(
        arguments: [
            (.asx, .listNotSupported("ASX")), (.wpl, .listNotSupported("WPL")),
            (.cue, .listNotSupported("CUE")), (.webPage, .webPage(notA: .playlist)),
        ] as [(Playlist.Format, SongFault)])
    func whatIsNoListIsRefusedByItsName(format: Playlist.Format, fault: SongFault) throws {
        let error = #expect(throws: SongError.self) { try songs("<asx>", format) }
        #expect(error?.fault == fault)
    }

    /// All of a list is in one encoding, its mark tells which.
    @Test(arguments: [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
    func listsInUTF16AreRead(mark: [UInt8]) throws {
        func wide(_ text: String) -> [UInt8] {
            mark
                + text.utf16.flatMap { unit -> [UInt8] in
                    let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                    return mark[0] == 0xFF ? bytes.reversed() : bytes
                }
        }
        let text = "#EXTM3U\r\n#EXTINF:1,Свадьба 🎵\r\nå ਊ.mp3\r\nb.mp3"
        let list = try Playlist(bytes: wide(text), format: .m3u, base: here, address: nil)
        let names = ["å ਊ.mp3", "b.mp3"].map { Location.file(path: "/music/lists/\($0)") }
        #expect(
            list.entries == [
                .song(.init(location: names[0], title: "Свадьба 🎵")),
                .song(.init(location: names[1])),
            ])
        let numbered = wide("[playlist]\nTitle1=é\nFile1=c.mp3\n")
        #expect(
            Playlist.format(of: .file(path: "x"), response: nil, head: numbered[...]) == .pls)
        #expect(try songs(numbered, .pls) == ["/music/lists/c.mp3"])
    }

    /// Titles and names of a list are guessed together: a short title alone is not.
    @Test func titlesInOldEncodingsAreRead() throws {
        let western = try TextEncodingTests.bytes("#EXTINF:1,Où – “là”\na.mp3\n", "CP1252")
        #expect(try titles(western) == ["Où – “là”"])
        let titles = ["Расцветали яблони и груши", "поплыли туманы над рекой", "Катюша"]
        let text = titles.map { "#EXTINF:1,\($0)\n\($0).mp3\n" }.joined()
        let bytes = try TextEncodingTests.bytes("#EXTM3U\n" + text, "CP1251")
        #expect(try self.titles(bytes) == titles)
    }
}
