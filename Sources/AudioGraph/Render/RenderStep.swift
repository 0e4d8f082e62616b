/// The part of a cycle that a plan renders at once: at most the maximum frames.
@unsafe struct Slice {
    /// The driver's channels, for the whole cycle.
    let inputs: UnsafePointer<UnsafeMutablePointer<Float>>
    let outputs: UnsafePointer<UnsafeMutablePointer<Float>>
    /// Where in the cycle the slice begins.
    let offset: Int
    let count: Int

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init(
        inputs: UnsafePointer<UnsafeMutablePointer<Float>>,
        outputs: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int, count: Int
    ) {
        unsafe self.inputs = inputs
        unsafe self.outputs = outputs
        unsafe self.offset = offset
        unsafe self.count = count
    }
}

/// One operation of a slice. A closed enum, so that the render thread needs no dynamic dispatch.
@safe enum RenderStep {
    case hardwareInput(channelCount: Int, to: StereoSamples)
    case song(UnsafeMutablePointer<SongKernel>, to: StereoSamples)
    case clear(StereoSamples)
    case copy(StereoSamples, to: StereoSamples)
    case fade(UnsafeMutablePointer<ConnectionFade>, StereoSamples, to: StereoSamples)
    case mixer(
        UnsafeMutablePointer<MixerKernel>, UnsafeBufferPointer<MixerKernel.Input>,
        scratch: StereoSamples, to: StereoSamples)
    case guardSamples(StereoSamples)
    case limiter(UnsafeMutablePointer<LimiterKernel>, StereoSamples, curve: Samples)
    case feedbackGuard(UnsafeMutablePointer<FeedbackGuardKernel>, FeedbackGuardKernel.View)
    case hardwareOutput(UnsafeMutablePointer<OutputKernel>, StereoSamples?)

    @_noLocks func run(_ slice: Slice) {
        let count = unsafe slice.count
        switch self {
        case .hardwareInput(let channelCount, let to):
            let left = unsafe slice.inputs[0] + slice.offset
            let right = unsafe channelCount == 2 ? slice.inputs[1] + slice.offset : left
            unsafe to.copy(StereoSamples(left: left, right: right), count: count)
        case .song(let kernel, let to):
            unsafe kernel.pointee.render(to: to, count: count)
        case .clear(let samples):
            unsafe samples.clear(count: count)
        case .copy(let source, let to):
            unsafe to.copy(source, count: count)
        case .fade(let kernel, let source, let to):
            unsafe kernel.pointee.render(source, to: to, count: count)
        case .mixer(let kernel, let inputs, let scratch, let to):
            unsafe kernel.pointee.render(inputs, scratch: scratch, to: to, count: count)
        case .guardSamples(let samples):
            unsafe Guard.process(samples.left, count: count)
            if unsafe !samples.isMono {
                unsafe Guard.process(samples.right, count: count)
            }
        case .limiter(let kernel, let samples, let curve):
            unsafe kernel.pointee.render(samples, curve: curve, count: count)
        case .feedbackGuard(let kernel, let view):
            unsafe kernel.pointee.render(view, count: count)
        case .hardwareOutput(let kernel, let source):
            unsafe kernel.pointee.render(source, slice: slice)
        }
    }
}
