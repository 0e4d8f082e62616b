import AudioGraph
import JackIO

/// How to make the latency from microphone to ear shorter, computed from its parts: whole cycles, and
/// frames that do not depend on the period.
struct LatencyAdvice: Equatable {
    /// Singers do not notice a latency below this, in milliseconds.
    static let goal = 5.0

    /// The latency, in frames.
    var frames: Int
    /// How many whole cycles are in `frames`, as the server sets them up; the other frames do not
    /// depend on the period: converters, and what `jackd -I` and `-O` say.
    var cycles: Int
    /// Frames in a cycle.
    var period: Int
    /// Frames a second, in Hz.
    var rate: Int
    var isPipeWire: Bool

    var fixedFrames: Int { frames - cycles * period }
    var milliseconds: Double { milliseconds(frames) }

    /// A latency of `frames`, of which JACK reports `known`.
    init(frames: Int, known: Int, period: Int, rate: Int, isPipeWire: Bool) {
        self.frames = frames
        cycles = min(known, frames) / period
        self.period = period
        self.rate = rate
        self.isPipeWire = isPipeWire
    }

    /// The longest period, a power of two of 16…1024, with which the latency is under the goal; nil:
    /// there is none.
    var shorterPeriod: Int? {
        [1024, 512, 256, 128, 64, 32, 16].first {
            milliseconds(cycles * $0 + fixedFrames) < Self.goal
        }
    }

    /// What to do; empty when the latency is under the goal.
    var text: String {
        guard milliseconds >= Self.goal else { return "" }
        guard let period = shorterPeriod, period < self.period else {
            return "no period makes it less than 5 ms: "
                + (isPipeWire
                    ? "use the card with jackd instead of PipeWire"
                    : "use fewer periods (jackd -n 2; -S), or a higher rate (jackd -r 96000)")
        }
        let frames = cycles * period + fixedFrames
        return "for \(fixed(milliseconds(frames), digits: 1)) ms (\(cycles) × \(period)\(extra) "
            + "frames), set the period to \(period): "
            + Self.setting(period: period, rate: rate, isPipeWire: isPipeWire)
    }

    /// How a user sets a period.
    static func setting(period: Int, rate: Int, isPipeWire: Bool) -> String {
        isPipeWire
            ? "PIPEWIRE_QUANTUM=\(period)/\(rate) duet song.mp3"
            : "jackd -d alsa -r \(rate) -p \(period)"
    }

    private var extra: String { fixedFrames > 0 ? " + \(fixedFrames)" : "" }

    private func milliseconds(_ frames: Int) -> Double { Double(frames) * 1000 / Double(rate) }
}
