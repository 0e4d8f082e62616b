/// Tells how loud the first two channels of its input are, and passes it on unchanged.
public final class MeterNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "meter", "Measures the peak and RMS of its input, and passes it on unchanged.",
        of: MeterNode(),
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)])

    public override class var unit: UnitDescription { ownUnit }

    private let levelStore = Shared(LevelStore())

    @Reading(.peakLeft, .decibels, -120...120, default: -120) var peakLeft: Decibels
    @Reading(.peakRight, .decibels, -120...120, default: -120) var peakRight: Decibels
    @Reading(.rmsLeft, .decibels, -120...120, default: -120) var rmsLeft: Decibels
    @Reading(.rmsRight, .decibels, -120...120, default: -120) var rmsRight: Decibels

    public override init(name: String = "meter") { super.init(name: name) }

    /// The readings; they stand still while the node is bypassed.
    public var levels: Levels { unsafe Levels(levelStore.pointer.pointee) }

    override var changesInput: Bool { false }

    override func reading(of address: ParameterAddress) -> Double { levels.value(address.name) }

    override var isEnd: Bool { true }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .meter(
            rendering.own(
                MeterKernel(levels: levelStore.pointer, sampleRate: rendering.sampleRate),
                keeping: levelStore))
    }

    override func addSteps(to compiler: Compiler, changing bus: Bus) {
        compiler.add(kernelOf: self, from: [bus], to: [])
    }
}

/// A meter in a plan: reads its input.
@safe struct MeterKernel {
    private let levels: UnsafePointer<LevelStore>
    private var meter: Meter

    init(levels: UnsafePointer<LevelStore>, sampleRate: Int) {
        unsafe self.levels = levels
        meter = Meter(sampleRate: sampleRate)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { meter.reset() }
        let source = inputs[0]
        unsafe meter.process(source.stereo, isSilent: source.isAtRest, count: slice.count)
        unsafe levels.pointee.publish(meter)
    }
}

extension Levels {
    /// The reading that a meter's parameter names.
    func value(_ name: ParameterName) -> Double {
        switch name {
        case .peakLeft: peak.left.value
        case .peakRight: peak.right.value
        case .rmsLeft: rms.left.value
        default: rms.right.value
        }
    }
}
