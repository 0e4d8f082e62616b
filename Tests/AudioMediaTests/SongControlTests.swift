import Testing

@testable import AudioMedia

/// Commands that wait for a queue's thread.
@Suite struct SongControlTests {
    /// While the thread hangs, of each song's effects only the newest wait, where they were sent.
    @Test func effectsDoNotPileUp() throws {
        let control = SongControl(listener: nil)
        for key in 1...12 {
            let effects = SongEffects(tuning: try #require(SongTuning(key: Double(key))))
            for number in [7, 8] { control.send(.effectsOfSong(effects, number: number)) }
            control.send(.effects(effects))
            control.send(.period(key))
        }
        var found: [Int: [Double]] = [:]
        let commands = control.takeCommands()
        for command in commands {
            switch command {
            case .effectsOfSong(let effects, let number):
                found[number, default: []].append(effects.tuning.key)
            case .effects(let effects): found[0, default: []].append(effects.tuning.key)
            default: break
            }
        }
        #expect(found == [0: [12], 7: [12], 8: [12]])
        #expect(commands.count == 3 + 12)
    }
}
