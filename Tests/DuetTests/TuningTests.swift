import AudioMedia
import Testing

@testable import DuetApp

@Suite struct TuningTests {
    /// The demo's song and voice would part with another tempo; the key is free.
    @Test func theDemoHoldsTheTempo() throws {
        let wanted = SongEffects(tuning: try #require(SongTuning(key: 2, tempo: 80)))
        let key = SongEffects(tuning: try #require(SongTuning(key: 2)))
        #expect(SongPlan(songs: [], isDemo: true).possible(wanted) == key)
        #expect(SongPlan(songs: []).possible(wanted) == wanted)
    }
}
