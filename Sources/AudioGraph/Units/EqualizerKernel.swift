/// An equalizer or a high-pass in a plan: a chain of filters, each with a slot for its
/// coefficients. Input 0 and output 0 are the same buffers, mono or stereo.
@safe struct EqualizerKernel: ~Copyable {
    /// After so many frames the filters look whether what sounds on is over. Counted from the first
    /// frame, so that it is the same for any split into slices.
    private static var pace: Int { @_noLocks get { 64 } }

    private let slots: UnsafeMutablePointer<UnsafeMutablePointer<ParameterSlot>>
    private let sections: UnsafeMutablePointer<FilterSection>
    private let count: Int
    /// At most `pace` frames on their way through the filters.
    private let frames: UnsafeMutablePointer<SIMD2<Double>>
    private var untilSettled = Self.pace
    /// Whether nothing was rendered yet: the first values then hold at once, without a ramp.
    private var isNew = true

    /// - Parameter slots: one for each filter, for its coefficients.
    init(_ slots: [UnsafeMutablePointer<ParameterSlot>]) {
        unsafe count = slots.count
        unsafe self.slots = .allocate(capacity: count)
        unsafe sections = .allocate(capacity: count)
        unsafe frames = .allocate(capacity: Self.pace)
        for i in 0..<count {
            unsafe (self.slots + i).initialize(to: slots[i])
        }
        unsafe sections.initialize(repeating: FilterSection(), count: count)
        unsafe frames.initialize(repeating: .zero, count: Self.pace)
    }

    deinit {
        unsafe slots.deallocate()
        unsafe sections.deallocate()
        unsafe frames.deallocate()
    }

    @_noLocks private mutating func reset() {
        take()
        for i in 0..<count { unsafe sections[i].reset() }
        untilSettled = Self.pace
    }

    @_noLocks private mutating func take() {
        for i in 0..<count {
            guard let new = unsafe slots[i].pointee.take() else { continue }
            var lanes = SIMD8<Double>.zero
            for lane in 0..<FilterCoefficients.floatCount {
                lanes[lane] = unsafe Double(new.floats[lane])
            }
            unsafe sections[i].aim(
                at: FilterCoefficients(lanes: lanes), over: isNew ? 0 : new.ramp)
        }
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        take()
        isNew = false
        let (out, total) = unsafe (outputs[0], slice.count)
        var (isFlat, isSilent) = (true, true)
        for i in 0..<count {
            isFlat = unsafe isFlat && sections[i].isFlat
            isSilent = unsafe isSilent && sections[i].isSilent
        }
        let isIdle = isFlat || (isSilent && out.isAtRest)
        if !isIdle { out.isAtRest = false }
        var done = 0
        while done < total {
            let part = min(total - done, untilSettled)
            if isIdle {
                for i in 0..<count { unsafe sections[i].skip(part) }
            } else {
                unsafe filter(out.stereo, from: done, count: part)
            }
            done += part
            untilSettled -= part
            if untilSettled == 0 {
                for i in 0..<count { unsafe sections[i].settle() }
                untilSettled = Self.pace
            }
        }
    }

    /// Takes at most `pace` frames through all filters that are not flat.
    @_noLocks private func filter(_ samples: StereoSamples, from start: Int, count part: Int) {
        let (left, right) = unsafe (samples.left + start, samples.right + start)
        for i in 0..<part {
            unsafe frames[i] = SIMD2(Double(left[i]), Double(right[i]))
        }
        // Two at once.
        var waiting = -1
        for i in 0..<count where unsafe !sections[i].isFlat {
            if waiting < 0 {
                waiting = i
            } else {
                unsafe sections[waiting].process(frames, count: part, then: &sections[i])
                waiting = -1
            }
        }
        if waiting >= 0 { unsafe sections[waiting].process(frames, count: part) }
        for i in 0..<part {
            unsafe left[i] = Float(frames[i].x)
            unsafe right[i] = Float(frames[i].y)
        }
    }
}
