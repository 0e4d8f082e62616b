import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// A song's decoder thread, as the player sees it.
@Suite struct TrackTests {
    /// Every frame that a track gives is the one that follows, or the first after the place that the last
    /// answer told; also where it is told to go elsewhere before an answer was taken.
    @Test func framesComeFromWhereTheAnswerSays() throws {
        let whole = try decodeAll(MusicFile.constant.bytes, chunk: 65_536)
        let news = try #require(EventFlag())
        let track = try Track(
            Location(MusicFile.constant.url.path), limits: .standard, news: news)
        #expect(poll { track.isOpen })
        var random = SeededRandom(seed: 1)
        var (place, blocks, superseded) = (0, 0, 0)

        /// Takes an answer, or else what was decoded; returns whether there was something.
        func take() -> Bool {
            if let (answer, isLast) = track.takeAnswer() {
                if case .landed(let plan, _) = answer { place = Int(plan.origin) }
                superseded += isLast ? 0 : 1
                return true
            }
            switch track.next() {
            case nil: return false
            case .frames(let block):
                let wanted = whole[(2 * place)...].prefix(32)
                let heard = unsafe Array(block.samples.prefix(wanted.count))
                #expect(Samples.largestDifference(heard, Array(wanted)) < 1e-6)
                place += block.count
                blocks += 1
                track.give(back: block)
            default: break
            }
            return true
        }

        for _ in 0..<300 {
            news.clear()
            track.go(to: Double.random(in: 0...6, using: &random), rate: 44_100, isExact: true)
            // What comes meanwhile is where the song was, or where the order before has led.
            for _ in 0..<2 { _ = take() }
            // Then to another place: at once, or when it is there, or after some frames from there.
            switch Int.random(in: 0...2, using: &random) {
            case 0: break
            case 1: #expect(news.wait(milliseconds: 10_000))
            default:
                let before = blocks
                #expect(poll { take() && !track.isSeeking && blocks > before })
            }
        }
        #expect(poll { take() && !track.isSeeking })
        #expect(superseded > 30)
    }
}
