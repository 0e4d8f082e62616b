/// Memory for the frames of one decoding step, 4608 stereo frames at most. For one thread.
@safe final class FrameBlock {
    let samples: UnsafeMutableBufferPointer<Float>

    init() {
        unsafe samples = .allocate(capacity: 2 * 4608)
        unsafe samples.initialize(repeating: 0)
    }

    deinit { unsafe samples.deallocate() }
}
