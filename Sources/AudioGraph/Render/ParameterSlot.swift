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

    /// A slot with a first value, which `take` gives.
    init(_ value: [Float], ramp: Int32 = 0) {
        self.ramp = ramp
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
        self.ramp = ramp
        isNew = true
    }

    /// The newest value, or nil when there is none since the last call.
    ///
    /// Render thread. Realtime-safe.
    @inline(__always) @_noLocks mutating func take() -> Value? {
        guard isNew else { return nil }
        isNew = false
        return unsafe Value(floats: floats, ramp: ramp)
    }
}

/// A parameter of one number on the render thread: its newest value, and the ramp to it.
@safe struct ParameterRamp {
    private let slot: UnsafeMutablePointer<ParameterSlot>
    /// The present value; a kernel moves it on by the frames that it renders.
    var ramp: Ramp
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    init(_ slot: UnsafeMutablePointer<ParameterSlot>) {
        unsafe self.slot = slot
        ramp = unsafe Ramp(at: slot.pointee.first, length: 0)
    }

    /// Begins a slice: takes a new value. Returns in how many frames it is reached; nil where there
    /// is none.
    @discardableResult @inline(__always) @_noLocks mutating func take() -> Int32? {
        defer { isNew = false }
        guard let new = unsafe slot.pointee.take() else { return nil }
        let length = unsafe isNew ? 0 : new.ramp
        unsafe ramp.aim(at: new.floats[0], over: length)
        return length
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
