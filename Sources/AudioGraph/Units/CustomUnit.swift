import CRealtime

/// The functions of a unit of yours: `make`, `render`, `reset` and `free`, in C or in Swift.
///
/// `make` gets `CustomUnit`'s context, the graph's rate in Hz and the most frames of a slice, and
/// returns the state that the others get; nil says that it could not. `render` returns 0, or an error.
/// `render` and `reset` run on the render thread: they must not allocate, lock, wait, or use reference
/// counts; declared `@c @_noLocks` in Swift, that is proven where they are written. All but `render` may
/// be nil.
public typealias UnitFunctions = crealtime_unit

/// What the `render` of a unit of yours gets: the frame, its time, how many frames, and the
/// buffers of all inputs and outputs. Outputs are never the buffers of an input.
///
/// `frames` samples are in `inputs[bus].channels[channel]` and go to `outputs[bus].channels[channel]`,
/// of `channel_count` channels each. `is_silent` says of an input that all are 0; set it on an output
/// of which that is true. `parameters` has them in the order in which they were declared.
///
/// Each parameter is an array of values, one for each frame: a ramp is what it is for any length of
/// slices, and one loop does for a value that moves and one that rests. What is costly to compute
/// from a value needs it again only while `is_moving`, or where `values[0]` has changed.
public typealias UnitSlice = crealtime_slice

/// A unit of your own, with its own parameters, buses and state.
///
/// ```swift
/// let tremolo = CustomUnit(
///     UnitFunctions(make: makeTremolo, render: renderTremolo, reset: resetTremolo, free: freeTremolo),
///     name: "tremolo",
///     parameters: [ParameterDescription("rate", .hertz, 0.1...20, default: 4, ramp: 50)])
/// try tremolo.set("rate", to: 6)
/// ```
///
/// A unit with an input and one output can be bypassed: its first input is heard then. In others
/// `isBypassed` has no effect. Control thread.
@safe public final class CustomUnit: EffectNode {
    private static let ownUnit = passingOn().unit

    /// The registry's unit, which gives what it gets.
    static func passingOn() -> CustomUnit {
        unsafe CustomUnit(
            UnitFunctions(make: nil, render: { unsafe passOn($1) }, reset: nil, free: nil),
            name: "custom", summary: "Is made of functions of yours.", manufacturer: "duet")
    }

    public override class var unit: UnitDescription { ownUnit }

    private let functions: UnitFunctions
    private let context: UnsafeMutableRawPointer?
    private let parameterList: ParameterList
    private let ownDescription: UnitDescription
    private let channelCount: Int?
    private let delay: Int
    private let errorStore = Shared(CallbackKernel.Errors())

    /// - Parameters:
    ///   - functions: what makes, renders, resets and frees it.
    ///   - name: the node's name, and that of its kind.
    ///   - summary: what it does, in one sentence.
    ///   - manufacturer: who made it.
    ///   - inputs: how many input buses, 0…32; 1 by default. Each takes 1…8 channels.
    ///   - outputs: how many output buses, 0…32; 1 by default. One without is rendered though nothing
    ///     reads it.
    ///   - channelCount: of every output, 1…8; nil: as many as the first input gets, or 2 without
    ///     inputs.
    ///   - parameters: of the whole unit, each of another name than `bypass`.
    ///   - latency: by how many frames it delays its input, 0…2²⁴; 0 by default.
    ///   - context: passed to `make`; the state where there is no `make`. It must live as long as
    ///     the graph does.
    public init(
        _ functions: UnitFunctions, name: String, summary: String = "Does what its functions do.",
        manufacturer: String = "custom", inputs: Int = 1, outputs: Int = 1,
        channelCount: Int? = nil, parameters: [ParameterDescription] = [], latency: Int = 0,
        context: UnsafeMutableRawPointer? = nil
    ) {
        // The type says that there is one; a struct that C has filled may have none.
        require(
            unsafe unsafeBitCast(functions.render, to: UnsafeRawPointer?.self) != nil,
            "\(name) has no function that renders: give its UnitFunctions a render")
        require(
            (0...32).contains(inputs) && (0...32).contains(outputs) && inputs + outputs > 0,
            "\(inputs) inputs and \(outputs) outputs: a unit has up to 32 of each")
        require(
            (1...8).contains(channelCount ?? 1), "\(channelCount ?? 0) channels: a bus has 1 to 8")
        require((0...1 << 24).contains(latency), "a latency of \(latency) frames: it is 0 to 2²⁴")
        let names = parameters.map(\.name) + [.bypass]
        require(
            Set(names).count == names.count,
            "two parameters have one name: \(names.map(\.description))")
        for each in parameters {
            require(
                each.scope == .global && !each.isReadOnly && each.accepts(each.defaultValue),
                "\(each.name): a parameter is global, not read only, and its default in its range")
        }
        self.functions = functions
        unsafe self.context = unsafe context
        (inputCount, outputCount) = (inputs, outputs)
        (self.channelCount, delay) = (channelCount, latency)
        canBypass = inputs > 0 && outputs == 1
        parameterList = ParameterList(
            (parameters + (canBypass ? [Self.bypass] : [])).map {
                ParameterDeclaration(
                    description: $0, hasOwnScope: true, rendered: { value, _ in value })
            })
        ownDescription = UnitDescription(
            inputs == 0 ? .generator : outputs == 0 ? .output : .effect, name, summary,
            manufacturer: manufacturer,
            inputs: inputs == 0
                ? [] : [BusDescription("input", channels: 1...8, count: inputs...inputs)],
            outputs: outputs == 0
                ? [] : [BusDescription("output", channels: 1...8, count: outputs...outputs)],
            parameters: parameterList.all.map(\.description),
            properties: [PropertyDescription("errors", .count, changesByItself: true)])
        super.init(name: name)
    }

    public override var unit: UnitDescription { ownDescription }

    override func declareParameters() -> ParameterList { parameterList }

    /// The errors that `render` has returned; silence was played instead.
    public var errors: CallbackErrors { unsafe CallbackErrors(errorStore.pointer) }

    public override func property(_ name: String) -> PropertyValue? {
        name == "errors" ? .number(Int64(errors.count)) : super.property(name)
    }

    // MARK: Buses

    private let (inputCount, outputCount): (Int, Int)

    public override var inputBusCount: Int { inputCount }
    public override var outputBuses: Range<Int> { 0..<outputCount }
    public override var latency: Int { canBypass && isBypassed ? 0 : delay }
    override var isEnd: Bool { outputCount == 0 }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        if let channelCount, !(canBypass && isBypassed) { return channelCount }
        return inputCount > 0 ? graph.inputChannelCount(of: self, bus: 0) : 2
    }

    // MARK: Bypass

    private let canBypass: Bool

    override var passesInputOn: Bool { canBypass && super.passesInputOn }

    override func apply(_ address: ParameterAddress) {
        if canBypass { super.apply(address) }
    }

    // MARK: Rendering

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        let parameters = parameterList.all.filter { $0.description.name != .bypass }
            .map { rendering[$0.description.name] }
        var state = unsafe context
        if let make = unsafe functions.make {
            unsafe state = make(
                context, Int32(clamping: rendering.sampleRate), Int32(longestSlice))
            guard unsafe state != nil else { throw .notMade(node: name) }
        }
        return unsafe .custom(
            rendering.own(
                CustomKernel(
                    functions, state: state, errors: errorStore.pointer, inputs: inputCount,
                    outputs: outputCount, parameters, ramps: rendering.ramps),
                keeping: errorStore))
    }

    override func emit(into compiler: Compiler) {
        if canBypass { return super.emit(into: compiler) }
        _ = addKernel(to: compiler, beside: nil)
    }

    override func addWet(to compiler: Compiler, beside dry: Bus?) -> Bus {
        addKernel(to: compiler, beside: dry)[0]
    }

    private func addKernel(to compiler: Compiler, beside dry: Bus?) -> [Bus] {
        let inputs = (0..<inputCount).map { bus in
            (bus == 0 ? dry : nil) ?? compiler.input(of: self, bus: bus)
        }
        let count = channelCount ?? inputs.first?.channelCount ?? 2
        let outputs = (0..<outputCount).map { _ in compiler.bus(.audio, channelCount: count) }
        compiler.add(kernelOf: self, from: inputs, to: outputs)
        for (bus, buffers) in outputs.enumerated() {
            compiler.set(buffers, output: bus, of: self)
        }
        return outputs
    }
}

/// What the registry's unit does: gives what it gets.
@_noLocks private func passOn(_ slice: UnsafePointer<UnitSlice>) -> Int32 {
    let (input, output) = unsafe (slice.pointee.inputs[0], slice.pointee.outputs[0])
    for channel in 0..<Int(unsafe output.channel_count) {
        unsafe copyChannel(
            input.channels[channel], to: output.channels[channel],
            count: Int(slice.pointee.frames))
    }
    unsafe slice.pointee.outputs[0].is_silent = input.is_silent
    return 0
}

/// Calls the functions of a unit of the library's user. Any number of inputs and outputs, never the
/// same buffers.
@safe struct CustomKernel: ~Copyable {
    private let functions: UnsafeMutablePointer<crealtime_unit>
    private let state: UnsafeMutableRawPointer?
    private let errors: UnsafePointer<CallbackKernel.Errors>
    private let ramps: ParameterRamps
    private let ramped: UnsafeMutablePointer<RampedParameter>
    private let part: UnsafeMutablePointer<crealtime_slice>
    private let inputs, outputs: UnsafeMutablePointer<crealtime_bus>
    private let parameters: UnsafeMutablePointer<crealtime_parameter>
    /// The values of all parameters, one after the other.
    private let values: UnsafeMutablePointer<Float>
    private let count: Int

    init(
        _ functions: crealtime_unit, state: UnsafeMutableRawPointer?,
        errors: UnsafePointer<CallbackKernel.Errors>, inputs inputCount: Int,
        outputs outputCount: Int, _ parameters: [RampedParameter], ramps: ParameterRamps
    ) {
        unsafe self.state = unsafe state
        unsafe self.errors = errors
        self.ramps = ramps
        count = parameters.count
        unsafe self.functions = .allocate(capacity: 1)
        unsafe self.functions.initialize(to: functions)
        unsafe ramped = .allocate(capacity: max(count, 1))
        unsafe inputs = .allocate(capacity: max(inputCount, 1))
        unsafe outputs = .allocate(capacity: max(outputCount, 1))
        unsafe self.parameters = .allocate(capacity: max(count, 1))
        unsafe values = .allocate(capacity: max(count, 1) * longestSlice)
        unsafe values.initialize(repeating: 0, count: max(count, 1) * longestSlice)
        for (number, each) in parameters.enumerated() {
            unsafe (ramped + number).initialize(to: each)
            // As if it had moved: the values are written with the first slice.
            unsafe (self.parameters + number).initialize(
                to: crealtime_parameter(values: values + number * longestSlice, is_moving: true))
        }
        unsafe part = .allocate(capacity: 1)
        unsafe part.initialize(
            to: crealtime_slice(
                frame: 0, host_time: 0, frames: 0, input_count: Int32(inputCount),
                output_count: Int32(outputCount), parameter_count: Int32(count), inputs: inputs,
                outputs: outputs, parameters: self.parameters))
    }

    deinit {
        if unsafe functions.pointee.make != nil, let free = unsafe functions.pointee.free {
            unsafe free(state)
        }
        unsafe functions.deallocate()
        unsafe ramped.deallocate()
        unsafe part.deallocate()
        unsafe inputs.deallocate()
        unsafe outputs.deallocate()
        unsafe parameters.deallocate()
        unsafe values.deallocate()
    }

    @_noLocks private func reset() {
        ramps.reset()
        unsafe crealtime_reset_unit(functions, state)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        ramps.take()
        let frames = unsafe slice.count
        fillParameters(frames)
        for number in 0..<inputs.count {
            unsafe set(self.inputs + number, to: inputs[number])
            unsafe self.inputs[number].is_silent = inputs[number].isAtRest
        }
        for number in 0..<outputs.count { unsafe set(self.outputs + number, to: outputs[number]) }
        unsafe part.pointee.frame = Int64(slice.frame)
        unsafe part.pointee.host_time = crealtime_nanoseconds()
        unsafe part.pointee.frames = Int32(truncatingIfNeeded: frames)
        let result = unsafe crealtime_render_unit(functions, state, part)
        ramps.advance(frames)
        unsafe CallbackKernel.note(result, in: errors)
        for number in 0..<outputs.count {
            if unsafe result != 0 || self.outputs[number].is_silent {
                outputs[number].clear(count: frames)
            } else {
                outputs[number].isAtRest = false
            }
        }
    }

    @_noLocks private func set(_ place: UnsafeMutablePointer<crealtime_bus>, to bus: Bus) {
        unsafe place.pointee.channels = UnsafePointer(bus.channels)
        unsafe place.pointee.channel_count = Int32(truncatingIfNeeded: bus.channelCount)
        unsafe place.pointee.is_silent = false
    }

    /// Writes each parameter's values for a slice; those of one that rests stay from slice to slice.
    @_noLocks private func fillParameters(_ frames: Int) {
        for number in 0..<count {
            let ramp = unsafe ramped[number].ramp
            let samples = unsafe values + number * longestSlice
            let isMoving = ramp.remaining > 0
            if isMoving {
                for i in 0..<frames { unsafe samples[i] = ramp.value(at: i) }
            } else if unsafe parameters[number].is_moving || samples[0] != ramp.target {
                for i in 0..<longestSlice { unsafe samples[i] = ramp.target }
            }
            unsafe parameters[number].is_moving = isMoving
        }
    }
}
