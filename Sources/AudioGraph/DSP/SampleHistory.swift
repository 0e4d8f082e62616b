/// The last samples of one channel, always in one piece, as a filter needs them.
@safe struct SampleHistory: ~Copyable {
    /// Frames between two moves of the samples to the beginning of the memory.
    private static var spare: Int { @_noLocks get { 4096 } }

    /// How many samples before the newest are kept.
    private let reach: Int
    private let samples: UnsafeMutablePointer<Float>
    /// The place after the newest sample.
    private var end: Int

    /// Silence; `reach` is at least 1.
    init(reach: Int) {
        self.reach = reach
        end = reach
        unsafe samples = .allocate(capacity: reach + Self.spare)
        unsafe samples.initialize(repeating: 0, count: reach + Self.spare)
    }

    deinit { unsafe samples.deallocate() }

    /// Adds `count` samples, 0…256.
    @_noLocks mutating func append(_ new: UnsafePointer<Float>, count: Int) {
        if end + count > reach + Self.spare {
            for i in 0..<reach { unsafe samples[i] = samples[end - reach + i] }
            end = reach
        }
        unsafe copyChannel(new, to: samples + end, count: count)
        end += count
    }

    /// The `length` samples, at most `reach`, of which the last is `back` samples before the newest
    /// (0…255).
    @_noLocks func window(_ length: Int, back: Int) -> UnsafePointer<Float> {
        unsafe UnsafePointer(samples + (end - back - length))
    }

    /// Forgets everything.
    @_noLocks mutating func reset() {
        unsafe clearChannel(samples, count: reach)
        end = reach
    }
}
