import Glibc

/// A song at two loudspeakers in a synthetic room whose echoes last 100 ms, and what a microphone
/// hears of it; at 48 kHz.
public struct EchoRoom {
    public static let rate = 48_000

    /// The song, interleaved.
    public let song: [Float]
    /// The echoes from each loudspeaker: how many frames later, and how loud.
    private let echoes: [[(delay: Int, gain: Float)]]

    /// - Parameters:
    ///   - seed: of the room and of the song.
    ///   - echoGain: how loud what both loudspeakers play alike comes back.
    ///   - roundTrip: frames before the first echo.
    ///   - hasSong: false: the song is silence.
    public init(
        seed: UInt64, seconds: Int, echoGain: Float, roundTrip: Int, hasSong: Bool = true
    ) {
        let rate = Self.rate
        var random = SeededRandom(seed: seed)
        echoes = (0..<2).map { _ in
            let all = (0..<24).map { _ -> (delay: Int, gain: Float) in
                let delay = Int.random(in: 0..<rate / 10, using: &random)
                let decay = exp(-6.9 * Float(delay) / Float(rate / 10))
                return (roundTrip + delay, Float.random(in: -1...1, using: &random) * decay)
            }
            let size = (2 * all.reduce(Float(0)) { $0 + $1.gain * $1.gain }).squareRoot()
            return all.map { ($0.delay, $0.gain * echoGain / size) }
        }
        var song: [Float] = []
        song.reserveCapacity(2 * seconds * rate)
        var (left, right): (Float, Float) = (0, 0)
        for i in 0..<seconds * rate {
            // Two noises of their own, and a tone on both sides, that swell.
            left = 0.9 * left + 0.1 * Float.random(in: -1...1, using: &random)
            right = 0.9 * right + 0.1 * Float.random(in: -1...1, using: &random)
            let time = Float(i) / Float(rate)
            let tone = 0.1 * sin(2 * .pi * 147 * time) + 0.05 * sin(2 * .pi * 441 * time)
            let swell = hasSong ? 0.5 + 0.5 * sin(2 * .pi * 1.7 * time) : 0
            song.append(swell * (0.8 * left + tone))
            song.append(swell * (0.8 * right + tone))
        }
        self.song = song
    }

    /// What the microphone hears at `frames` of what each loudspeaker has `played` before.
    public func echo(of played: [[Float]], at frames: Range<Int>) -> [Float] {
        var heard = [Float](repeating: 0, count: frames.count)
        heard.withUnsafeMutableBufferPointer { heard in
            for (side, list) in echoes.enumerated() {
                played[side].withUnsafeBufferPointer { played in
                    for (delay, gain) in list {
                        let shift = frames.lowerBound - delay
                        var n = max(0, -shift)
                        while n < heard.count {
                            heard[n] += gain * played[shift + n]
                            n += 1
                        }
                    }
                }
            }
        }
        return heard
    }

    /// A sung tone of 220 Hz with overtones and vibrato, in syllables, from `start` on.
    public static func voice(seconds: Int, from start: Int) -> [Float] {
        var phase: Float = 0
        return (0..<seconds * rate).map { i in
            guard i >= start * rate else { return 0 }
            let time = Float(i) / Float(rate)
            phase += 2 * .pi * (220 + 5 * sin(2 * .pi * 5 * time)) / Float(rate)
            if phase > 2 * .pi { phase -= 2 * .pi }
            var sum: Float = 0
            for overtone in 1...8 { sum += sin(phase * Float(overtone)) / Float(overtone) }
            return 0.1 * max(0, sin(2 * .pi * 1.3 * time)) * sum
        }
    }
}
