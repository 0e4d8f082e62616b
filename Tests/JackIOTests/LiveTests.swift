import AudioGraph
import Glibc
import JackIO
import TestSupport
import Testing

/// All suites against a running server. They run one at a time: libjack can use only one server in
/// a process.
@Suite(.ownProcess("a JACK server"), .serialized) struct LiveTests {}

/// A client with its graph in a running server.
final class LiveClient {
    let client: JackClient
    let monitor: MonitorGraph
    private(set) var events: [JackEvent] = []

    /// Opens a client, connected to nothing unless `configuration` says otherwise, and activates.
    init(
        _ server: JackServer,
        _ configuration: JackConfiguration = .init(
            name: "duet", microphone: .none, outputs: .none),
        hasSong: Bool = false
    ) throws {
        client = try JackClient(configuration, server: server.name)
        monitor = try MonitorGraph(
            sampleRate: client.sampleRate, inputChannels: configuration.microphoneChannels,
            hasSong: hasSong)
        try client.activate(rendering: monitor.graph)
    }

    deinit { client.close() }

    /// Drains events until one satisfies `condition`; false when none has within 10 s.
    @discardableResult
    func wait(for condition: (JackEvent) -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            let new = client.drainEvents()
            events += new
            if new.contains(where: condition) { return true }
            var entry = pollfd(fd: client.eventDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 1000)
        }
        return false
    }

    /// Waits until `frames` frames have been rendered in all; false after 10 s.
    func waitForFrames(_ frames: Int) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while client.statistics.frames < frames {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1000)
        }
        return true
    }

    /// Drains the events and returns all warnings so far, except that about realtime scheduling.
    func warnings() -> [JackWarning] {
        events += client.drainEvents()
        return events.compactMap {
            if case .warning(let warning) = $0, warning != .noRealtimeScheduling {
                warning
            } else {
                nil
            }
        }
    }
}
