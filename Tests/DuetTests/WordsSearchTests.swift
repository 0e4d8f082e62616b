import AudioMedia
import Testing

@testable import DuetApp

/// Finding the words of songs, against a model of the server that has LRCLIB's rules.
@Suite struct WordsSearchTests {
    private struct Tally {
        var (right, asked, missed, wrong) = (0, 0, 0, [String]())
        var most = 0
        var details: [String: [Int]] = [:]
    }

    private static func question(_ track: MadeTrack) -> SongQuestion? {
        SongQuestion(
            title: track.title, artist: track.artist, album: track.album, duration: track.duration)
    }

    /// What a search says, and how many requests it took. Every two are half a second apart.
    private static func search(
        _ song: SongQuestion, in server: LyricsServerModel
    ) -> (outcome: WordsSearch.Outcome, requests: Int) {
        var requests = 0
        var waited = 0.5
        var search = WordsSearch(
            server: "https://words.test",
            get: { address throws(WebAnswer.Failure) in
                #expect(address.hasPrefix("https://words.test/api/") && waited >= 0.5)
                (requests, waited) = (requests + 1, 0)
                let answer = server.answer(
                    to: String(address.dropFirst("https://words.test".count)))
                return WebAnswer(status: answer.status, body: Array(answer.body.utf8))
            },
            wait: {
                waited += $0
                return true
            })
        let outcome = search.find(song)
        return (outcome, requests)
    }

    /// The number that a record's words tell.
    private static func id(_ record: WordsRecord) -> Int? {
        let lines = record.text?.lyrics.lines.map(\.text) ?? []
        return lines.first { $0.contains(" of ") }?.split(separator: " ").last.flatMap { Int($0) }
    }

    /// Of a thousand songs at least 95 % are told right, and none is given words of another one unasked.
    @Test func aThousandSongs() throws {
        let (records, tracks) = MadeTracks.make(seed: 1)
        let server = LyricsServerModel(records)
        var tally = Tally()
        #expect(tracks.count == 1000)
        for track in tracks {
            let song = try #require(Self.question(track))
            let (outcome, requests) = Self.search(song, in: server)
            tally.most = max(tally.most, requests)
            var isRight = false
            switch outcome {
            case .found(let record):
                let id = Self.id(record)
                isRight = id.map(track.right.contains) ?? false
                if !isRight { tally.wrong.append("\(track) got \(record.artist): \(record.title)") }
            case .choice(let records):
                isRight =
                    track.mayAsk
                    && (track.right.isEmpty
                        || records.contains { Self.id($0).map(track.right.contains) ?? false })
                if isRight { tally.asked += 1 }
            case .instrumental, .nothing: isRight = track.right.isEmpty
            case .failed(let reason): Issue.record("\(track): \(reason)")
            }
            tally.right += isRight ? 1 : 0
            tally.details[track.kind, default: [0, 0]][isRight ? 0 : 1] += 1
        }
        #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(10).joined(separator: "\n"))")
        #expect(tally.right >= 950, "\(tally.right): \(tally.details.filter { $0.value[1] > 0 })")
        #expect(tally.most <= 3)
    }
}
