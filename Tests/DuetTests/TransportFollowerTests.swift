import JackIO
import Testing

@testable import DuetApp

/// Where a song that follows JACK's transport is sought.
@Suite struct TransportFollowerTests {
    /// A follower whose calls can stand in an expectation.
    private final class Follower {
        private var follower = TransportFollower()

        func note(isRolling: Bool) -> Bool { follower.note(isRolling: isRolling) }
        func noteRefusal() { follower.noteRefusal() }
        func noteOtherRate() { follower.noteOtherRate() }

        func goal(of song: TransportFollower.Song, for transport: JackTransport) -> Int? {
            follower.goal(of: song, for: transport)
        }
    }

    private func song(_ frame: Int, end: Int? = 480_000, hasEnded: Bool = false)
        -> TransportFollower.Song
    {
        .init(frame: frame, end: end, hasEnded: hasEnded, sampleRate: 48_000)
    }

    private func transport(_ frame: Int, isRolling: Bool) -> JackTransport {
        JackTransport(frame: frame, isRolling: isRolling)
    }

    @Test func whatRollsIsSoughtWhenItIsFarAway() {
        let follower = Follower()
        #expect(follower.note(isRolling: true) && !follower.note(isRolling: true))
        let now = transport(48_000, isRolling: true)
        for frame in [48_000 - 5 * 48_000, 48_000, 48_000 + 4800] {
            #expect(follower.goal(of: song(frame), for: now) == nil)
        }
        for frame in [48_000 - 5 * 48_000 - 1, 48_000 + 4801] {
            #expect(follower.goal(of: song(frame), for: now) == 48_000)
            // While the transport rolls, the song may fall behind again.
            #expect(follower.goal(of: song(frame), for: now) == 48_000)
        }
    }

    @Test func whatStandsIsSoughtToTheFrameAndOnce() {
        let follower = Follower()
        let now = transport(1000, isRolling: false)
        #expect(follower.goal(of: song(1000), for: now) == nil)
        #expect(follower.goal(of: song(999), for: now) == 1000)
        // A song that cannot arrive there exactly is not sent again and again.
        #expect(follower.goal(of: song(998), for: now) == nil)
        #expect(follower.goal(of: song(998), for: transport(1001, isRolling: false)) == 1001)
        // At another rate the same number is another place.
        follower.noteOtherRate()
        #expect(follower.goal(of: song(998), for: transport(1001, isRolling: false)) == 1001)
    }

    @Test func behindTheEndIsTheEnd() {
        let follower = Follower()
        _ = follower.note(isRolling: true)
        let now = transport(10_000_000, isRolling: true)
        #expect(follower.goal(of: song(0), for: now) == 480_000)
        #expect(follower.goal(of: song(0), for: now) == nil)
        #expect(follower.goal(of: song(480_000, hasEnded: true), for: now) == nil)
        // The length was an estimate: the song has come further.
        #expect(follower.goal(of: song(500_000, hasEnded: true), for: now) == nil)
        #expect(follower.goal(of: song(500_000), for: transport(0, isRolling: true)) == 0)
    }

    @Test func aRefusalHoldsUntilTheTransportStopsOrStarts() {
        let follower = Follower()
        follower.noteRefusal()
        #expect(follower.goal(of: song(0), for: transport(9, isRolling: false)) == nil)
        #expect(follower.note(isRolling: true))
        #expect(follower.goal(of: song(0), for: transport(400_000, isRolling: true)) == 400_000)
    }
}
