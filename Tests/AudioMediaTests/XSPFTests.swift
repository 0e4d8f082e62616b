import Testing

@testable import AudioMedia

/// Lists in XSPF, and the XML that they are written in.
@Suite struct XSPFTests {
    private func songs(_ text: String, base: String = "/music/lists/a.xspf") throws -> [String] {
        try Playlist(
            bytes: Array(text.utf8), format: .xspf, base: Location(base), address: nil
        ).entries.map {
            guard case .song(let song) = $0 else { return "refused" }
            return [song.location.name, song.title].compactMap(\.self).joined(separator: "|")
        }
    }

    private func list(_ tracks: String) -> String {
        "<playlist version=\"1\"><trackList>\(tracks)</trackList></playlist>"
    }

    @Test func tracksAreSongs() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a <track> of no list -->
            <playlist version="1" xmlns="http://xspf.org/ns/0/" xmlns:vlc="http://vlc/">
              <title>All</title><location>no.mp3</location>
              <trackList>
                <track>
                  <location>file:///music/a%20b.mp3</location>
                  <title>Rock &amp; Roll &#233;&#x1F3B5;</title><creator>An Artist</creator>
                  <location>second.mp3</location>
                  <extension application="x"><title>no</title><vlc:id>1</vlc:id></extension>
                </track>
                <track><title>nowhere</title></track>
                <x:track><x:location> ../c&#x2F;d.mp3\n</x:location><x:title/></x:track>
                <track><location><![CDATA[e<f>&amp;.mp3]]></location><title> \u{1B}[31m </title></track>
                <track><location>http://h/g.mp3?a=1&amp;b=2</location><annotation>x</annotation></track>
                <track><location>ftp://h/i.mp3</location></track>
              </trackList>
            </playlist>
            """
        #expect(
            try songs(text) == [
                "/music/a b.mp3|An Artist - Rock & Roll é🎵", "/music/lists/../c/d.mp3",
                "/music/lists/e<f>&amp;.mp3|[31m", "http://h/g.mp3?a=1&b=2", "refused",
            ])
        #expect(
            try songs(list("<track><location>b%20c.mp3</location></track>"), base: "http://h/x/y")
                == ["http://h/x/b%20c.mp3"])
    }

    /// What is not well formed is read as far as it makes sense.
    @Test(arguments: [
        (
            "<track><location>a & b &co; &#0; &#xD800; &#99999999999;</location></track>",
            ["a & b &co; &#0; &#xD800; &#99999999999;"]
        ),
        ("<track><location>a < b</location></track>", ["a < b"]),
        (
            "<track><location>a</track></location><track><location>b</location></track>",
            ["a", "b"]
        ),
        ("<track id='>' x=\"'/>\"><location>a</location></track>", ["a"]),
        ("<track><location>a</location></track><track><location>b", ["a", "b"]),
        ("<track><location>a</location></track><track title='b>", ["a"]),
        (
            "<?x <track><location>b</location></track> ?><track><location>a</location></track>",
            ["a"]
        ),
    ])
    func brokenTextIsBorne(text: String, names: [String]) throws {
        #expect(try songs(list(text)) == names.map { "/music/lists/\($0)" })
    }

    /// A list that defines its own entities, to grow or to read files, is not read behind that.
    @Test func entitiesOfTheListAreNotRead() throws {
        let track = list("<track><location>&a;</location></track>")
        let bomb = "<!DOCTYPE x [<!ENTITY a \"b\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]>"
        #expect(try songs(bomb + track).isEmpty)
        #expect(try songs("<!DOCTYPE playlist>" + track) == ["/music/lists/&a;"])
    }

    @Test func listsAreBounded() throws {
        let many = String(
            repeating: "<track><location>a</location></track>", count: Playlist.maximumCount + 2)
        let found = try songs(list(many))
        #expect(found.count == Playlist.maximumCount && found.first == "refused")
        let deep = String(repeating: "<a>", count: 50_000)
        #expect(try songs(list(deep + many)).isEmpty)
        for open in ["<", "<a ", "<a '", "<!--", "<![CDATA[", "<?", "<!", "</", "&"] {
            let text = String(repeating: open, count: 50_000)
            #expect(try songs(list("<track><location>a</location></track>" + text)).count == 1)
        }
    }
}
