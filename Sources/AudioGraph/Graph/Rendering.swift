import Synchronization

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
    private var used: Any?
    private var endUse: (() -> Void)?

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

    /// Keeps what the node uses beside the kernel, until `end`.
    ///
    /// - Parameter end: ends it, such as a thread; does not wait.
    func use(_ object: Any, end: @escaping () -> Void = {}) { (used, endUse) = (object, end) }

    /// What `use` keeps.
    func inUse<Object>(as type: Object.Type = Object.self) -> Object? { used as? Object }

    /// Ends what `use` keeps: the node has left its graph, or this was never used.
    func end() {
        let (used, endUse) = (used, endUse)
        (self.used, self.endUse) = (nil, nil)
        endUse?()
        withExtendedLifetime(used) {}
    }

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
        let slot = passingSlot(address, value)
        owned.append(slot)
        return unsafe slot.pointer
    }

    /// A slot that the caller keeps: of a bus, which may give its number to another.
    ///
    /// - Parameter news: set to true whenever a value is put in.
    func passingSlot(
        _ address: ParameterAddress, _ value: [Float], news: Shared<Bool>? = nil
    ) -> Shared<ParameterSlot> {
        let slot = unsafe Shared(
            ParameterSlot(value, news: news?.pointer), keepingAll: news.map { [$0] } ?? [])
        slots[address] = slot
        return slot
    }

    /// A slot for a switch, of which other threads see what it is from the frame on at which it is set.
    func slot(_ name: ParameterName, seenIn flag: Shared<SharedFlag>) {
        let address = ParameterAddress(name, scope: .global, element: 0)
        let slot = unsafe Shared(
            ParameterSlot([Float(value(name))], flag: flag.pointer), keepingAll: [flag])
        slots[address] = slot
        owned.append(slot)
    }

    /// Names the slots as they were before an edit that was given up.
    func restore(_ old: [ParameterAddress: Shared<ParameterSlot>]) { slots = old }

    /// A parameter of one number that the kernel begins, moves on and resets by itself.
    func single(_ name: ParameterName, scope: Scope = .global, element: Int = 0) -> ParameterRamp {
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

/// Owns one value on the heap for as long as a node, a connection or a plan needs it.
///
/// The control thread holds the object; the render thread uses only the pointer.
@safe final class Shared<Value: ~Copyable> {
    let pointer: UnsafeMutablePointer<Value>
    /// What the value points at.
    private let kept: [AnyObject]

    /// - Parameter others: what the value points at, which lives as long.
    convenience init(_ value: consuming Value, keeping others: AnyObject...) {
        self.init(value, keepingAll: others)
    }

    /// As `init(_:keeping:)`, for a list.
    init(_ value: consuming Value, keepingAll others: [AnyObject]) {
        kept = others
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }
}

/// A switch that any thread reads.
@safe struct SharedFlag: ~Copyable {
    let isOn = Atomic<Bool>(false)
}

/// The newest value of a parameter on the render thread: a fixed number of floats, as the kernel
/// uses them, and how long the ramp to them takes.
///
/// An edit puts values in, at the frame from which it holds, and the kernel takes them, both on the
/// render thread. Before the first edit reaches the render thread nobody but the control thread
/// uses the slot.
@safe struct ParameterSlot: ~Copyable {
    /// A value as the kernel gets it, valid until the next `put`.
    @unsafe struct Value {
        let floats: UnsafePointer<Float>
        /// The length of the ramp to it, in frames.
        let ramp: Int32

        @_noLocks init(floats: UnsafePointer<Float>, ramp: Int32) {
            unsafe self.floats = floats
            unsafe self.ramp = ramp
        }
    }

    let count: Int
    private let floats: UnsafeMutablePointer<Float>
    private var ramp: Int32
    private var isNew = true
    /// Whether a value was taken: what is put in before that holds at once, without a ramp.
    private var isTaken = false
    private let news: UnsafeMutablePointer<Bool>?
    private let flag: UnsafePointer<SharedFlag>?

    /// A slot with a first value, which `take` gives.
    ///
    /// - Parameters:
    ///   - ramp: of the first value, or of the one that takes its place before it was taken.
    ///   - news: set to true whenever a value is put in.
    ///   - flag: set to whether the first float is not 0 whenever a value is put in.
    init(
        _ value: [Float], ramp: Int32 = 0, news: UnsafeMutablePointer<Bool>? = nil,
        flag: UnsafePointer<SharedFlag>? = nil
    ) {
        self.ramp = ramp
        unsafe self.news = news
        unsafe self.flag = flag
        count = value.count
        unsafe floats = .allocate(capacity: max(value.count, 1))
        for i in value.indices { unsafe (floats + i).initialize(to: value[i]) }
    }

    deinit { unsafe floats.deallocate() }

    /// The first float of the present value.
    var first: Float { @_noLocks get { unsafe floats[0] } }

    /// Puts a value in, in place of one that was not taken yet.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks mutating func put(_ value: UnsafePointer<Float>, ramp: Int32) {
        for i in 0..<count { unsafe floats[i] = value[i] }
        if isTaken { self.ramp = ramp }
        isNew = true
        if let news = unsafe news { unsafe news.pointee = true }
        if let flag = unsafe flag {
            unsafe flag.pointee.isOn.store(floats[0] != 0, ordering: .relaxed)
        }
    }

    /// The newest value, or nil when there is none since the last call.
    ///
    /// Render thread. Realtime-safe.
    @inline(__always) @_noLocks mutating func take() -> Value? {
        guard isNew else { return nil }
        (isNew, isTaken) = (false, true)
        return unsafe Value(floats: floats, ramp: ramp)
    }
}

/// A parameter of one number on the render thread: its newest value, and the ramp to it.
@safe struct ParameterRamp {
    private let slot: UnsafeMutablePointer<ParameterSlot>
    /// The present value; a kernel moves it on by the frames that it renders.
    var ramp: Ramp

    init(_ slot: UnsafeMutablePointer<ParameterSlot>) {
        unsafe self.slot = slot
        ramp = unsafe Ramp(at: slot.pointee.first, length: 0)
    }

    /// Begins a slice: takes a new value. Returns in how many frames it is reached; nil where there
    /// is none.
    @discardableResult @inline(__always) @_noLocks mutating func take() -> Int32? {
        guard let new = unsafe slot.pointee.take() else { return nil }
        unsafe ramp.aim(at: new.floats[0], over: new.ramp)
        return unsafe new.ramp
    }

    /// Goes to the newest value at once.
    @_noLocks mutating func reset() {
        take()
        ramp.end()
    }

    // What a kernel asks of the ramp.

    /// The value `offset` frames from now.
    @inline(__always) @_noLocks func value(at offset: Int) -> Float { ramp.value(at: offset) }
    /// The value that holds when the ramp is over.
    var target: Float { @_noLocks get { ramp.target } }
    /// Whether the value moves.
    var isMoving: Bool { @_noLocks get { ramp.remaining > 0 } }
}

/// A parameter of one number among those that its kernel begins, moves on and resets together
/// (`ParameterRamps`).
@safe struct RampedParameter {
    private let ramped: UnsafeMutablePointer<ParameterRamp>

    init(_ ramped: UnsafeMutablePointer<ParameterRamp>) { unsafe self.ramped = ramped }

    /// The value `offset` frames from now.
    @inline(__always) @_noLocks func value(at offset: Int) -> Float {
        unsafe ramped.pointee.ramp.value(at: offset)
    }
    /// The value that holds when the ramp is over.
    var target: Float { @_noLocks get { unsafe ramped.pointee.ramp.target } }
    /// The ramp as it is now.
    var ramp: Ramp { @_noLocks get { unsafe ramped.pointee.ramp } }
}

/// The parameters of a kernel that are one number each, all together. Their memory belongs to the
/// node's `Rendering`.
@safe struct ParameterRamps {
    private let ramps: UnsafeMutablePointer<ParameterRamp>
    private let count: Int

    init(_ ramps: UnsafeMutablePointer<ParameterRamp>, count: Int) {
        unsafe self.ramps = ramps
        self.count = count
    }

    /// Whether any of them moves.
    var areMoving: Bool {
        @_noLocks get {
            for i in 0..<count where unsafe ramps[i].isMoving { return true }
            return false
        }
    }

    /// Begins a slice: takes new values.
    @inline(__always) @_noLocks func take() { for i in 0..<count { unsafe ramps[i].take() } }

    /// Goes to the newest values at once.
    @_noLocks func reset() { for i in 0..<count { unsafe ramps[i].reset() } }

    /// Moves all on by `count` frames.
    @inline(__always) @_noLocks func advance(_ frames: Int) {
        for i in 0..<count { unsafe ramps[i].ramp.advance(frames) }
    }
}
