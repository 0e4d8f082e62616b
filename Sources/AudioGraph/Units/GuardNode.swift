/// Keeps harmful samples from every later node: those that are not finite become 0, magnitudes
/// above 2²⁰ are clamped.
public final class GuardNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "guard",
        "Replaces NaN with silence, and clamps huge samples.",
        of: GuardNode(),
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)])

    public override class var unit: UnitDescription { ownUnit }

    public override init(name: String = "guard") { super.init(name: name) }

    override func addSteps(to compiler: Compiler, changing bus: Bus) {
        compiler.add(.guardSamples, from: [bus], to: [bus])
    }
}

/// A guard in a plan. Input 0 and output 0 are the same buffers.
enum GuardKernel {
    @inline(never) @_noLocks static func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let out = outputs[0]
        guard !out.isAtRest else { return }
        for channel in 0..<out.channelCount {
            unsafe Guard.process(out.channels[channel], count: slice.count)
        }
    }
}

/// Keeps samples that no loudspeaker should get from every later stage: those that are not finite
/// become 0, magnitudes above 2²⁰ are clamped to 2²⁰.
enum Guard {
    @_noLocks static func process(_ samples: Samples, count: Int) {
        guard unsafe anyExceeds(0x1p20, in: samples, count: count) else { return }
        for i in 0..<count {
            let x = unsafe samples[i]
            unsafe samples[i] = x.isFinite ? min(max(x, -0x1p20), 0x1p20) : 0
        }
    }
}
