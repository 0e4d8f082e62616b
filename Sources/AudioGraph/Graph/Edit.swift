import Synchronization

/// A transaction on its way to the render thread, which makes all of it at one frame.
@safe struct Edit: ~Copyable {
    // Safety: which thread uses what.
    //   frame, number, plan, changes, replaced  written before the edit is handed over; then only read
    //   next, before                     whoever has the edit: the control thread until it is taken,
    //                                    then the render thread
    //   previous, isListed               the render thread
    //   heldFrom                         atomic; once it is set the control thread alone has it

    /// A new value for one slot.
    @safe struct Change: BitwiseCopyable {
        let slot: UnsafeMutablePointer<ParameterSlot>
        let floats: UnsafePointer<Float>
        /// How long the ramp to it takes, in frames.
        let ramp: Int32
    }

    /// The first frame at which it may be made.
    let frame: Int
    /// Edits of one frame are made in the order of their numbers.
    let number: Int
    let plan: UnsafeMutablePointer<RenderPlan>?
    let changes: UnsafeBufferPointer<Change>
    /// An edit that this one takes the place of, if it still waits for its frame.
    let replaced: UnsafeMutablePointer<Edit>?
    /// The edit that is made after this one; before it is listed, the one that was handed over after it.
    var next: UnsafeMutablePointer<Edit>?
    /// The edit that is made before this one, if it still waits then; nil: none is.
    var before: UnsafeMutablePointer<Edit>?
    /// The same among those that are listed.
    var previous: UnsafeMutablePointer<Edit>?
    /// Whether it is among those that wait for their frame.
    var isListed = false
    /// The frame from which it holds; −1 before, −2 when another took its place.
    let heldFrom = Atomic<Int>(-1)

    init(
        frame: Int, number: Int, plan: UnsafeMutablePointer<RenderPlan>?,
        changes: UnsafeBufferPointer<Change>,
        replaced: UnsafeMutablePointer<Edit>?
    ) {
        (self.frame, self.number) = (frame, number)
        unsafe self.plan = plan
        unsafe self.changes = changes
        unsafe self.replaced = replaced
        unsafe (next, before, previous) = (nil, nil, nil)
    }
}

/// The edits that the render thread has taken and that wait for their frame, in the order in which
/// they are made: by frame, and those of one frame as they came.
///
/// Render thread. Realtime-safe.
@safe struct WaitingEdits: ~Copyable {
    private let incoming: UnsafePointer<EditQueue.Incoming>
    private var first: UnsafeMutablePointer<Edit>?
    /// How many steps were taken to list edits, for tests: one for each edit, however many wait.
    private(set) var steps = 0

    init(_ incoming: UnsafePointer<EditQueue.Incoming>) {
        unsafe self.incoming = incoming
        unsafe first = nil
    }

    /// Takes what was handed over since the last call, in a constant time for each edit.
    @_noLocks mutating func take() {
        // A plain load first: an exchange in every cycle would cost more than all else here.
        guard unsafe incoming.pointee.first.load(ordering: .relaxed) != nil else { return }
        var new = unsafe incoming.pointee.first.exchange(nil, ordering: .acquiringAndReleasing)
        while let edit = unsafe new {
            unsafe new = edit.pointee.next
            if let replaced = unsafe edit.pointee.replaced { unsafe drop(replaced) }
            unsafe insert(edit)
            steps &+= 1
        }
    }

    /// The next edit that is due at `frame`, taken out; nil when none is. The caller makes it and
    /// then calls `Edit.heldFrom`.
    @_noLocks mutating func next(at frame: Int) -> UnsafeMutablePointer<Edit>? {
        guard let due = unsafe first, unsafe due.pointee.frame <= frame else { return nil }
        unsafe remove(due)
        return unsafe due
    }

    /// How many frames there are from `frame` until the next edit.
    @_noLocks func frames(from frame: Int) -> Int {
        guard let next = unsafe first else { return .max }
        return unsafe next.pointee.frame - frame
    }

    /// Behind the edit that is made before it. Where that was made already only such edits can come before
    /// it that are overdue, and are made in this cycle.
    @_noLocks private mutating func insert(_ edit: UnsafeMutablePointer<Edit>) {
        var before = unsafe edit.pointee.before
        if let known = unsafe before, unsafe !known.pointee.isListed { unsafe before = nil }
        var next = unsafe first
        if let before = unsafe before { unsafe next = before.pointee.next }
        while let other = unsafe next,
            unsafe other.pointee.frame < edit.pointee.frame
                || other.pointee.frame == edit.pointee.frame
                    && other.pointee.number < edit.pointee.number
        {
            unsafe (before, next) = (other, other.pointee.next)
            steps &+= 1
        }
        if let before = unsafe before {
            unsafe before.pointee.next = edit
        } else {
            unsafe first = edit
        }
        unsafe edit.pointee.previous = before
        unsafe edit.pointee.next = next
        if let next = unsafe next { unsafe next.pointee.previous = edit }
        unsafe edit.pointee.isListed = true
    }

    @_noLocks private mutating func remove(_ edit: UnsafeMutablePointer<Edit>) {
        let (previous, next) = unsafe (edit.pointee.previous, edit.pointee.next)
        if let previous = unsafe previous {
            unsafe previous.pointee.next = next
        } else {
            unsafe first = next
        }
        if let next = unsafe next { unsafe next.pointee.previous = previous }
        unsafe edit.pointee.isListed = false
    }

    /// Takes an edit out that was given up; one that was made is not there any more.
    @_noLocks private mutating func drop(_ edit: UnsafeMutablePointer<Edit>) {
        guard unsafe edit.pointee.isListed else { return }
        unsafe remove(edit)
        unsafe edit.pointee.heldFrom.store(-2, ordering: .releasing)
    }
}

/// What the render thread gets when a parameter changes: a value for a slot.
@safe struct ParameterDelivery: Equatable {
    let slot: Shared<ParameterSlot>
    let floats: [Float]
    /// How long the ramp to it takes, in frames.
    let ramp: Int32

    /// Puts the value into the slot, where no render thread uses it.
    func put() { unsafe slot.pointer.pointee.put(floats, ramp: ramp) }

    static func == (a: Self, b: Self) -> Bool {
        a.slot === b.slot && a.floats == b.floats && a.ramp == b.ramp
    }

    /// Each slot once, with its last value, and the longest of the ramps.
    static func unique(_ deliveries: [ParameterDelivery]) -> [ParameterDelivery] {
        var places: [ObjectIdentifier: Int] = [:]
        var unique: [ParameterDelivery] = []
        for each in deliveries {
            if let place = places[ObjectIdentifier(each.slot)] {
                unique[place] = ParameterDelivery(
                    slot: each.slot, floats: each.floats, ramp: max(each.ramp, unique[place].ramp))
            } else {
                places[ObjectIdentifier(each.slot)] = unique.count
                unique.append(each)
            }
        }
        return unique
    }
}

/// A change of a parameter that is on its way.
struct ParameterNote {
    struct Key: Hashable {
        let unit: ObjectIdentifier
        let address: ParameterAddress
    }

    weak let unit: AudioNode?
    /// What renders the unit; another one does not get the change.
    weak let rendering: Rendering?
    let key: Key
    let value: Double
    /// How long the ramp takes, in frames.
    let ramp: Int32
    let origin: String
    /// Whether the render thread gets the value; false: the plan is another one.
    let isDelivered: Bool
    /// What was set before the edit; nil: nothing.
    var old: Double?

    init(
        _ unit: AudioNode, _ address: ParameterAddress, value: Double, ramp: Int32, origin: String
    ) {
        (self.unit, rendering) = (unit, unit.rendering)
        key = Key(unit: ObjectIdentifier(unit), address: address)
        (self.value, self.ramp, self.origin) = (value, ramp, origin)
        isDelivered = !unit.parameters.deliveries(of: address, ramp: ramp) { _ in value }.isEmpty
    }

    var address: ParameterAddress { key.address }
}
