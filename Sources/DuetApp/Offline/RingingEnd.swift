/// What echo and reverb still give when song and voice are over: up to where it can be heard.
struct RingingEnd {
    /// Below this, −80 dBFS, nothing is heard any more.
    private static let threshold: Float = 1e-4
    /// The most seconds; what is still heard then fades out in the last 10 ms of them.
    private static let longest = 60

    private let sampleRate: Int
    /// Silence, which counts only if something is heard after it.
    private var held: [[Float]] = [[], []]
    private var frameCount = 0
    private(set) var isOver = false

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Takes the next frames, two channels, and returns those that belong to the sound.
    mutating func take(_ frames: [[Float]]) -> [[Float]] {
        let last = frames.map { $0.lastIndex { abs($0) > Self.threshold } ?? -1 }.max() ?? -1
        var heard: [[Float]] = [[], []]
        for channel in 0..<2 {
            if last >= 0 {
                heard[channel] = held[channel] + frames[channel][...last]
                held[channel] = Array(frames[channel][(last + 1)...])
            } else {
                held[channel] += frames[channel]
            }
        }
        let left = Self.longest * sampleRate - frameCount
        frameCount += heard[0].count
        isOver =
            Double(held[0].count) > MixGraph.longestSilence * Double(sampleRate)
            || heard[0].count >= left
        return heard.map { fadedOut($0, framesLeft: left) }
    }

    private func fadedOut(_ samples: [Float], framesLeft: Int) -> [Float] {
        let fade = max(1, sampleRate / 100)
        guard samples.count > framesLeft - fade else { return samples }
        return samples.prefix(framesLeft).enumerated().map { frame, sample in
            sample * min(1, Float(framesLeft - 1 - frame) / Float(fade))
        }
    }
}
