import CJack
import Glibc

/// A client that plays a short, quiet noise and listens for it: how long is the way out of the
/// machine and back?
///
/// Belongs to one control thread. A server that hangs is left behind, and the tape with it.
@safe public final class LoopProbe {
    private let client: OpaquePointer
    private let tape: UnsafeMutablePointer<LoopTape>
    private let signal: LoopSignal
    private let sampleRate: Int
    private let name: String

    /// Opens the client `duet-loop` in the running server `server`; nothing is heard yet.
    public init(server: String) throws(JackError) {
        unsafe client = try JackClient.open("duet-loop", server: server)
        sampleRate = unsafe Int(jack_get_sample_rate(client))
        name = unsafe String(cString: jack_get_client_name(client))
        signal = LoopSignal(sampleRate: sampleRate)
        unsafe tape = .allocate(capacity: 1)
        unsafe tape.initialize(to: LoopTape(signal.samples))
        let argument = unsafe UnsafeMutableRawPointer(tape)
        unsafe jack_set_process_callback(client, duetLoopProcess, argument)
        unsafe tape.pointee.input = unsafe register("mic", JackPortIsInput)
        unsafe tape.pointee.output = unsafe register("out", JackPortIsOutput)
    }

    deinit {
        let client = unsafe UInt(bitPattern: client)
        let isGone = BoundedCall.run(milliseconds: 1000) {
            guard let client = unsafe OpaquePointer(bitPattern: client) else { return }
            unsafe jack_client_close(client)
        }
        guard isGone else { return }
        unsafe tape.deinitialize(count: 1)
        unsafe tape.deallocate()
    }

    /// Connects as `outputs` and `microphone` say, plays for about a second and listens. Blocks
    /// for that long. To be called once.
    public func measure(
        outputs: PortSelection, microphone: PortSelection
    ) throws(JackError) -> LoopMeasurement {
        let step = unsafe jack_activate(client)
        guard step == 0 else { throw .activationFailed(step: "jack_activate", code: Int(step)) }
        let sinks = unsafe JackPort.list(client, offering: JackPortIsInput)
        let sources = unsafe JackPort.list(client, offering: JackPortIsOutput)
        let said = Set(
            outputs.choose(from: sinks, channelCount: 2, isMicrophone: false).compactMap(\.self)
        ).sorted().filter { unsafe connect("\(name):out", $0, ours: tape.pointee.output) }
        let heard = microphone.choose(from: sources, channelCount: 1, isMicrophone: true)
            .compactMap(\.self).first
            .flatMap { unsafe connect($0, "\(name):mic", ours: tape.pointee.input) ? $0 : nil }
        let ports = (sinks + sources).filter { said.contains($0.name) || $0.name == heard }
        let range = heard != nil && !said.isEmpty ? listen() : nil
        return unsafe LoopMeasurement(
            outputs: said, microphone: heard, isPhysical: ports.allSatisfy(\.isPhysical),
            reported: JackLatency(
                capture: latency(of: tape.pointee.input, JackCaptureLatency),
                playback: latency(of: tape.pointee.output, JackPlaybackLatency),
                sampleRate: sampleRate),
            period: Int(jack_get_buffer_size(client)), roundTrip: range)
    }

    private func register(_ port: String, _ direction: JackPortFlags) -> OpaquePointer? {
        unsafe jack_port_register(
            client, port, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue), 0)
    }

    /// Whether the connection came to be; `jackd -a` may refuse or ignore it.
    private func connect(_ from: String, _ to: String, ours: OpaquePointer?) -> Bool {
        let peer = from.hasPrefix(name + ":") ? to : from
        let code = unsafe jack_connect(client, from, to)
        guard code == 0 || code == EEXIST, let ours = unsafe ours else { return false }
        return wait(milliseconds: 250) { unsafe jack_port_connected_to(ours, peer) != 0 }
    }

    private func listen() -> LatencyRange? {
        unsafe tape.pointee.start()
        let length = signal.samples.count * 1000 / sampleRate
        guard wait(milliseconds: length + 5000, { unsafe tape.pointee.isDone }) else { return nil }
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

    private func wait(milliseconds: Int, _ condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1000)
        }
        return true
    }
}
