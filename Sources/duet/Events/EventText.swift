import AudioGraph
import SystemSupport

/// An event as a line for a person.
enum EventText {
    /// The line, safe to show; nil for an event that the status line shows or that only scripts
    /// are told.
    static func text(_ event: Event) -> String? {
        line(event).map { SafeText.withoutCredentials($0) }
    }

    /// The name of the song on a bus.
    private static func name(_ bus: Int) -> String { bus == 0 ? "song" : "second song" }

    /// The change of volume that a song's tags ask for.
    private static func gain(_ gain: Double) -> String {
        guard gain > 0, gain != 1 else { return "" }
        return ", \(Decibels(gain: gain)) by its tags"
    }

    private static func line(_ event: Event) -> String? {
        switch event {
        case .ready(let client, let server, let rate, let period, _):
            "JACK client \(client) on server \(server): \(rate) Hz, \(period) frames a period"
        case .period(let frames): "the period is now \(frames) frames"
        case .source(let facts):
            "\(name(facts.bus)): " + (facts.station.map { $0 + ", " } ?? "")
                + (facts.live ? "live, " : "")
                + "\(facts.url): \(facts.codec), \(facts.rate) Hz, "
                + (facts.channels == 1 ? "mono" : "stereo")
                + (facts.bitrate > 0 ? ", \(facts.bitrate) kbit/s" : "")
                + (facts.duration.map { ", " + ClockTime(seconds: $0).description } ?? "")
                + gain(facts.gain)
        case .tags(_, let title, let artist, _):
            switch (artist, title) {
            case (let artist?, let title?): "\(artist): \(title)"
            case (nil, let text?), (let text?, nil): text
            case (nil, nil): nil
            }
        case .title(_, let text): text
        case .recovered(let bus, let seconds):
            "\(name(bus)): it plays again after \(fixed(seconds, digits: 1)) s"
        case .reconnecting(let bus, _, let reason, let delay):
            "\(name(bus)): \(reason); trying again "
                + (delay < 0.05 ? "now" : "in \(fixed(delay, digits: 1)) s")
        case .rate(let rate): "the JACK server’s sample rate is \(rate) Hz now"
        case .serverLost(isAwaited: true):
            "the JACK server is lost: the song waits, and goes on when it is back"
        case .serverLost(isAwaited: false): "the JACK server is lost"
        case .serverBack(let rate, let period):
            "the JACK server is back: \(rate) Hz, periods of \(period) frames"
        case .connected(let from, let to, isOurs: true): "connected \(from) to \(to)"
        case .disconnected(let from, let to, isOurs: true): "disconnected \(from) from \(to)"
        case .warning(let message): "warning: \(message)"
        case .notice(let message): message
        case .underrun(let bus, _): "\(name(bus)): it ran dry, waiting for more"
        // A user sees in other programs what these connect; only scripts are told here.
        case .connected, .disconnected: nil
        case .latency, .playing, .paused, .seeked, .position, .levels, .parameter, .xrun, .error,
            .ended, .bye, .dropped:
            nil
        }
    }
}
