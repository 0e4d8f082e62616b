import AudioMedia
import JackIO

/// A round trip that `duet doctor --measure` measured, and the line of a file that keeps it.
struct MeasuredRoundTrip: Sendable, Equatable {
    /// The most frames that a line may say: more than 10 s at the highest rate.
    static let most = 10_000_000

    let path: LoopPath
    /// The measured frames.
    let frames: Int
    /// The frames that JACK reported for the path then.
    let reported: Int

    init(path: LoopPath, frames: Int, reported: JackLatency) {
        self.path = path
        self.frames = frames
        self.reported = min(RoundTrip.frames(of: reported), Self.most)
    }

    /// Nil if the measurement found nothing, or no single length.
    init?(_ loop: LoopMeasurement) {
        guard let path = loop.path, let found = loop.roundTrip, found.minimum == found.maximum,
            (0...Self.most).contains(found.maximum)
        else { return nil }
        self.init(path: path, frames: found.maximum, reported: loop.reported)
    }

    /// Whether it is the round trip of `path` while JACK reports `reported`. With other latency
    /// options of the driver nobody knows whether sound takes longer or is only said to.
    func holds(for path: LoopPath, reported: JackLatency) -> Bool {
        path == self.path && min(RoundTrip.frames(of: reported), Self.most) == self.reported
    }

    // MARK: The line

    /// As `frames=228 reported=256 out=… mic=… rate=48000 period=128 driver=…`. The driver stands
    /// last: of a line that was cut off it is another one, which is never asked for.
    var line: String {
        let outputs = path.outputs.map { "out=\(Self.encoded($0)) " }.joined()
        return
            "frames=\(frames) reported=\(reported) \(outputs)mic=\(Self.encoded(path.microphone)) "
            + "rate=\(path.sampleRate) period=\(path.period) driver=\(Self.encoded(path.driver))"
    }

    init(line: String) throws(Refusal) {
        var outputs: [String] = []
        var texts: [String: String] = [:]
        for field in line.split(separator: " ") {
            let parts = field.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = FileName(encoded: parts[1].utf8)?.text else {
                throw Refusal(reason: "not a measured round trip")
            }
            if parts[0] == "out" { outputs.append(value) } else { texts[String(parts[0])] = value }
        }
        func number(_ name: String, from least: Int) throws(Refusal) -> Int {
            guard let number = texts[name].flatMap({ Int($0) }),
                (least...Self.most).contains(number)
            else { throw Refusal(reason: "\(name) is not a number from \(least) to \(Self.most)") }
            return number
        }
        guard !outputs.isEmpty, let microphone = texts["mic"], let driver = texts["driver"] else {
            throw Refusal(reason: "not a measured round trip")
        }
        frames = try number("frames", from: 0)
        reported = try number("reported", from: 0)
        path = LoopPath(
            outputs: outputs, microphone: microphone, sampleRate: try number("rate", from: 1),
            period: try number("period", from: 1), driver: driver)
    }

    /// Names of ports have any characters; a line has none that could end it, or a word of it.
    private static func encoded(_ text: String) -> String {
        FileName.encoded(Array(text.utf8)[...]) { ":_-./".utf8.contains($0) }
    }
}
