import AudioGraph

/// What the status line shows.
struct Status: Sendable, Equatable {
    /// The state of the song, or of the server where there is none.
    enum State: String, Sendable {
        case opening, buffering, playing, paused, ended
        /// The song was reached, or was not yet.
        case reconnecting, retrying
        case stopping, stopped, rendering, normalizing
        case noSong = "no song"
        case serverLost = "no server"
        case pausedWithoutServer = "no server, paused"
        case serverHangs = "JACK not responding"
        case pausedWhileServerHangs = "JACK not responding, paused"

        /// Whether nothing of the song is to come.
        var isOver: Bool { [.noSong, .ended, .stopping, .stopped].contains(self) }
    }

    var state = State.opening
    /// Seconds into the song.
    var position = 0.0
    /// Seconds; nil: not known.
    var duration: Double?
    /// Seconds since a render, or a pass of it, has begun; nil: something is played.
    var elapsed: Double?
    /// Seconds of song that play on without the network.
    var buffered = 0.0
    /// The song's level, after volume and pan.
    var song = Strip(name: "song")
    /// The levels of the microphones or of the second song, bus by bus from bus 1 on.
    var others: [Strip] = []
    /// The louder side of the output.
    var out = Decibels.floor
    /// Whether a microphone is heard.
    var hasMicrophone = false
    /// From the microphone to the ear, in milliseconds; nil: not known.
    var latency: Double?
    var xruns = 0
    /// Whether a latency from the microphone to the ear, in milliseconds, is long enough to disturb singers.
    static func isDisturbing(_ latency: Double) -> Bool { latency >= 20 }

    /// While a take is recorded.
    var recording: Recording?
    /// The line of the song that is heard, shown below the line on a terminal; empty where nothing is
    /// sung, nil where that is not known.
    var lyrics: String?
    /// A note on the last key, shown below the line, or else the standing one.
    var note: String?
    /// What is said for as long as it holds.
    var standingNote: String?

    /// The line that users type into, shown below all else; nil: they do not type.
    var typed: String?
    /// What is to be said of that line, shown below it.
    var typedNote: String?

    /// A take that is recorded.
    struct Recording: Sendable, Equatable {
        /// So long is it.
        var seconds: Double
        /// So many seconds more have room on the disk; nil: not known.
        var room: Double?

        /// As `rec 1:23`.
        var time: String { "rec \(ClockTime(seconds: seconds))" }

        /// As `540 min left`; empty while it is not known.
        var left: String {
            room.map { "\(fixed(min($0 / 60, 99_999).rounded(.down), digits: 0)) min left" } ?? ""
        }
    }

    /// One bus after volume and pan.
    struct Strip: Sendable, Equatable {
        var name: String
        /// The louder side.
        var peak = Decibels.floor
        var isMuted = false
        /// Whether the feedback guard holds it at −20 dB.
        var isHeld = false

        fileprivate var text: String {
            "\(name) \(Status.column(isMuted ? "muted" : level(peak)))"
                + (isHeld ? " held -20 dB" : "")
        }
    }

    /// The line, without a line feed, in fewer than `columns` columns: where all does not fit, what
    /// matters least is left out, and the state, the time, the latency and the xruns stay
    /// to the last. Levels are in dBFS.
    func line(columns: Int = .max) -> String {
        var fields = fields
        func text() -> String {
            fields.indices.map { index in
                if index == 0 { return fields[index].text }
                // Levels stand together.
                let isLevel = fields[index].isLevel && fields[index - 1].isLevel
                return (isLevel ? " " : "  ") + fields[index].text
            }.joined()
        }
        while text().count >= columns, let least = fields.map(\.rank).max(), least > 0 {
            // Of several microphones the last leaves first.
            if let last = fields.lastIndex(where: { $0.rank == least }) { fields.remove(at: last) }
        }
        return String(text().prefix(max(1, columns - 1)))
    }

    /// A state and a place in seconds, as `playing 0:10/1:00`.
    static func text(_ state: State, at seconds: Double, of duration: Double?) -> String {
        state.rawValue + " " + ClockTime(seconds: seconds).description
            + (duration.map { "/" + ClockTime(seconds: $0).description } ?? "")
    }

    /// The state and the place.
    private var time: String { Self.text(state, at: position, of: duration) }

    /// The state, the place and the xruns.
    var shortLine: String { time + "  xruns \(xruns)" }

    /// The part that is done, 0…1; nil: not known.
    var part: Double? { duration.map { $0 > 0 ? min(1, position / $0) : 1 } }

    /// How a file gets on, as `rendering 0:31/1:02 [=====     ]  50 %  12.3×  0:03 left`, in fewer
    /// than `columns` columns: where all does not fit, the bar becomes short, then the bar, the
    /// percentage and the speed are left out.
    func progressLine(columns: Int = .max, hasBar: Bool = true) -> String {
        let speed = elapsed.flatMap { $0 > 0 && position > 0 ? position / $0 : nil }
        let part = part
        let left = duration.flatMap { duration in
            speed.map { ClockTime(seconds: (duration - position) / $0).description + " left" }
        }
        let percent = part.map { part in
            let text = "\(Int(part * 100))"
            return String(repeating: " ", count: 3 - text.utf8.count) + text + " %"
        }
        var fields = [
            time, percent, speed.map { fixed($0, digits: $0 < 100 ? 1 : 0) + "×" },
            part == 1 ? nil : left,
        ]
        // Some terminals show the multiplication sign in two columns.
        func width() -> Int { fields.compactMap { $0 }.joined(separator: "  ").count + 2 }
        for index in [1, 2, 3] where width() > columns { fields[index] = nil }
        // Beside the bar stand its brackets and a space.
        let room = min(40, columns - width() - 3)
        if hasBar, let part, fields[1] != nil, room >= 8 {
            let done = Int(part * Double(room))
            fields[0]? +=
                " [" + String(repeating: "=", count: done)
                + String(repeating: " ", count: room - done) + "]"
        }
        let line = fields.compactMap { $0 }.joined(separator: "  ")
        return String(line.prefix(max(1, columns - 1)))
    }

    /// A part of the line.
    private struct Field {
        var text: String
        /// 0 is never left out, a higher rank earlier than a lower one.
        var rank = 0
        var isLevel = false
    }

    /// The parts of the line, in their order.
    private var fields: [Field] {
        // A file is rendered without buffers that could run dry, and without xruns.
        let isLive = elapsed == nil
        var fields = [Field(text: time)]
        if state == .normalizing { return fields }
        // Nothing is heard any more.
        if state == .stopped { return [Field(text: shortLine)] }
        if let recording {
            fields.append(Field(text: recording.time))
            fields.append(Field(text: recording.left, rank: 6))
        }
        if isLive, !state.isOver {
            let seconds = fixed(buffered, digits: buffered < 10 ? 1 : 0)
            // How much is left matters most where no more comes.
            let isScarce = [.buffering, .reconnecting].contains(state)
            fields.append(Field(text: "buf \(seconds) s", rank: isScarce ? 1 : 5))
        }
        fields.append(Field(text: song.text, rank: 4, isLevel: true))
        fields += others.map { Field(text: $0.text, rank: 2, isLevel: true) }
        fields.append(Field(text: "out \(Self.column(level(out)))", rank: 3, isLevel: true))
        guard isLive else { return fields }
        if hasMicrophone {
            let latency = latency.map { "\(fixed($0, digits: 0)) ms" }
            fields.append(Field(text: "ear \(latency ?? "–")"))
        }
        fields.append(Field(text: "xruns \(xruns)"))
        return fields
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
