import AudioMedia

/// What a render mixes with the song: voices from files in place of microphones, and a second song.
final class OfflineOthers {
    let voices: [OfflineVoice]
    let second: OfflineSong?
    private let mix: MixGraph
    /// Where in the mix the voices begin, in seconds.
    private let place: Double
    private let secondStart: Double

    /// - Parameters:
    ///   - microphones: how many channels each has.
    ///   - place: where in the mix the voices begin, in seconds.
    ///   - secondStart: where in the second song the mix begins, in seconds.
    init(
        voices: [String], microphones: [Int], at place: Double, second: String?,
        from secondStart: Double, in mix: MixGraph
    ) throws(DuetError) {
        let rate = mix.graph.sampleRate
        var made: [OfflineVoice] = []
        for (name, channelCount) in zip(voices, microphones) {
            made.append(
                try OfflineVoice(name, sampleRate: rate, channelCount: channelCount, at: place))
        }
        (self.voices, self.mix, self.place, self.secondStart) = (made, mix, place, secondStart)
        guard let second else {
            self.second = nil
            return
        }
        let song = try OfflineSong(second, sampleRate: rate, at: secondStart)
        self.second = song
        try mix.setSong(song.source, bus: 1)
    }

    var songs: [OfflineSong] { voices.map(\.song) + [second].compactMap { $0 } }

    func stop() { for song in songs { song.stop() } }

    /// Handles the messages of the threads. What they tell is not reported.
    func look() {
        for song in songs {
            song.look()
            _ = song.takeNews()
        }
    }

    /// The next `frames` frames of all microphones.
    func capture(frames: Int) -> [[Float]] {
        voices.flatMap { $0.capture(frames: frames) }
    }

    /// Has each voice captured before it is to be heard, by what its way to the mixer delays, and later
    /// by what the song's way delays: so that what was sung on a beat is heard on it. Frames at a voice's
    /// beginning may fall away.
    ///
    /// - Parameter wait: waits until a voice has so many frames.
    func align(
        _ wait: (OfflineVoice, Int) throws(DuetError) -> Void
    ) throws(DuetError) {
        for (index, voice) in voices.enumerated() {
            var left = voice.lead(by: mix.latency(bus: 1 + index) - mix.latency(bus: 0))
            while left > 0 {
                let count = min(left, 4096)
                try wait(voice, count)
                _ = Signals.held { voice.capture(frames: count) }
                left -= count
            }
        }
    }

    var isOver: Bool { voices.allSatisfy(\.isOver) && second?.isOver ?? true }

    /// How many frames of the mix there are up to the last of these. To be called when they are over.
    func countFrames() -> Int64 {
        max(voices.map { $0.countFrames() }.max() ?? 0, second?.countFrames() ?? 0)
    }

    /// Where in the mix the last of these ends, in seconds; 0 where there is none, infinity where that
    /// is not known.
    var end: Double {
        let voices = voices.map { $0.end(from: place) ?? .infinity }.max() ?? 0
        return max(
            voices, second.map { $0.duration.map { $0 - secondStart } ?? .infinity } ?? 0)
    }

    /// Why one of these was lost.
    var failure: DuetError? { songs.compactMap(\.failure).first }
}
