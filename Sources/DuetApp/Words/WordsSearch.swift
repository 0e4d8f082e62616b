import AudioMedia

/// Asks a server of LRCLIB's kind for the words of a song: three requests at most, and none after the one that
/// finds them.
///
/// Source: docs/decisions/words-are-never-a-guess.md.
struct WordsSearch {
    /// What a server has of a song.
    enum Outcome: Sendable, Equatable {
        case found(WordsRecord)
        /// What may be it, the likeliest first.
        case choice([WordsRecord])
        /// The server knows that nobody sings.
        case instrumental
        case nothing
        /// Why nothing is known, for people.
        case failed(String)
    }

    /// Most requests for a song, and most songs to choose from.
    private static let (most, mostChoices) = (3, 9)
    /// Most records that are read of an answer; LRCLIB sends 20.
    private static let mostRecords = 50
    /// Seconds from one request to the next, before one that is repeated, and at most before that.
    private static let (pause, patience, longestPatience) = (0.5, 2.0, 10.0)
    /// Seconds by which the lengths of one recording may differ, and those of one that may be it.
    static let (closest, closeEnough) = (2.0, 5.0)

    /// The server's address, as `https://lrclib.net`.
    let server: String
    /// Asks for an address.
    let get: (String) throws(WebAnswer.Failure) -> WebAnswer
    /// Waits for so many seconds; false: the search is given up.
    let wait: (Double) -> Bool

    private var requests = 0

    init(
        server: String, get: @escaping (String) throws(WebAnswer.Failure) -> WebAnswer,
        wait: @escaping (Double) -> Bool
    ) {
        (self.server, self.get, self.wait) = (server, get, wait)
    }

    /// What the server has of `song`.
    mutating func find(_ song: SongQuestion) -> Outcome {
        var candidates: [WordsRecord] = []
        do throws(Failure) {
            for query in queries(for: song) where requests < Self.most {
                let records = try ask(query)
                if let best = Self.best(of: records, for: song) {
                    return best.isInstrumental ? .instrumental : .found(best)
                }
                candidates += records
            }
        } catch {
            return .failed(error.reason)
        }
        let choices = Self.choices(of: candidates, for: song)
        return choices.isEmpty ? .nothing : .choice(Array(choices.prefix(Self.mostChoices)))
    }

    // MARK: Questions

    private func queries(for song: SongQuestion) -> [String] {
        let length = song.duration.map { ("duration", "\(($0 * 100).rounded() / 100)") }
        func get(_ title: String, _ artist: String, album: String? = nil) -> String {
            query(
                "get",
                [
                    ("track_name", title), ("artist_name", artist),
                    album.map { ("album_name", $0) }, length,
                ])
        }
        func search(_ title: String, _ artist: String?) -> String {
            let artist = artist.flatMap { SongNames.artists($0).first }
            return query(
                "search",
                [
                    ("track_name", SongNames.asked(SongNames.cleaned(title))),
                    artist.map { ("artist_name", SongNames.asked($0)) },
                ])
        }
        if let artist = song.artist {
            return (song.album.map { [get(song.title, artist, album: $0)] } ?? [])
                + [get(song.title, artist), search(song.title, artist)]
        }
        let parted = song.parted.map { [get($0.title, $0.artist), search($0.title, $0.artist)] }
        return (parted ?? []) + [search(song.title, nil)]
    }

    private func query(_ name: String, _ fields: [(name: String, value: String)?]) -> String {
        "/api/\(name)?"
            + fields.compactMap { $0 }.map { field in
                // What means itself in every part of an address: RFC 3986, 2.3.
                let value = FileName.encoded(Array(field.value.utf8)[...]) {
                    "-._~".utf8.contains($0)
                }
                return "\(field.name)=\(value)"
            }.joined(separator: "&")
    }

    // MARK: Answers

    private struct Failure: Error { let reason: String }

    /// The records of an answer; one retry where the server is busy.
    private mutating func ask(_ query: String) throws(Failure) -> [WordsRecord] {
        if requests > 0 { try pause(Self.pause) }
        var answer = try request(query)
        if answer.status == 503 || answer.status == 429, requests < Self.most {
            let asked = answer.retryAfter > 0 ? answer.retryAfter : Self.patience
            guard asked <= Self.longestPatience else { throw busy(answer) }
            try pause(asked)
            answer = try request(query)
        }
        let host = WebAnswer.host(of: server)
        switch answer.status {
        case 200: break
        case 404: return []
        case 429, 503: throw busy(answer)
        default: throw Failure(reason: "\(host) answered with status \(answer.status)")
        }
        guard Self.isShallow(answer.body), let value = try? JSONText.read(answer.body) else {
            throw Failure(reason: "\(host) does not answer as LRCLIB does")
        }
        if let records = value.array {
            return records.prefix(Self.mostRecords).compactMap(WordsRecord.init)
        }
        return WordsRecord(value).map { [$0] } ?? []
    }

    /// Whether a text has at most 200 brackets in one another, those in words counted: a reader of JSON goes as
    /// deep as they do.
    private static func isShallow(_ text: [UInt8]) -> Bool {
        var (depth, deepest) = (0, 0)
        for byte in text {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            deepest = max(deepest, depth)
        }
        return deepest <= 200
    }

    private func busy(_ answer: WebAnswer) -> Failure {
        Failure(
            reason: "\(WebAnswer.host(of: server)) is busy (status \(answer.status)); try later")
    }

    private func pause(_ seconds: Double) throws(Failure) {
        guard wait(seconds) else { throw Failure(reason: "cancelled") }
    }

    private mutating func request(_ query: String) throws(Failure) -> WebAnswer {
        requests += 1
        let host = WebAnswer.host(of: server)
        do throws(WebAnswer.Failure) { return try get(server + query) } catch {
            let reason =
                switch error {
                case .unreachable(let reason): "cannot reach \(host): \(reason)"
                case .tooLarge: "the answer of \(host) is too long"
                case .tooSlow: "\(host) did not answer within 10 s"
                case .otherServer(let other):
                    "\(host) sends on to \(other), which duet does not ask"
                case .cancelled: "cancelled"
                }
            throw Failure(reason: reason)
        }
    }

    // MARK: Judging

    /// The record that is that song for certain, with the most times; nil: none is.
    static func best(of records: [WordsRecord], for song: SongQuestion) -> WordsRecord? {
        guard let duration = song.duration else { return nil }
        let certain = records.filter { record in
            guard let artist = song.artist ?? song.parted?.artist, let length = record.duration
            else { return false }
            let title = song.parted?.title ?? song.title
            return abs(length - duration) <= closest + 0.005 && record.fits(duration: duration)
                && (record.text != nil || record.isInstrumental)
                && isSame(record.title, title) && SongNames.kinship(record.artist, artist) == .same
        }
        return certain.min { one, other in
            let (a, b) = (one.text?.detail.rawValue ?? -1, other.text?.detail.rawValue ?? -1)
            guard a == b else { return a > b }
            return abs((one.duration ?? 0) - duration) < abs((other.duration ?? 0) - duration)
        }
    }

    /// Whether two titles name one recording.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        SongNames.plain(SongNames.cleaned(one)) == SongNames.plain(SongNames.cleaned(other))
    }

    /// The records that may be that song, the likeliest first: another version of it, or one of another length.
    static func choices(of records: [WordsRecord], for song: SongQuestion) -> [WordsRecord] {
        let titles = [song.title, song.parted?.title].compactMap { $0 }
        let artist = song.artist ?? song.parted?.artist
        var seen: [WordsRecord] = []
        for record in records where record.text != nil && !seen.contains(record) {
            let isTitle = titles.contains {
                isSame(record.title, $0)
                    || SongNames.plain(SongNames.base(record.title))
                        == SongNames.plain(SongNames.base($0))
            }
            let isArtist =
                song.artist == nil && song.parted == nil
                || artist.map { SongNames.kinship(record.artist, $0) != .none } ?? true
            guard isTitle, isArtist, distance(of: record, from: song) <= closeEnough,
                song.duration.map(record.fits) ?? true
            else { continue }
            seen.append(record)
        }
        return seen.sorted { one, other in
            let (a, b) = (isSame(one.title, titles[0]), isSame(other.title, titles[0]))
            guard a == b else { return a }
            let (near, far) = (distance(of: one, from: song), distance(of: other, from: song))
            guard near == far else { return near < far }
            return (one.text?.detail ?? .plain) > (other.text?.detail ?? .plain)
        }
    }

    /// By how many seconds the lengths differ; the most that may be where one is not known.
    private static func distance(of record: WordsRecord, from song: SongQuestion) -> Double {
        guard let length = record.duration, let duration = song.duration else { return closeEnough }
        return abs(length - duration)
    }
}
