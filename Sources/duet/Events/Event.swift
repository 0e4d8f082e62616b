import AudioGraph

/// Something that happened, as scripts read it with `--json`: a name and fields that keep their
/// names and meanings.
enum Event: Sendable {
    /// The client is on the server. Frames of latency are 0 without a microphone.
    case ready(client: String, server: String, rate: Int, period: Int, micLatencyFrames: Int)
    /// The latency of microphone and output, in frames, and in milliseconds that from the microphone
    /// to the ear, with what the graph adds.
    case latency(captureFrames: Int, playbackFrames: Int, milliseconds: Double)
    /// The server's period changed.
    case period(frames: Int)
    /// A song was opened.
    case source(SourceFacts)
    /// What a song's tags say.
    case tags(bus: Int, title: String?, artist: String?, lyrics: String?)
    case playing(bus: Int)
    case paused(bus: Int)
    case seeked(bus: Int, seconds: Double)
    /// Once a second. `duration` nil: not known. `exact` false: after a jump by estimate.
    case position(bus: Int, seconds: Double, duration: Double?, buffered: Double, exact: Bool)
    /// Ten a second with `--levels`; `mic` is nil when there is no bus 1.
    case levels(song: Levels, mic: Levels?, out: Levels)
    /// A title that a live stream has sent.
    case title(bus: Int, text: String)
    /// A volume, pan or mute was set: `/song/volume` (linear), `/mic/pan`, `/song/mute`.
    case parameter(address: String, value: JSONValue)
    /// The song's ring ran dry; `frames` is the frame of the song at which it stopped.
    case underrun(bus: Int, frames: Int64)
    /// The song plays again after so many seconds of silence.
    case recovered(bus: Int, seconds: Double)
    case reconnecting(bus: Int, attempt: Int, reason: String, delay: Double)
    case xrun(microseconds: Double)
    /// The server has another rate, in Hz.
    case rate(Int)
    /// `isAwaited`: this program does not end, and goes on when the server is back.
    case serverLost(isAwaited: Bool)
    /// The server is back, with a sample rate of `rate` Hz.
    case serverBack(rate: Int, period: Int)
    /// A port of this client was connected; `isOurs`: this program asked for it, no other one.
    case connected(from: String, to: String, isOurs: Bool)
    case disconnected(from: String, to: String, isOurs: Bool)
    case warning(message: String)
    /// Something worth knowing that is no fault; scripts read it as a `warning`.
    case notice(message: String)
    case error(code: Int32, message: String, hint: String)
    /// A song is over, after `frames` frames of it were played.
    case ended(bus: Int, frames: Int64)
    /// The last event.
    case bye(frames: Int64, xruns: Int, underruns: Int)
    /// `events` events are missing at this place: the reader was too slow for them.
    case dropped(events: Int)

    /// What is known of a song once it is open.
    struct SourceFacts: Sendable {
        var bus: Int
        /// Without user name and password.
        var url: String
        /// As `MPEG 1 layer III`.
        var codec: String
        /// Frames a second in the file.
        var rate: Int
        var channels: Int
        /// In kbit/s, the mean where it varies.
        var bitrate: Int
        /// Seconds; nil: not known.
        var duration: Double?
        var seekable: Bool
        var live: Bool
        /// The linear gain applied by the track's own tags.
        var gain: Double
        /// The station's name, as a live stream gives it; nil for a song, and for a stream that
        /// gives none.
        var station: String?
    }

    /// The event's name.
    var name: String {
        switch self {
        case .ready: "ready"
        case .latency: "latency"
        case .period: "period"
        case .source: "source"
        case .tags: "tags"
        case .playing: "playing"
        case .paused: "paused"
        case .seeked: "seeked"
        case .position: "position"
        case .levels: "levels"
        case .title: "title"
        case .parameter: "parameter"
        case .underrun: "underrun"
        case .recovered: "recovered"
        case .reconnecting: "reconnecting"
        case .xrun: "xrun"
        case .rate: "rate"
        case .serverLost, .serverBack: "server"
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .warning, .notice: "warning"
        case .error: "error"
        case .ended: "ended"
        case .bye: "bye"
        case .dropped: "dropped"
        }
    }
}

extension DuetError {
    /// The error as an event, the last before `bye`.
    var event: Event { .error(code: status.rawValue, message: message, hint: hint) }
}
