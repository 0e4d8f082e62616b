import Foundation

/// A server of words as LRCLIB is one, without the network: the same requests, the same rules for
/// what matches, the same answers.
struct LyricsServerModel {
    /// A recording the server knows, and its words.
    struct Record {
        let id: Int
        let track: String
        let artist: String
        let album: String
        let duration: Double
        var isInstrumental = false
        var plain: String?
        var synced: String?
        var lyricsfile: String?
    }

    private var known: [Int: Record] = [:]
    /// The records, each with its prepared album, by prepared title and artist.
    private var equals: [String: [(album: String, record: Record)]] = [:]
    /// The ids of the records by parameter and word.
    private var words: [String: Set<Int>] = [:]
    private static let parameters = ["track_name", "artist_name", "album_name"]

    init(_ records: [Record]) {
        for record in records {
            let texts = [record.track, record.artist, record.album].map(Self.prepared)
            known[record.id] = record
            equals[texts[0] + "\n" + texts[1], default: []].append((texts[2], record))
            for (parameter, text) in zip(Self.parameters, texts) {
                for word in Self.words(of: text) {
                    words[parameter + word, default: []].insert(record.id)
                    words["q" + word, default: []].insert(record.id)
                }
            }
        }
    }

    /// What the server says to a GET of `target`, which is a path and a query as HTTP sends them.
    func answer(to target: String) -> (status: Int, body: String) {
        let path = target.prefix { $0 != "?" }
        let query = Self.values(in: target.dropFirst(path.count + 1))
        switch path {
        case "/api/get": return get(query)
        case "/api/search": return (200, Self.json(search(query).map { Self.fields(of: $0) }))
        case _ where path.hasPrefix("/api/get/"):
            return Self.found(Int(path.dropFirst("/api/get/".count)).flatMap { known[$0] })
        default: return Self.found(nil)
        }
    }

    private func get(_ query: [String: String]) -> (status: Int, body: String) {
        let (title, artist) = (query["track_name"] ?? "", query["artist_name"] ?? "")
        let duration = query["duration"].map { Double($0) ?? 0 }
        if title.isEmpty || artist.isEmpty || !(1...3600).contains(duration ?? 1) {
            return Self.refusal(400, "ValidationError", "title and artist needed, 1 to 3600 s")
        }
        let album = Self.prepared(query["album_name"] ?? "")
        let lengths = duration.map { $0 - 2...$0 + 2 } ?? 0...Double.infinity
        let found = equals[Self.prepared(title) + "\n" + Self.prepared(artist), default: []]
            .filter { album.isEmpty || $0.album == album }.map(\.record)
            .filter { lengths.contains($0.duration) }.sorted { $0.id < $1.id }
        return Self.found(found.first { $0.synced != nil } ?? found.first)
    }

    /// At most 20, those with the shortest titles first. As on the server, a `q` counts alone, and
    /// without both a `q` and a title nothing is found.
    private func search(_ query: [String: String]) -> [Record] {
        let asked = query.mapValues { Self.words(of: Self.prepared($0)) }.filter { !$1.isEmpty }
        if asked["q"] == nil && asked["track_name"] == nil { return [] }
        let found = (asked["q"] == nil ? Self.parameters : ["q"]).flatMap { parameter in
            asked[parameter, default: []].map { words[parameter + $0, default: []] }
        }.sorted { $0.count < $1.count }
        let hits = found[0].filter { hit in found.allSatisfy { $0.contains(hit) } }
            .compactMap { known[$0] }
        return Array(hits.sorted { ($0.track.count, $0.id) < ($1.track.count, $1.id) }.prefix(20))
    }

    /// A text as LRCLIB compares it.
    private static func prepared(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars
        where scalar.properties.generalCategory != .nonspacingMark && !vanishing.contains(scalar) {
            scalars.append(blanked.contains(scalar) ? " " : scalar)
        }
        return String(scalars).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static let vanishing = Set("'’".unicodeScalars)
    private static let blanked = Set("`~!@#$%^&*()_|+-=?;:\",.<>{}[]\\/".unicodeScalars)

    /// The runs of letters and digits in a prepared text: the words of a full-text search.
    private static func words(of text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func values(in query: Substring) -> [String: String] {
        let values = query.split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = sides.map { $0.replacing("+", with: " ") }
                .map { $0.removingPercentEncoding ?? String($0) }
            return (texts[0], texts.count > 1 ? texts[1] : "")
        }
        return Dictionary(values) { first, _ in first }
    }

    private static func fields(of record: Record) -> [String: Any] {
        var fields: [String: Any] = [
            "id": record.id, "name": record.track, "trackName": record.track,
            "artistName": record.artist, "albumName": record.album, "duration": record.duration,
            "instrumental": record.isInstrumental, "plainLyrics": record.plain ?? NSNull(),
            "syncedLyrics": record.synced ?? NSNull(),
        ]
        fields["lyricsfile"] = record.lyricsfile
        return fields
    }

    private static func found(_ record: Record?) -> (status: Int, body: String) {
        record.map { (200, json(fields(of: $0))) }
            ?? refusal(404, "TrackNotFound", "Failed to find specified track")
    }

    private static func refusal(_ status: Int, _ name: String, _ message: String) -> (Int, String) {
        (status, json(["message": message, "name": name, "statusCode": status] as [String: Any]))
    }

    private static func json(_ value: Any) -> String {
        let data = try? JSONSerialization.data(
            withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

/// A song of a user: what the tags of its file say, and the truth about its words.
struct MadeTrack {
    /// What is peculiar to it.
    let kind: String
    let title: String
    let artist: String?
    let album: String?
    let duration: Double?
    /// The records whose words are those of this very recording; none if the server has none.
    let right: Set<Int>
    /// Whether it is right to let the user choose instead of taking one.
    let mayAsk: Bool
}

/// A thousand songs with the flaws that tags of real files have, and a server of 3,000 records.
enum MadeTracks {
    static func make(seed: UInt64) -> (records: [LyricsServerModel.Record], tracks: [MadeTrack]) {
        var maker = TrackMaker(state: seed)
        maker.makeTracks()
        while maker.records.count < 3000 { maker.put(maker.song(per: 16)) }
        let (records, tracks) = (maker.records, maker.tracks)
        return (records.shuffled(using: &maker), tracks.shuffled(using: &maker))
    }
}

/// Invented names. Many hold letters that a hasty cleaner of titles takes for "ft", "live", "with".
private enum Names {
    static let titles = [
        "Soft", "Daft", "Drift", "Live and Learn", "Alive", "Remixed Hearts", "Without You", "Left",
        "With Love", "Lift", "Defeated", "Olive Tree", "Deliver Me", "Acoustics of Sleep",
        "Instrumental to Us", "The Official Secret", "Lyrics for Nobody", "One, Two & Three?",
    ]
    static let artists = [
        "Simon & Garland", "AB/CD", "Sigur Ròs", "Guns ’n’ Ivy", "Earth, Wind & Stone", "The Ones",
        "The Ones Below", "Tribute to AB/CD", "Sólveig Dahl", "Éloïse Marchand", "Piñata Club",
        "Motörhall", "Café Ténèbre", "Live Wire Choir", "Swift Feats", "Daft Pine", "Feather",
        "Feather Street", "Remix Ministry", "Soft Sellers", "Mira Holt", "Jonas Farrow", "Salt Pan",
        "Harbour Nine", "Otto Wren", "Nora Vance", "Copper & Sons", "M. T. Halloway", "7th Lamp",
    ]
    static let guests = ["Ann Birch", "Tom Vale", "Vera Kolt", "MC Lindo", "Lil Ember", "DJ Salz"]
    static let adjectives = [
        "Soft", "Daft", "Silver", "Hollow", "Quiet", "Broken", "Golden", "Distant", "Electric",
        "Frozen", "Wooden", "Restless", "Secret", "Amber", "Careless", "Endless", "Faded", "Lifted",
    ]
    static let nouns = [
        "Drift", "Raft", "River", "Lantern", "Harbour", "Engine", "Garden", "Mirror", "Feather",
        "Thunder", "Window", "Orchard", "Signal", "Winter", "Compass", "Shadow", "Station", "Olive",
        "Anchor", "Ember", "Meadow", "Bridge", "Candle", "Desert", "Echo", "Island", "Ocean", "Sky",
    ]
    static let verbs = ["Follow", "Forget", "Carry", "Steal", "Wake", "Lift", "Borrow", "Outlive"]
    static let accented = pairs(["Café", "Señor", "Déjà", "Für", "Façade", "Noël"], " ", nouns)
    private static let words = ["Снег", "Ветер", "Ёлка", "Река", "Огонь", "Чайник", "Тишина"]
    private static let kanji = ["夜", "海", "ガラス", "月", "森", "風", "ミドリ", "駅", "雨", "空"]
    static let cyrillic = pairs(words, " и ", words.map { $0.lowercased() })
    static let cyrillicActs = ["Северный Причал", "Ёжик Туманов", "Тихие Окна", "Майский Шум"]
    static let japanese = pairs(kanji, "の", kanji)
    static let japaneseActs = ["月の船団", "ガラス坂", "みどりラジオ", "北窓カルテット"]
    /// In two spellings which are one for the server: it does not read signs.
    static let versions = [
        (" (Live)", " - Live"), (" - Live at Harbour Hall", " (Live at Harbour Hall)"),
        (" (Acoustic)", " - Acoustic"), (" - Acoustic Version", " [Acoustic Version]"),
        (" [Live 2009]", " - Live 2009"), (" (Vera Kolt Remix)", " - Vera Kolt Remix"),
        (" (Karaoke Version)", " - Karaoke Version"), (" (Instrumental)", " - Instrumental"),
    ]

    private static func pairs(_ first: [String], _ link: String, _ second: [String]) -> [String] {
        first.flatMap { one in second.map { one + link + $0 } }
    }
}

/// A song, as a file's tags or the server say it. An empty text or 0 s: a tag that is missing.
private struct Song {
    var title: String
    var artist: String
    var album: String
    var duration: Double
    /// Without words it is known as instrumental, or, if "timed", by a text that says so.
    var hasWords = true
    var isTimed = true

    func but(
        title: String? = nil, artist: String? = nil, album: String? = nil, off: Double = 0,
        isInstrumental: Bool = false
    ) -> Song {
        Song(
            title: title ?? self.title, artist: artist ?? self.artist, album: album ?? self.album,
            duration: duration + off, hasWords: !isInstrumental, isTimed: !isInstrumental)
    }

    func version(_ n: Int, off: Double) -> Song {
        but(title: title + Names.versions[n % 8].0, off: off, isInstrumental: n % 8 == 7)
    }
}

/// A song that is going to be a track.
private struct Case {
    let song: Song
    var file: Song
    /// The server's record of it, if it has one, and those of the same words and of other words.
    var record: Song?
    var twins: [Song] = []
    var others: [Song] = []
    var mayAsk = false
    /// Names for whatever the case needs.
    let rival: String
    let guest: String
    let album: String
}

/// What makes the songs by SplitMix64. A title and an artist come together once at most.
private struct TrackMaker: RandomNumberGenerator {
    var state: UInt64
    var records: [LyricsServerModel.Record] = []
    var tracks: [MadeTrack] = []
    var used: Set<String> = []

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func makeTracks() {
        add("exact", 350) { it, n in
            if n % 4 == 0 { it.twins = [it.song.but(album: it.album, off: 0.5)] }
        }
        add("another album", 50) { it, n in
            if n % 3 == 2 { it.twins = [it.song.but(album: "Best of " + it.guest, off: -0.5)] }
            it.file.album = n % 3 == 1 ? it.song.album + " (Deluxe)" : it.album
        }
        add("no album", 30) { it, _ in it.file.album = "" }
        add("up to 2 s off", 24) { it, n in
            it.file = it.song.but(off: [1.0, 1.9, 2.0, -1.0, -1.9, -2.0][n % 6])
        }
        add("2.5 to 5 s off", 16, mayAsk: true) { it, n in
            it.file = it.song.but(off: (2.5 + Double(n % 11) / 4) * (n % 2 == 0 ? 1 : -1))
        }
        add("unknown", 50) { it, _ in it.record = nil }
        add("instrumental", 10) { it, _ in it.record = it.song.but(isInstrumental: true) }
        add("instrumental by its text", 4) { it, _ in it.record?.hasWords = false }
        add("plain words only", 16) { it, _ in it.record?.isTimed = false }
        add("synced and plain", 12) { it, n in
            it.twins = [it.song.but(album: it.album, off: 0.75)]
            it.record?.isTimed = n % 2 == 0
            it.twins[0].isTimed = n % 2 == 1
        }
        add("artist in the title", 12, mayAsk: true) { it, n in
            it.file.title = "\(it.song.artist) - \(it.song.title)"
            (it.file.artist, it.file.album) = ("", n % 2 == 0 ? "" : it.song.album)
        }
        add("no artist", 6, titles: [], mayAsk: true) { it, n in
            it.file.artist = ""
            it.others = [it.song.but(artist: it.rival, off: n % 3 == 0 ? 1.5 : 26)]
        }
        add("no duration", 14, mayAsk: true) { it, n in
            it.file.duration = 0
            if n % 3 == 0 { it.others = [it.song.but(album: it.album, off: 30)] }
            if n % 3 == 1 { it.others = [it.song.version(0, off: 12)] }
        }
        add("feat. in the file", 40) { it, n in
            it.file.title += [" (feat. %)", " [ft. %]", " ft %", " feat %"][n % 4] % it.guest
        }
        add("feat. on the server", 24) { it, n in
            it.record?.title += [" (feat. %)", " [ft. %]", " ft %", " feat %"][n % 4] % it.guest
        }
        add("feat. in the artist", 20) { it, n in
            let guest = ["feat. %", "ft. %", "featuring %"][n % 3] % it.guest
            if n % 4 == 1 { it.record?.title += " (feat. \(it.guest))" }
            if n % 4 == 2 { it.record?.artist += " " + guest }
            if n % 4 != 2 { it.file.artist += " " + guest }
        }
        add("several artists", 36) { it, n in
            // With other signs, nobody could tell the band's own from those between two artists.
            let isJoint = it.song.artist.contains { "&,/".contains($0) }
            it.file.artist += (isJoint ? ";" : [";", ", ", " & ", " / "][n % 4]) + it.guest
            if n / 4 % 2 == 0 { it.record?.artist += [" & ", ", ", "; "][n % 3] + it.guest }
        }
        let additions = [
            " - Remastered %", " (% Remaster)", " (Remastered)", " (Official Video)",
            " (Official Audio)", " [Lyrics]",
        ]
        add("remastered and the like", 48) { it, n in
            if n % 8 == 0 { it.file.title += " (feat. \(it.guest))" }
            it.file.title += additions[n % 6] % String(2011 - n % 16)
        }
        add("accents", 21, titles: Names.accented, per: 1) { it, n in
            let decomposed = it.song.title.decomposedStringWithCanonicalMapping
            it.file.title = [folded(it.song.title), decomposed, it.song.title][n % 3]
            if n % 3 == 2 { it.record?.title = folded(it.song.title) }
        }
        let accented = Names.artists.filter { folded($0) != $0 }
        add("accents", 7, artists: accented) { it, _ in it.file.artist = folded(it.song.artist) }
        let signs = [
            ("Don’t Lose the %", "Don't Lose the %"), ("Don't Call a %", "Don’t Call a %"),
            ("Lost “%”", "Lost \"%\""), ("Once – %", "Once - %"), ("‘Til the %", "'Til the %"),
            ("After the %…", "After the %..."),
        ]
        let artists = ["Guns ’n’ Ivy", "Mira Holt", "Otto Wren", "Nora Vance"]
        add("typographic signs", 24, artists: artists, titles: []) { it, n in
            it.file.title = signs[n % 6].0 % it.song.title
            it.record?.title = signs[n % 6].1 % it.song.title
            it.record?.artist = it.song.artist.replacing("’", with: "'")
        }
        add("capitals", 18) { it, n in
            let changed: (String) -> String = { n % 2 == 0 ? $0.uppercased() : $0.lowercased() }
            if n % 3 != 1 { it.file.artist = changed(it.song.artist) }
            if n % 3 != 2 { it.file.title = changed(it.song.title) }
        }
        add("Cyrillic", 14, artists: Names.cyrillicActs, titles: Names.cyrillic, per: 1) { it, n in
            if n % 3 == 0 { it.file.title = it.song.title.uppercased() }
            if n % 3 == 1 { it.file.title = folded(it.song.title) }
        }
        add("Japanese", 14, artists: Names.japaneseActs, titles: Names.japanese, per: 1) { it, n in
            if n % 2 == 0 { it.file.title = it.song.title.decomposedStringWithCanonicalMapping }
        }
        let offs = [0.5, -1.75, 3.5, -4.5, 14, -22, 31]
        add("another recording", 16, isKnown: false) { it, n in
            it.file = it.song.but(off: Double(10 + 3 * n) * (n % 4 < 2 ? 1 : -1))
            if n % 2 == 0 { it.file.album = "Live in \(it.guest)'s Hall" }
            it.others = [it.song]
        }
        add("only a cover", 16, titles: [], isKnown: false) { it, n in
            it.others = [it.song.but(artist: it.rival, off: n % 2 == 0 ? 0.25 : -17)]
        }
        add("a cover beside", 10, titles: []) { it, n in
            it.others = [it.song.but(artist: it.rival, off: n % 2 == 0 ? 0 : 1)]
        }
        add("a version beside", 24) { it, n in it.others = [it.song.version(n, off: offs[n % 7])] }
        add("only a version", 14, isKnown: false) { it, n in
            it.others = [it.song.version(n, off: offs[n % 7])]
            it.mayAsk = abs(offs[n % 7]) <= 5
        }
        add("is a version", 12) { it, n in
            it.record = it.song.version(n % 7, off: offs[n % 5])
            it.others = [it.song]
            it.file = it.file.but(title: it.song.title + Names.versions[n % 7].1, off: offs[n % 5])
            if n % 4 == 3 { it.file.title += " (2011 Remaster)" }
        }
        add("is a version, only the studio's known", 20, isKnown: false) { it, n in
            it.others = [it.song]
            it.file = it.file.version(n, off: offs[n % 7])
            it.mayAsk = abs(offs[n % 7]) <= 5
        }
        add("one title, two songs", 10, titles: []) { it, n in
            let title = it.song.title + ["!", "?", "...", " (!)", "?!"][n % 5]
            it.others = [it.song.but(title: title, off: n < 5 ? 30 : -30)]
        }
        add("a title within a title", 18, titles: []) { it, n in
            let addition = [" Away", " Blues", " (Part Two)", " Again"][n % 4]
            let long = it.song.but(title: it.song.title + addition, off: n % 2 == 0 ? 0.5 : -1)
            it.others = [n % 3 == 2 ? it.song : long]
            if n % 3 == 2 { it.file.title = long.title }
            if n % 3 != 0 { it.record = nil }
        }
    }

    private mutating func add(
        _ kind: String, _ count: Int, artists: [String] = Names.artists,
        titles: [String] = Names.titles, per: Int = 5, isKnown: Bool = true, mayAsk: Bool = false,
        _ change: (inout Case, Int) -> Void
    ) {
        for n in 0..<count {
            let song = self.song(artists, titles: titles, per: per)
            // The tags are true, the length differs as by another encoder.
            let file = song.but(off: Double(Int.random(in: -40...40, using: &self)) / 100)
            let rivals = Names.artists.filter { $0 != song.artist }
            let rival = rivals.first { $0.contains(song.artist) } ?? pick(rivals)
            var it = Case(
                song: song, file: file, record: isKnown ? song : nil, mayAsk: mayAsk, rival: rival,
                guest: pick(Names.guests), album: "Songs for " + pick(Names.nouns))
            change(&it, n)
            for other in it.others { put(other) }
            var right = it.twins.map { put($0) }
            if let record = it.record { right.append(put(record)) }
            if it.record?.hasWords == false { right = [] }
            let (artist, album, duration) = (it.file.artist, it.file.album, it.file.duration)
            tracks.append(
                MadeTrack(
                    kind: kind, title: it.file.title, artist: artist.isEmpty ? nil : artist,
                    album: album.isEmpty ? nil : album, duration: duration == 0 ? nil : duration,
                    right: Set(right), mayAsk: it.mayAsk))
        }
    }

    /// Gives the server a record of the song, with words that tell the record's id.
    @discardableResult
    mutating func put(_ song: Song) -> Int {
        // In no order that would tell anything: 100,003 is a prime.
        let id = 1 + (records.count + 1) * 7919 % 100_003
        let lines = (1...(6 + id % 5)).map { "line \($0) of \(id)" }
        let timed = lines.enumerated().map { n, line in
            let time = 12 + n * Int(song.duration - 20) / lines.count
            return String(format: "[%02d:%02d.00]", time / 60, time % 60) + line
        }
        let text = song.hasWords ? timed.joined(separator: "\n") : "[au: instrumental]"
        records.append(
            LyricsServerModel.Record(
                id: id, track: song.title, artist: song.artist, album: song.album,
                duration: song.duration, isInstrumental: !song.hasWords && !song.isTimed,
                plain: song.hasWords ? lines.joined(separator: "\n") : nil,
                synced: song.isTimed ? text : nil))
        return id
    }

    /// A new song. One of `per` has a title of `titles`, which several artists may have; the
    /// others have one that is invented for them alone.
    mutating func song(
        _ artists: [String] = Names.artists, titles: [String] = Names.titles, per: Int = 5
    ) -> Song {
        while true {
            let isListed = !titles.isEmpty && Int.random(in: 0..<per, using: &self) == 0
            let (title, artist) = (isListed ? pick(titles) : invented(), pick(artists))
            guard used.insert(isListed ? title + "\n" + artist : title).inserted else { continue }
            let album = "\(pick(Names.nouns)) & \(pick(Names.nouns))"
            // In quarters of a second, so that 2 s more or less are exactly 2 s.
            let duration = Double(Int.random(in: 520...1360, using: &self)) / 4
            return Song(title: title, artist: artist, album: album, duration: duration)
        }
    }

    private mutating func invented() -> String {
        let (noun, adjective) = (pick(Names.nouns), pick(Names.adjectives))
        switch Int.random(in: 0..<8, using: &self) {
        case 0, 1: return "\(noun) of \(pick(Names.nouns))"
        case 2: return "\(pick(Names.verbs)) the \(adjective) \(noun)"
        case 3: return "Don't \(pick(Names.verbs)) My \(noun)"
        case 4: return "\(adjective), \(pick(Names.adjectives)) \(noun)"
        case 5: return "(\(pick(Names.verbs)) Me) \(noun)"
        default: return "\(adjective) \(noun)"
        }
    }

    private mutating func pick(_ list: [String]) -> String {
        list[Int.random(in: 0..<list.count, using: &self)]
    }
}

/// The text with `part` at its percent sign.
private func % (text: String, part: String) -> String { text.replacing("%", with: part) }

private func folded(_ text: String) -> String {
    text.folding(options: .diacriticInsensitive, locale: nil)
}
