/// An effect that a C function of yours computes, in place.
public final class CallbackEffect: EffectNode {
    private static let ownUnit = unsafe UnitDescription(
        .effect, "callback", "Processes its input with a C function.",
        of: CallbackEffect { _, _, _, _, _, _, _, _ in 0 },
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        properties: [PropertyDescription("errors", .count, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    private let callback: CallbackUnit
    private let delay: Int

    /// - Parameters:
    ///   - latency: by how many frames the callback delays its input, 0…2²⁴; 0 by default. A bypassed
    ///     effect delays nothing.
    ///   - context: passed to every call; it must live as long as the graph does.
    ///   - name: the node's name.
    ///   - callback: the C function that changes the buffers, on the render thread.
    public init(
        latency: Int = 0, context: UnsafeMutableRawPointer? = nil, name: String = "callback",
        _ callback: @escaping RenderCallback
    ) {
        require((0...1 << 24).contains(latency), "a latency of \(latency) frames: it is 0 to 2²⁴")
        delay = latency
        self.callback = unsafe CallbackUnit(callback, context: context)
        super.init(name: name)
    }

    /// The errors that the callback has returned; silence was played instead.
    public var errors: CallbackErrors { callback.errors }

    public override var latency: Int { isBypassed ? 0 : delay }

    public override func property(_ name: String) -> PropertyValue? {
        name == "errors" ? .number(Int64(errors.count)) : super.property(name)
    }

    override func addSteps(to compiler: Compiler, changing bus: Bus) {
        unsafe compiler.add(.callback(compiler.keep(callback.kernel)), from: [bus], to: [bus])
    }
}
