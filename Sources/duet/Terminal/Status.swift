import AudioGraph

/// What the status line shows.
struct Status: Sendable, Equatable {
    /// What the song does.
    enum State: String, Sendable {
        case opening, buffering, playing, paused, ended
        case reconnecting, stopping, rendering
        case serverLost = "no server"
        case pausedWithoutServer = "no server, paused"
    }

    var state = State.opening
    /// Seconds into the song.
    var position = 0.0
    /// Seconds; nil: not known.
    var duration: Double?
    /// Seconds of song that play on without the network.
    var buffered = 0.0
    /// The louder side after volume and pan.
    var song = Strip(name: "song")
    /// The same of the microphone or the second song; nil: there is no bus 1.
    var second: Strip?
    /// The louder side of the output.
    var out = Decibels.floor
    /// Whether a microphone is heard.
    var hasMicrophone = false
    /// From the microphone to the ear, in milliseconds; nil: not known.
    var latency: Double?
    var xruns = 0
    /// What the last key did.
    var note: String?

    /// One bus after volume and pan.
    struct Strip: Sendable, Equatable {
        var name: String
        /// The louder side.
        var peak = Decibels.floor
        var isMuted = false

        fileprivate var text: String { "\(name) \(Status.column(isMuted ? "off" : level(peak)))" }
    }

    /// The line, without a line feed, the most wanted first: a narrow terminal cuts the end, and
    /// 80 columns hold all of a usual one. Levels are in dBFS.
    var line: String {
        var text = state.rawValue + " " + ClockTime(seconds: position).description
        if let duration { text += "/" + ClockTime(seconds: duration).description }
        // What a file is rendered from waits for nobody, and has no xruns.
        let isLive = state != .rendering
        if let note {
            text += "  \(note)"
        } else if isLive {
            text += "  buf \(fixed(buffered, digits: buffered < 10 ? 1 : 0)) s"
        }
        text += "  \(song.text)"
        if let second { text += " \(second.text)" }
        text += " out \(Self.column(level(out)))"
        guard isLive else { return text }
        if hasMicrophone {
            text += "  ear " + (latency.map { "\(fixed($0, digits: 0)) ms" } ?? "–")
        }
        return text + "  xruns \(xruns)"
    }

    /// Right-aligned in five columns, so that the line does not dance.
    private static func column(_ text: String) -> String {
        String(repeating: " ", count: max(0, 5 - text.utf8.count)) + text
    }
}

/// A level in dBFS, as the line shows it.
private func level(_ level: Decibels) -> String {
    level <= .floor ? "-inf" : fixed(level.value, digits: 1)
}
