import CJack
import Synchronization

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
