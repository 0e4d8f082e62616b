import AudioGraph
import CJack
import Synchronization
import SystemSupport

/// A client that listens to ports for a moment, to say how loud each is. It plays nothing, and changes no
/// connection but its own.
@safe package final class LevelProbe {
    /// The most ports that are listened to at once.
    package static let mostPorts = 16
    /// How much longer the server's cycles may take than the time that they stand for, in seconds.
    private static let patience = 0.5

    private let handle: ClientHandle
    private let meters: UnsafeMutablePointer<PortMeters>
    private let sampleRate: Int
    private var names: [String] = []
    /// Whether libjack was asked to begin the cycles.
    private var isActive = false

    /// Opens a client, listens, and closes it. Blocks for so many seconds, and for 8 s more at most if the
    /// server is slow. May be called on any thread, also while other clients of this process are active.
    ///
    /// - Parameters:
    ///   - server: the name of a JACK server that runs.
    ///   - seconds: how long to listen.
    ///   - isCancelled: called 20 times a second; true ends the wait, and what was heard by then counts.
    ///   - choose: picks the names of ports, `mostPorts` at most, from those that give sound.
    /// - Returns: the ports that were chosen and connected, in that order, with their levels.
    /// - Throws: `noServer`, `refused`, `portRefused`, `activationFailed`, `serverSilent`, `stopped`.
    package static func listen(
        on server: String, seconds: Double, unless isCancelled: () -> Bool = { false },
        to choose: @escaping @Sendable ([JackPort]) -> [String]
    ) throws(JackError) -> [PortLevel] {
        let probe = try ClientHandle.wait(for: server, unless: isCancelled) {
            () throws(JackError) in try LevelProbe(on: server, to: choose)
        }
        return probe.names.isEmpty ? [] : try probe.listen(seconds: seconds, unless: isCancelled)
    }

    private init(
        on server: String, to choose: ([JackPort]) -> [String]
    ) throws(JackError) {
        handle = try ClientHandle("duet-listen", server: server)
        // Another client of this process waits for its end before it is opened: see `awaitClosings`.
        ClientHandle.pendingClosings.add(1, ordering: .sequentiallyConsistent)
        sampleRate = unsafe max(1, Int(jack_get_sample_rate(handle.client)))
        unsafe meters = .allocate(capacity: 1)
        unsafe meters.initialize(to: PortMeters(capacity: Self.mostPorts))
        unsafe jack_set_process_callback(
            handle.client, duetLevelProcess, UnsafeMutableRawPointer(meters))
        guard let sources = handle.ports(offering: JackPortIsOutput) else {
            throw .serverSilent(name: server)
        }
        names = Array(choose(sources).prefix(Self.mostPorts))
        for number in names.indices {
            unsafe meters.pointee.add(try handle.makePort("in_\(number + 1)", JackPortIsInput))
        }
    }

    deinit {
        // Safety: freed where libjack calls nothing of the client any more.
        nonisolated(unsafe) let meters = unsafe meters
        let end = handle.end(isActive: isActive, metadata: []) {
            unsafe meters.deinitialize(count: 1)
            unsafe meters.deallocate()
            ClientHandle.pendingClosings.subtract(1, ordering: .sequentiallyConsistent)
        }
        guard let end else {
            ClientHandle.pendingClosings.subtract(1, ordering: .sequentiallyConsistent)
            return
        }
        _ = end.wait(milliseconds: 1000)
    }

    private func listen(
        seconds: Double, unless isCancelled: () -> Bool
    ) throws(JackError) -> [PortLevel] {
        isActive = true
        try handle.beginCycles()
        let wires = names.enumerated().map { number, port in
            JackWire(from: port, to: "\(handle.name):in_\(number + 1)")
        }
        guard handle.request(wires) else { throw .serverSilent(name: handle.server) }
        let areConnected = unsafe { [meters] in
            wires.indices.map { unsafe jack_port_connected(meters.pointee.ports[$0]) > 0 }
        }
        // `jackd -a` may refuse or ignore the requests.
        _ = PolledWait.run(milliseconds: 250) { !areConnected().contains(false) }
        let start = unsafe meters.pointee.frames.load(ordering: .relaxed)
        let end = start + Int(seconds * Double(sampleRate))
        _ = PolledWait.run(milliseconds: Int((seconds + Self.patience) * 1000), interval: 20) {
            unsafe meters.pointee.frames.load(ordering: .relaxed) >= end || isCancelled()
        }
        // Without a cycle nothing was heard, which is not silence.
        guard unsafe meters.pointee.frames.load(ordering: .relaxed) > start else {
            throw .serverSilent(name: handle.server)
        }
        return zip(names, areConnected()).enumerated().compactMap { number, port in
            guard port.1 else { return nil }
            let peak = unsafe meters.pointee.peaks[number].load(ordering: .relaxed)
            return PortLevel(port: port.0, peak: Decibels(gain: Double(peak)))
        }
    }
}

/// How loud a port was.
package struct PortLevel: Sendable, Hashable {
    /// The port's full name.
    package var port: String
    /// The largest sample, in dBFS, at least −120.
    package var peak: Decibels

    package init(port: String, peak: Decibels) {
        self.port = port
        self.peak = peak
    }
}

/// The largest samples that came by the ports of a `LevelProbe`.
///
/// Ports are added by the control thread before the cycles begin; the process thread is the only writer of
/// the rest. Realtime-safe but for its making and its end.
@safe struct PortMeters: ~Copyable {
    /// Memory for `capacity` ports, of which `count` are there.
    let ports: UnsafeMutablePointer<OpaquePointer?>
    let peaks: UnsafeMutablePointer<Atomic<Float>>
    private let capacity: Int
    private(set) var count = 0
    /// Frames that came by.
    let frames = Atomic<Int>(0)

    init(capacity: Int) {
        self.capacity = capacity
        unsafe ports = .allocate(capacity: capacity)
        unsafe ports.initialize(repeating: nil, count: capacity)
        unsafe peaks = .allocate(capacity: capacity)
        for port in 0..<capacity { unsafe (peaks + port).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe peaks.deinitialize(count: capacity)
        unsafe peaks.deallocate()
        unsafe ports.deallocate()
    }

    /// Adds a port. Control thread, before the cycles begin, `capacity` times at most.
    mutating func add(_ port: OpaquePointer) {
        unsafe ports[count] = unsafe port
        count += 1
    }

    /// Takes one cycle.
    @_noLocks func process(frames length: Int) {
        var port = 0
        while port < count {
            if let input = unsafe ports[port],
                let samples = unsafe cjack_port_buffer(input, UInt32(truncatingIfNeeded: length))
            {
                var peak = unsafe peaks[port].load(ordering: .relaxed)
                var frame = 0
                while frame < length {
                    let size = unsafe abs(samples[frame])
                    // A NaN compares false, so it is ignored.
                    if size > peak { peak = size }
                    frame += 1
                }
                unsafe peaks[port].store(peak, ordering: .relaxed)
            }
            port += 1
        }
        frames.store(frames.load(ordering: .relaxed) + length, ordering: .relaxed)
    }
}

/// Realtime-safe. Process thread.
@c(duet_jack_level_process)
@_noLocks nonisolated func duetLevelProcess(
    _ frames: jack_nframes_t, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument = unsafe argument else { return 0 }
    let meters = unsafe argument.assumingMemoryBound(to: PortMeters.self)
    unsafe meters.pointee.process(frames: Int(frames))
    return 0
}

extension JackPort {
    /// Whether a microphone is likely to be behind the port: it belongs to hardware, or to a program that
    /// captures, like zita-a2j.
    package var captures: Bool {
        guard suits(microphone: true) else { return false }
        return isPhysical || name.dropFirst(client.count + 1).hasPrefix("capture")
    }
}
