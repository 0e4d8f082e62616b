import AudioGraph

/// What the status line shows.
struct Status: Sendable, Equatable {
    /// What the song does.
    enum State: String, Sendable {
        case opening, buffering, playing, paused, ended
        case reconnecting, stopping, rendering
    }

    var state = State.opening
    /// Seconds into the song.
    var position = 0.0
    /// Seconds; nil: not known.
    var duration: Double?
    /// Seconds of song that play on without the network.
    var buffered = 0.0
    /// The louder side after volume and pan.
    var song = Decibels.floor
    /// The same of the microphone or the second song; nil: there is no bus 1.
    var second: (name: String, peak: Decibels)?
    /// The louder side of the output.
    var out = Decibels.floor
    /// From the microphone to the ear, in milliseconds; nil: no microphone, or not known yet.
    var latency: Double?
    var xruns = 0
    /// What the last key did.
    var note: String?

    /// The line, without a line feed, the most wanted first: a narrow terminal cuts the end.
    var line: String {
        var text = state.rawValue + " " + ClockTime(seconds: position).description
        if let duration { text += "/" + ClockTime(seconds: duration).description }
        if let note { text += "  \(note)" }
        text += "  buffered \(fixed(buffered, digits: buffered < 10 ? 1 : 0)) s"
        text += "  song \(Self.peak(song))"
        if let second { text += " \(second.name) \(Self.peak(second.peak))" }
        text += " out \(Self.peak(out)) dB"
        if let latency { text += "  ear \(fixed(latency, digits: 1)) ms" }
        return text + "  xruns \(xruns)"
    }

    /// A level right-aligned in five columns, so that the line does not dance.
    private static func peak(_ level: Decibels) -> String {
        let text = level <= .floor ? "-inf" : fixed(level.value, digits: 1)
        return String(repeating: " ", count: max(0, 5 - text.utf8.count)) + text
    }

    static func == (a: Status, b: Status) -> Bool { a.line == b.line }
}
