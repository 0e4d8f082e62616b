import CJack
import SystemSupport

/// A client that measures how long sound takes from an output out of the machine and back to a
/// microphone: it plays a short, quiet noise and listens for it.
///
/// Belongs to one control thread. When the server hangs, the client and its tape are left behind.
@safe public final class LoopProbe {
    private let watcher: JackClient
    private let client: OpaquePointer
    private let handle: ClientHandle
    private let tape: UnsafeMutablePointer<LoopTape>
    private let signal: LoopSignal
    private let sampleRate: Int
    private let name: String

    /// Opens the client, waiting at most 4 s for that; plays nothing yet.
    ///
    /// - Parameters:
    ///   - wanted: the client's name; a suffix is added when it is taken.
    ///   - watcher: a client in the same server, through which the end of the server is noticed.
    public static func open(
        _ wanted: String, beside watcher: JackClient
    ) throws(JackError) -> LoopProbe {
        // Safety: the other thread only reads the name of the watcher's server.
        nonisolated(unsafe) let watcher = watcher
        return unsafe try Opening.wait(for: watcher.server, unless: { false }) {
            () throws(JackError) in unsafe try LoopProbe(wanted, beside: watcher)
        }
    }

    /// As `open`, but blocks for as long as the server is silent.
    public init(_ wanted: String, beside watcher: JackClient) throws(JackError) {
        self.watcher = watcher
        unsafe client = try OpenClient.enter(wanted, server: watcher.server)
        handle = unsafe ClientHandle(client)
        sampleRate = unsafe max(1, Int(jack_get_sample_rate(client)))
        name = unsafe String(cString: jack_get_client_name(client))
        signal = LoopSignal(sampleRate: sampleRate)
        unsafe tape = .allocate(capacity: 1)
        unsafe tape.initialize(to: LoopTape(signal.samples))
        let argument = unsafe UnsafeMutableRawPointer(tape)
        unsafe jack_set_process_callback(client, duetLoopProcess, argument)
        unsafe tape.pointee.input = try ClientSetup.register(
            "\(name):mic", JackPortIsInput, of: client)
        unsafe tape.pointee.output = try ClientSetup.register(
            "\(name):out", JackPortIsOutput, of: client)
    }

    deinit {
        let isGone = BoundedCall.run(milliseconds: 1000) { [handle] in handle.close() }
        guard isGone else { return }
        unsafe tape.deinitialize(count: 1)
        unsafe tape.deallocate()
    }

    /// Connects as `outputs` and `microphone` say, plays for about a second and listens. Blocks
    /// for that long. To be called once.
    ///
    /// - Throws: `serverLost` as soon as the server is lost, `serverSilent`, `activationFailed`.
    public func measure(
        outputs: PortSelection, microphone: PortSelection
    ) throws(JackError) -> LoopMeasurement {
        let silence = JackError.serverSilent(name: watcher.server)
        let code = unsafe handle.ask(milliseconds: Opening.patience) { unsafe jack_activate($0) }
        guard code == 0 else {
            guard !watcher.isLost else { throw .serverLost(reason: watcher.opened.lossReason) }
            throw code.map { .activationFailed(step: "jack_activate", code: Int($0)) } ?? silence
        }
        guard let sinks = JackPort.list(by: handle, offering: JackPortIsInput),
            let sources = JackPort.list(by: handle, offering: JackPortIsOutput)
        else { throw silence }
        let said = Set(
            outputs.choose(from: sinks, channelCount: 2, isMicrophone: false).compactMap(\.self)
        ).sorted()
        let heard = microphone.choose(from: sources, channelCount: 1, isMicrophone: true)
            .compactMap(\.self)
        let answer: Void? = unsafe handle.ask { [name] client in
            for port in said { unsafe jack_connect(client, "\(name):out", port) }
            for port in heard { unsafe jack_connect(client, port, "\(name):mic") }
        }
        guard answer != nil else { throw silence }
        // `jackd -a` may refuse or ignore the requests.
        _ = try wait(milliseconds: 250) { (said + heard).allSatisfy(isConnected) }
        let connected = (said + heard).filter(isConnected)
        let outputs = said.filter(connected.contains)
        let microphone = heard.first(where: connected.contains)
        let reached = sinks.filter { connected.contains($0.name) }
        let listened = sources.filter { connected.contains($0.name) }
        let period = unsafe Int(jack_get_buffer_size(client))
        let range = microphone != nil && !outputs.isEmpty ? try listen() : nil
        return unsafe LoopMeasurement(
            outputs: outputs, microphone: microphone,
            refused: (said + heard).filter { !connected.contains($0) },
            isPhysical: (reached + listened).allSatisfy(\.isPhysical),
            reported: JackLatency(
                capture: latency(of: tape.pointee.input, JackCaptureLatency),
                playback: latency(of: tape.pointee.output, JackPlaybackLatency),
                sampleRate: sampleRate),
            period: period,
            path: LoopPath(
                sinks: reached, sources: listened, sampleRate: sampleRate, period: period),
            roundTrip: range)
    }

    private func isConnected(_ peer: String) -> Bool {
        unsafe jack_port_connected_to(tape.pointee.output, peer) != 0
            || jack_port_connected_to(tape.pointee.input, peer) != 0
    }

    private func listen() throws(JackError) -> LatencyRange? {
        unsafe tape.pointee.start()
        let length = signal.samples.count * 1000 / sampleRate
        let isDone = try wait(milliseconds: length + 5000) { unsafe tape.pointee.isDone }
        guard isDone else { return nil }
        let heard = unsafe UnsafeBufferPointer(
            start: tape.pointee.recorded, count: tape.pointee.length)
        return signal.delay(in: unsafe Array(heard)).map {
            LatencyRange(minimum: $0.minimum, maximum: $0.maximum)
        }
    }

    private func latency(
        of port: OpaquePointer?, _ mode: jack_latency_callback_mode_t
    ) -> LatencyRange {
        unsafe .union(of: [port].compactMap(\.self), mode: mode)
    }

    private func wait(
        milliseconds: Int, _ condition: () -> Bool
    ) throws(JackError) -> Bool {
        let isMet = PolledWait.run(milliseconds: milliseconds) {
            watcher.isLost || condition()
        }
        guard !watcher.isLost else { throw .serverLost(reason: watcher.opened.lossReason) }
        return isMet
    }
}
