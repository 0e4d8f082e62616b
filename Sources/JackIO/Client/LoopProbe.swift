import CJack
import Synchronization
import SystemSupport

/// A client that measures how long sound takes from an output out of the machine and back to a
/// microphone: it plays a short, quiet noise and listens for it.
///
/// Belongs to one control thread. When the server hangs, the client and its tape are left behind.
@safe public final class LoopProbe {
    private let watcher: JackClient
    private let handle: ClientHandle
    private let tape: UnsafeMutablePointer<LoopTape>
    private let signal: LoopSignal
    private let sampleRate: Int
    /// Whether libjack was asked to begin the cycles.
    private var isActive = false

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
        return unsafe try ClientHandle.wait(for: watcher.server, unless: { false }) {
            () throws(JackError) in unsafe try LoopProbe(wanted, beside: watcher)
        }
    }

    /// As `open`, but blocks for as long as the server is silent.
    public init(_ wanted: String, beside watcher: JackClient) throws(JackError) {
        self.watcher = watcher
        handle = try ClientHandle(wanted, server: watcher.server)
        sampleRate = unsafe max(1, Int(jack_get_sample_rate(handle.client)))
        signal = LoopSignal(sampleRate: sampleRate)
        unsafe tape = .allocate(capacity: 1)
        unsafe tape.initialize(to: LoopTape(signal.samples))
        let argument = unsafe UnsafeMutableRawPointer(tape)
        unsafe jack_set_process_callback(handle.client, duetLoopProcess, argument)
        unsafe tape.pointee.input = try handle.makePort("mic", JackPortIsInput)
        unsafe tape.pointee.output = try handle.makePort("out", JackPortIsOutput)
    }

    deinit {
        // Safety: freed where libjack calls nothing of the client any more.
        nonisolated(unsafe) let tape = unsafe tape
        let end = handle.end(isActive: isActive, metadata: []) {
            unsafe tape.deinitialize(count: 1)
            unsafe tape.deallocate()
        }
        _ = end?.wait(milliseconds: 1000)
    }

    /// Connects as `outputs` and `microphone` say, plays for about a second and listens. Blocks
    /// for that long. To be called once.
    ///
    /// - Throws: `serverLost` as soon as the server is lost, `serverSilent`, `activationFailed`.
    public func measure(
        outputs: PortSelection, microphone: PortSelection
    ) throws(JackError) -> LoopMeasurement {
        let silence = JackError.serverSilent(name: watcher.server)
        isActive = true
        do throws(JackError) { try handle.beginCycles() } catch {
            guard !watcher.isLost else { throw .serverLost(reason: watcher.lossReason) }
            throw error
        }
        guard let sinks = handle.ports(offering: JackPortIsInput),
            let sources = handle.ports(offering: JackPortIsOutput)
        else { throw silence }
        let said = Set(
            outputs.choose(from: sinks, channelCount: 2, isMicrophone: false).compactMap(\.self)
        ).sorted()
        let heard = microphone.choose(from: sources, channelCount: 1, isMicrophone: true)
            .compactMap(\.self)
        let name = handle.name
        let wires =
            said.map { JackWire(from: "\(name):out", to: $0) }
            + heard.map { JackWire(from: $0, to: "\(name):mic") }
        guard handle.request(wires) else { throw silence }
        // `jackd -a` may refuse or ignore the requests.
        _ = try wait(milliseconds: 250) { (said + heard).allSatisfy(isConnected) }
        let connected = (said + heard).filter(isConnected)
        let outputs = said.filter(connected.contains)
        let microphone = heard.first(where: connected.contains)
        let reached = sinks.filter { connected.contains($0.name) }
        let listened = sources.filter { connected.contains($0.name) }
        let period = unsafe Int(jack_get_buffer_size(handle.client))
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
        guard !watcher.isLost else { throw .serverLost(reason: watcher.lossReason) }
        return isMet
    }
}

/// The result of a `LoopProbe`.
public struct LoopMeasurement: Sendable, Hashable {
    /// The ports that were played to; empty when none was there or the server refused them.
    public var outputs: [String]
    /// The port that was listened to; nil when none was there or the server refused it.
    public var microphone: String?
    /// The ports, of both kinds, that the server did not connect.
    public var refused: [String]
    /// Whether all connected ports are hardware: only then the sound passed the converters.
    public var isPhysical: Bool
    /// The latency that JACK reports for the same way.
    public var reported: JackLatency
    /// Frames in a cycle.
    public var period: Int
    /// The path that was measured; nil when a side of it was not connected.
    public var path: LoopPath?
    /// Frames from the output to the microphone, at least and at most; nil when no burst was found.
    public var roundTrip: LatencyRange?

    public init(
        outputs: [String], microphone: String?, refused: [String], isPhysical: Bool,
        reported: JackLatency, period: Int, path: LoopPath? = nil, roundTrip: LatencyRange?
    ) {
        self.outputs = outputs
        self.microphone = microphone
        self.refused = refused
        self.isPhysical = isPhysical
        self.reported = reported
        self.period = period
        self.path = path
        self.roundTrip = roundTrip
    }
}

/// The samples that a `LoopProbe` plays and those that it records meanwhile, frame by frame. Plays
/// once.
///
/// The samples belong to the process thread from `start` until `isDone`, to the control thread
/// before and after. Realtime-safe but for its making and its end.
@safe struct LoopTape: ~Copyable {
    /// How many frames are played, and recorded.
    let length: Int
    let played: UnsafeMutablePointer<Float>
    let recorded: UnsafeMutablePointer<Float>
    /// The client's ports; set before the cycles begin.
    var input: OpaquePointer?
    var output: OpaquePointer?

    private let isRunning = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)
    /// The frame to play next; used by the process thread alone.
    private var position = 0

    init(_ samples: [Float]) {
        length = samples.count
        unsafe played = .allocate(capacity: max(length, 1))
        unsafe recorded = .allocate(capacity: max(length, 1))
        _ = unsafe UnsafeMutableBufferPointer(start: played, count: length)
            .initialize(fromContentsOf: samples)
        unsafe recorded.initialize(repeating: 0, count: length)
        unsafe input = nil
        unsafe output = nil
    }

    deinit {
        unsafe played.deallocate()
        unsafe recorded.deallocate()
    }

    /// Plays from the next cycle on. Control thread, once.
    func start() { isRunning.store(true, ordering: .releasing) }

    /// Whether all frames are played and recorded.
    var isDone: Bool { hasEnded.load(ordering: .acquiring) }

    /// Plays and records one cycle; plays silence before the start and after the end.
    @_noLocks mutating func process(frames: Int) {
        guard let input = unsafe input, let output = unsafe output,
            let heard = unsafe cjack_port_buffer(input, UInt32(truncatingIfNeeded: frames)),
            let said = unsafe cjack_port_buffer(output, UInt32(truncatingIfNeeded: frames))
        else { return }
        let runs = isRunning.load(ordering: .acquiring)
        let count = runs ? min(frames, length - position) : 0
        var frame = 0
        while frame < count {
            unsafe recorded[position + frame] = unsafe heard[frame]
            unsafe said[frame] = unsafe played[position + frame]
            frame += 1
        }
        while frame < frames {
            unsafe said[frame] = 0
            frame += 1
        }
        position += count
        if runs && position == length { hasEnded.store(true, ordering: .releasing) }
    }
}

/// Realtime-safe. Process thread.
@c(duet_jack_loop_process)
@_noLocks nonisolated func duetLoopProcess(
    _ frames: jack_nframes_t, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument = unsafe argument else { return 0 }
    let tape = unsafe argument.assumingMemoryBound(to: LoopTape.self)
    unsafe tape.pointee.process(frames: Int(frames))
    return 0
}

/// The sound by which a loop is measured, and the search for it in a recording.
///
/// The sound is two bursts of white noise, each followed by silence as long as the longest delay
/// looked for. Noise matches itself at one shift only, so a burst is found even under hum, hiss and
/// speech, and two bursts found at the same shift are no accident. Pure.
struct LoopSignal {
    /// The delay of the recorded bursts in frames: the shortest and the longest that was found.
    struct Delay: Equatable {
        var minimum: Int
        var maximum: Int
    }

    /// Frames in a burst: 43 ms at 48 kHz.
    static let burst = 2048
    static let bursts = 2
    /// −34 dBFS: quiet enough for headphones.
    static let peak: Float = 0.02
    /// The least normalised product of the burst and a place in the recording that counts as
    /// found, 0…1. Unrelated noise gives 0.1 at the best of 24,000 places; a burst that comes back
    /// as loud as the noise around it gives 0.7.
    static let likeness: Double = 0.2

    /// The longest delay that is looked for, in frames.
    let reach: Int
    /// The samples to play.
    let samples: [Float]

    /// A signal for `sampleRate` Hz that finds delays up to half a second, but no more than 384,000
    /// frames (at 768 kHz): a server's rate must not decide how much memory is used.
    init(sampleRate: Int) {
        reach = min(sampleRate, 768_000) / 2
        var samples: [Float] = []
        // Knuth's MMIX generator. Any noise would do, but the same noise each time can be tested.
        var state: UInt64 = 1
        for _ in 0..<Self.bursts {
            for _ in 0..<Self.burst {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let number = Int32(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
                samples.append(Float(number) / 2_147_483_648 * Self.peak)
            }
            samples += [Float](repeating: 0, count: reach)
        }
        self.samples = samples
    }

    /// The delay of `heard`, which was recorded while `samples` were played; nil where a burst is
    /// not found.
    func delay(in heard: [Float]) -> Delay? {
        let heard = heard.map { $0.isFinite ? $0 : 0 }
        var found: Delay?
        for start in stride(from: 0, to: samples.count, by: Self.burst + reach) {
            guard let delay = delay(ofBurstAt: start, in: heard) else { return nil }
            found = Delay(
                minimum: min(found?.minimum ?? delay, delay),
                maximum: max(found?.maximum ?? delay, delay))
        }
        return found
    }

    private func delay(ofBurstAt start: Int, in heard: [Float]) -> Int? {
        let places = min(reach, heard.count - start - Self.burst)
        guard places > 0 else { return nil }
        return unsafe heard.withUnsafeBufferPointer { heard in
            unsafe samples.withUnsafeBufferPointer { samples -> Int? in
                guard let heard = heard.baseAddress, let samples = samples.baseAddress
                else { return nil }
                let burst = unsafe samples + start
                let place = unsafe heard + start
                let own = unsafe Self.product(burst, burst)
                var energy = unsafe Self.product(place, place)
                var best: (delay: Int, likeness: Double)?
                for delay in 0...places {
                    // Below −130 dBFS there are only rounding errors.
                    if energy > Double(Self.burst) * 1e-13 {
                        let product = unsafe abs(Self.product(burst, place + delay))
                        let likeness = product / (own * energy).squareRoot()
                        if likeness > (best?.likeness ?? Self.likeness) { best = (delay, likeness) }
                    }
                    let last = unsafe Double(place[delay])
                    let next = unsafe delay < places ? Double(place[delay + Self.burst]) : 0
                    energy += next * next - last * last
                }
                return best?.delay
            }
        }
    }

    /// The sum of the products of two stretches as long as a burst.
    private static func product(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>) -> Double {
        // Four sums at once: with a single sum each addition would wait for the one before.
        var sums: (Float, Float, Float, Float) = (0, 0, 0, 0)
        var index = 0
        while index < burst {
            unsafe sums.0 += a[index] * b[index]
            unsafe sums.1 += a[index + 1] * b[index + 1]
            unsafe sums.2 += a[index + 2] * b[index + 2]
            unsafe sums.3 += a[index + 3] * b[index + 3]
            index += 4
        }
        return Double(sums.0) + Double(sums.1) + Double(sums.2) + Double(sums.3)
    }
}
