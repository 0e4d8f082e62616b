/// One operation of a slice: a kernel with its input and output buses.
@safe struct RenderStep {
    let kernel: Kernel
    let inputs: Buses
    let outputs: Buses

    /// What a step does. A closed enum, so that the render thread needs no dynamic dispatch.
    @safe enum Kernel {
        case clear
        case copy
        /// The numbers of the channels that are copied.
        case pick(UnsafePointer<Int>)
        case fade(UnsafeMutablePointer<ConnectionFade>)
        case hardwareInput
        case hardwareOutput(UnsafeMutablePointer<OutputKernel>)
        case song(UnsafeMutablePointer<SongKernel>)
        case queue(UnsafeMutablePointer<QueueKernel>)
        case mixerInput(UnsafeMutablePointer<MixerInputKernel>)
        case mixer(UnsafeMutablePointer<MixerKernel>)
        case guardSamples
        case callback(UnsafeMutablePointer<CallbackKernel>)
        case pulledCallback(UnsafeMutablePointer<PulledCallbackKernel>)
        case custom(UnsafeMutablePointer<CustomKernel>)
        case gain(UnsafeMutablePointer<GainKernel>)
        case tap(UnsafeMutablePointer<TapKernel>)
        case meter(UnsafeMutablePointer<MeterKernel>)
        case limiter(UnsafeMutablePointer<LimiterKernel>)
        case equalizer(UnsafeMutablePointer<EqualizerKernel>)
        case delay(UnsafeMutablePointer<DelayKernel>)
        case compressor(UnsafeMutablePointer<CompressorKernel>)
        case gate(UnsafeMutablePointer<GateKernel>)
        case deEsser(UnsafeMutablePointer<DeEsserKernel>)
        case reverb(UnsafeMutablePointer<ReverbKernel>)
        case vocalRemover(UnsafeMutablePointer<VocalRemoverKernel>)
        case feedbackGuard(UnsafeMutablePointer<FeedbackGuardKernel>)
        case ducker(UnsafeMutablePointer<DuckerKernel>)
        #if Spatial
        case binaural(UnsafeMutablePointer<BinauralKernel>)
        #endif
        #if Speech
        case voice(UnsafeMutablePointer<VoiceKernel>)
        #endif
        case readDelay(UnsafeMutablePointer<ControlDelay>)
        case writeDelay(UnsafeMutablePointer<ControlDelay>)
    }

    init(_ kernel: Kernel, inputs: Buses, outputs: Buses) {
        self.kernel = kernel
        self.inputs = inputs
        self.outputs = outputs
    }

    // Inlined into the loop over all steps: a call by itself would cost as much as some steps.
    @inline(__always) @_noLocks func run(_ slice: Slice) {
        switch kernel {
        case .clear: unsafe outputs[0].clear(count: slice.count)
        case .copy: unsafe outputs[0].copy(inputs[0], count: slice.count)
        case .pick(let map): unsafe outputs[0].pick(map, of: inputs[0], count: slice.count)
        case .hardwareInput: unsafe HardwareInput.render(slice, inputs, outputs)
        case .guardSamples: unsafe GuardKernel.render(slice, inputs, outputs)
        case .readDelay(let kernel): unsafe kernel.pointee.read(slice, to: outputs[0])
        case .writeDelay(let kernel): unsafe kernel.pointee.write(slice, from: inputs[0])
        case .hardwareOutput(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .song(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .queue(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .mixerInput(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .mixer(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .callback(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .pulledCallback(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .custom(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .gain(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .tap(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .meter(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .limiter(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .equalizer(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .delay(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .compressor(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .gate(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .deEsser(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .reverb(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .vocalRemover(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .feedbackGuard(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        case .ducker(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        #if Spatial
        case .binaural(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        #endif
        #if Speech
        case .voice(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        #endif
        case .fade(let kernel): unsafe kernel.pointee.render(slice, inputs, outputs)
        }
    }

    /// Whether the step could begin at `frame` of a transport in the next cycle.
    @_noLocks func isReady(at frame: Int64) -> Bool {
        switch kernel {
        case .song(let kernel): unsafe kernel.pointee.isReady(at: frame)
        default: true
        }
    }

    /// Waits until the step has what it needs for `frames` frames, or until the limit; false when that
    /// came first. Blocks.
    func wait(frames: Int, transport: Int64, until limit: Supply.Limit) -> Bool {
        switch kernel {
        case .song(let kernel):
            unsafe kernel.pointee.wait(frames: frames, transport: transport, until: limit)
        case .queue(let kernel): unsafe kernel.pointee.wait(frames: frames, until: limit)
        #if Spatial
        case .binaural(let kernel): unsafe kernel.pointee.wait(until: limit.end)
        #endif
        #if Speech
        case .voice(let kernel): unsafe kernel.pointee.wait(until: limit)
        #endif
        default: true
        }
    }
}
