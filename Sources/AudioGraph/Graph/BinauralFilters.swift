import Glibc
import SystemSupport

/// Designs the filters of a binaural panner, and hands them to its kernel: by level alone, until a
/// thread has read how sound reaches the ears.
@safe final class BinauralFilters: @unchecked Sendable {
    // Safety: who uses what.
    //   state, mailbox (its writer's end)   whoever holds the lock
    //   controls                            atomic

    /// Where the source is: degrees, positive to the right; degrees, positive upwards; metres.
    struct Place: Sendable {
        var azimuth = 0.0
        var elevation = 0.0
        var distance = 1.0
    }

    /// Whether it is known how sound reaches the ears.
    private enum Data: Sendable {
        case awaited
        case read(HRTF)
        case missing(HRTFError)
    }

    private struct State: Sendable {
        var place = Place()
        var data = Data.awaited
        /// Whether the latency has changed since `takeNews`.
        var isNews = false
    }

    /// The angle between each channel of a stereo source and its middle, in degrees.
    static let halfWidth = 30.0

    let mailbox: Shared<Mailbox>
    let controls: Shared<BinauralKernel.Controls>
    let capacity: Int
    private let sampleRate: Int
    private let path: String
    private let settled: EventFlag
    private let state = Guarded(State())

    /// Nil when the process has no descriptor left.
    init?(path: String, sampleRate: Int) {
        guard let settled = EventFlag() else { return nil }
        self.settled = settled
        self.path = path
        self.sampleRate = sampleRate
        capacity = HRTF.capacity(sampleRate: sampleRate)
        mailbox = Shared(Mailbox(count: BinauralKernel.Layout.count(capacity: capacity)))
        controls = Shared(
            BinauralKernel.Controls(descriptor: settled.descriptor), keeping: settled)
    }

    /// Reads the file on a thread of its own.
    func load() {
        let code = DetachedThread.start("hrtf") { [self] in settle(Self.read(path, sampleRate)) }
        if code != 0 { settle(.missing(.noThread(path: path))) }
    }

    private static func read(_ path: String, _ sampleRate: Int) -> Data {
        do throws(HRTFError) {
            return .read(try HRTFMemory.read(path, sampleRate: sampleRate))
        } catch {
            return .missing(error)
        }
    }

    private func settle(_ data: Data) {
        state.withLock { state in
            state.data = data
            state.isNews = true
            design(state)
        }
        unsafe controls.pointer.pointee.isSettled.store(true, ordering: .releasing)
        settled.set()
    }

    /// Waits until the file is read, or cannot be; false when that took longer.
    func wait(milliseconds: Int) -> Bool { settled.wait(milliseconds: milliseconds) }

    /// Moves the source; takes some microseconds.
    func move(to place: Place) {
        state.withLock { state in
            state.place = place
            design(state)
        }
    }

    /// Why sound is panned by level alone; nil: it is not, or the file is still being read.
    var fault: HRTFError? {
        state.withLock { if case .missing(let error) = $0.data { error } else { nil } }
    }

    /// By how many frames a source in front is later.
    var latency: Int {
        state.withLock { if case .read(let hrtf) = $0.data { hrtf.latency } else { 0 } }
    }

    /// Whether `latency` may have changed since the last call.
    func takeNews() -> Bool {
        state.withLock { state in
            defer { state.isNews = false }
            return state.isNews
        }
    }

    // MARK: Design

    private func design(_ state: State) {
        let place = state.place
        let gain = 1 / place.distance
        var floats = [Float](repeating: 0, count: BinauralKernel.Layout.count(capacity: capacity))
        let offsets = [0, -Self.halfWidth, Self.halfWidth]
        for (source, offset) in offsets.enumerated() {
            let ears: (left: [Float], right: [Float])
            switch state.data {
            case .read(let hrtf):
                ears = hrtf.taps(
                    azimuth: place.azimuth + offset, elevation: place.elevation,
                    distance: place.distance)
            case .awaited, .missing: ears = Self.levels(azimuth: place.azimuth + offset)
            }
            floats[0] = Float(ears.left.count)
            for (ear, taps) in [ears.left, ears.right].enumerated() {
                let first = BinauralKernel.Layout.place(of: source, ear: ear, capacity: capacity)
                for (i, tap) in taps.enumerated() { floats[first + i] = Float(Double(tap) * gain) }
            }
        }
        let ramp = Ramp.length(milliseconds: 20, sampleRate: sampleRate)
        unsafe mailbox.pointer.pointee.post(floats, ramp: ramp)
    }

    /// Filters that change the level alone, of constant power.
    private static func levels(azimuth: Double) -> (left: [Float], right: [Float]) {
        let angle = (sin(azimuth * .pi / 180) + 1) * .pi / 4
        func taps(_ gain: Double) -> [Float] { [Float](repeating: 0, count: 7) + [Float(gain)] }
        return (taps(cos(angle)), taps(sin(angle)))
    }
}
