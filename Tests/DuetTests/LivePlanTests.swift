import AudioMedia
import Testing

@testable import DuetApp

/// What a live command is to do, made of its options.
@Suite struct LivePlanTests {
    private func options(_ words: String...) throws -> OptionValues {
        guard case .run(let options) = try CommandParser.read(words) else {
            throw Refusal(reason: "no command")
        }
        return try options.configured(in: nil)
    }

    /// The demo's singer sings in the song's key, and has no other effect of the song.
    @Test func theDemosVoiceHasTheSongsKey() throws {
        let options = try options("demo", "--key", "2", "--remove-vocals")
        let plan = LivePlan(
            options, songs: [["song"], ["voice"]],
            mix: try options.mix(second: .mic(channelCount: 1)), remembers: false, hasVoice: true)
        let (song, voice) = (plan.songPlans[0].effects, plan.songPlans[1].effects)
        #expect(song.tuning.key == 2 && song != SongEffects(tuning: song.tuning))
        #expect(voice == SongEffects(tuning: song.tuning))
    }

    /// What the command line gives wins over what is remembered of a song; what the file gives does not.
    @Test func theCommandLinesValuesAreGiven() throws {
        let plan = LivePlan(
            try options("play", "song", "--song-volume", "2", "--set", "/song/pan=left"),
            songs: [["song"]], mix: MixPlan())
        #expect(plan.givenAddresses == ["/song/volume", "/song/pan"])
        #expect(plan.memoryPlan?.forgets == false)
        let other = LivePlan(
            try options("play", "a", "--no-memory"), songs: [["a"]], mix: MixPlan())
        #expect(other.memoryPlan == nil && other.stateFolder == nil)
    }
}
