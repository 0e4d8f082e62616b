/// What renders a node in a graph: its kernel, and the slots by which its parameters come there. A
/// plan keeps it for as long as it is in use. Control thread.
@safe final class Rendering {
    /// The graph's rate, in Hz.
    let sampleRate: Int
    private(set) var slots: [ParameterAddress: Shared<ParameterSlot>] = [:]
    private(set) var kernel: RenderStep.Kernel?
    private let unit: (list: ParameterList, values: [ParameterAddress: Double], name: String)
    private let rampMemory: UnsafeMutablePointer<ParameterRamp>
    private var rampCount = 0
    private var owned: [AnyObject] = []

    /// For `node` in a graph of `sampleRate` Hz, without a kernel.
    init(for node: AudioNode, sampleRate: Int) {
        self.sampleRate = sampleRate
        unit = (node.declarations, node.parameters.all, node.name)
        unsafe rampMemory = .allocate(capacity: max(node.declarations.all.count, 1))
    }

    /// Makes the kernel of `node` for a graph of `sampleRate` Hz.
    convenience init(of node: AudioNode, sampleRate: Int) throws(GraphError) {
        self.init(for: node, sampleRate: sampleRate)
        kernel = try node.makeKernel(self)
    }

    deinit { unsafe rampMemory.deallocate() }

    /// Moves `kernel` to the heap, where it stays as long as this object and `others`.
    func own<Value: ~Copyable>(
        _ kernel: consuming Value, keeping others: AnyObject...
    ) -> UnsafeMutablePointer<Value> {
        let shared = Shared(kernel)
        owned.append(shared)
        owned += others
        return unsafe shared.pointer
    }

    /// Keeps an object as long as this one.
    func keep(_ object: AnyObject) { owned.append(object) }

    /// Throws `rateNotTaken` unless the unit takes the graph's rate.
    func require(_ rates: ClosedRange<Int>) throws(GraphError) {
        guard rates.contains(sampleRate) else {
            throw .rateNotTaken(node: unit.name, rate: sampleRate, accepted: rates)
        }
    }

    // MARK: Parameters, for kernels as they are made

    /// The value of a parameter as the kernel uses it.
    func value(_ name: ParameterName, scope: Scope = .global, element: Int = 0) -> Double {
        guard let declared = unit.list[name, scope] else {
            fatalError("\(unit.name) declares no parameter \(name)")
        }
        let address = ParameterAddress(name, scope: scope, element: element)
        return declared.rendered(
            unit.values[address] ?? declared.description.defaultValue, sampleRate)
    }

    /// A slot for values of several numbers, which `AudioNode.deliveries` names by `address`.
    func slot(_ address: ParameterAddress, _ value: [Float]) -> UnsafeMutablePointer<ParameterSlot>
    {
        let slot = Shared(ParameterSlot(value))
        slots[address] = slot
        owned.append(slot)
        return unsafe slot.pointer
    }

    /// A parameter of one number that the kernel begins, moves on and resets by itself.
    func single(
        _ name: ParameterName, scope: Scope = .global, element: Int = 0
    ) -> ParameterRamp {
        let address = ParameterAddress(name, scope: scope, element: element)
        return unsafe ParameterRamp(
            slot(address, [Float(value(name, scope: scope, element: element))]))
    }

    /// A parameter of one number of the whole unit, one of `ramps`.
    subscript(name: ParameterName) -> RampedParameter {
        let place = unsafe rampMemory + rampCount
        unsafe place.initialize(to: single(name))
        rampCount += 1
        return unsafe RampedParameter(place)
    }

    /// All that `subscript` has given so far, which the kernel begins, moves on and resets together.
    var ramps: ParameterRamps { unsafe ParameterRamps(rampMemory, count: rampCount) }
}
