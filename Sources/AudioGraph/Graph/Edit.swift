import Synchronization

/// A transaction on its way to the render thread, which makes all of it at one frame.
@safe struct Edit: ~Copyable {
    // Safety: which thread uses what.
    //   plan, changes, replaced   written before the edit is handed over; then only read
    //   frame, next               whoever has the edit: the control thread until it is taken, then
    //                             the render thread
    //   heldFrom                  atomic; once it is set the control thread alone has the edit

    /// A new value for one slot.
    @safe struct Change: BitwiseCopyable {
        let slot: UnsafeMutablePointer<ParameterSlot>
        let floats: UnsafePointer<Float>
        /// How long the ramp to it takes, in frames.
        let ramp: Int32
    }

    /// The first frame at which it may be made.
    var frame: Int
    let plan: UnsafeMutablePointer<RenderPlan>?
    let changes: UnsafeBufferPointer<Change>
    /// An edit that this one takes the place of, if it still waits for its frame.
    let replaced: UnsafeMutablePointer<Edit>?
    var next: UnsafeMutablePointer<Edit>?
    /// The frame from which it holds; −1 before, −2 when another took its place.
    let heldFrom = Atomic<Int>(-1)

    init(
        frame: Int, plan: UnsafeMutablePointer<RenderPlan>?, changes: UnsafeBufferPointer<Change>,
        replaced: UnsafeMutablePointer<Edit>?
    ) {
        self.frame = frame
        unsafe self.plan = plan
        unsafe self.changes = changes
        unsafe self.replaced = replaced
        unsafe next = nil
    }
}

/// The edits that the render thread has taken and that wait for their frame, the earliest first.
///
/// Render thread. Realtime-safe.
@safe struct WaitingEdits: ~Copyable {
    private let incoming: UnsafePointer<EditQueue.Incoming>
    private var first: UnsafeMutablePointer<Edit>?

    init(_ incoming: UnsafePointer<EditQueue.Incoming>) {
        unsafe self.incoming = incoming
        unsafe first = nil
    }

    /// Takes what was handed over since the last call; `frame` is the next one rendered.
    @_noLocks mutating func take(at frame: Int) {
        // A plain load first: an exchange in every cycle would cost more than all else here.
        guard unsafe incoming.pointee.first.load(ordering: .relaxed) != nil else { return }
        var new = unsafe incoming.pointee.first.exchange(nil, ordering: .acquiringAndReleasing)
        while let edit = unsafe new {
            unsafe new = edit.pointee.next
            if let replaced = unsafe edit.pointee.replaced { unsafe drop(replaced) }
            unsafe edit.pointee.frame = max(edit.pointee.frame, frame)
            unsafe insert(edit)
        }
    }

    /// The next edit that is due at `frame`, taken out; nil when none is. The caller makes it and
    /// then calls `Edit.heldFrom`.
    @_noLocks mutating func next(at frame: Int) -> UnsafeMutablePointer<Edit>? {
        guard let due = unsafe first, unsafe due.pointee.frame <= frame else { return nil }
        unsafe first = due.pointee.next
        return unsafe due
    }

    /// How many frames there are from `frame` until the next edit.
    @_noLocks func frames(from frame: Int) -> Int {
        guard let next = unsafe first else { return .max }
        return unsafe next.pointee.frame - frame
    }

    /// Behind those of the same frame.
    @_noLocks private mutating func insert(_ edit: UnsafeMutablePointer<Edit>) {
        guard var before = unsafe first, unsafe before.pointee.frame <= edit.pointee.frame else {
            unsafe edit.pointee.next = first
            unsafe first = edit
            return
        }
        while let next = unsafe before.pointee.next,
            unsafe next.pointee.frame <= edit.pointee.frame
        { unsafe before = next }
        unsafe edit.pointee.next = before.pointee.next
        unsafe before.pointee.next = edit
    }

    /// Takes an edit out that was given up; one that was made is not there any more.
    @_noLocks private mutating func drop(_ edit: UnsafeMutablePointer<Edit>) {
        if unsafe first == edit {
            unsafe first = edit.pointee.next
        } else {
            guard var before = unsafe first else { return }
            while let next = unsafe before.pointee.next, unsafe next != edit {
                unsafe before = next
            }
            guard unsafe before.pointee.next == edit else { return }
            unsafe before.pointee.next = edit.pointee.next
        }
        unsafe edit.pointee.heldFrom.store(-2, ordering: .releasing)
    }
}

/// The control thread's end: hands edits over, and frees those that hold.
///
/// Edits that the render thread has not taken yet are taken back and joined with a new one, so that
/// however many there are while no driver runs, few wait.
@safe final class EditQueue {
    /// Where edits are handed over.
    @safe struct Incoming: ~Copyable {
        /// The oldest that was not taken; the others follow by `next`.
        let first = unsafe Atomic<UnsafeMutablePointer<Edit>?>(nil)
    }

    /// An edit, and what it needs as long as it is on its way.
    @safe final class Entry {
        let pointer: UnsafeMutablePointer<Edit>
        /// Whether it is made as soon as it is taken, so that others can be joined with it.
        let isImmediate: Bool
        /// The frame for which it waits with all that come after it and change the same; nil: it is
        /// immediate, or designed anew whenever something changes before it.
        let barrier: Int?
        let plan: CompiledPlan?
        let deliveries: [ParameterDelivery]
        /// What changes, for those who want to know from which frame it holds.
        private(set) var notes: [ParameterNote]
        /// Told of the frame from which it holds.
        private(set) var heard: [(Int) -> Void]
        private let changes: UnsafeMutableBufferPointer<Edit.Change>
        private let floats: UnsafeMutablePointer<Float>
        /// Keeps its memory until this one is taken.
        private(set) var replaced: Entry?

        init(
            frame: Int?, barrier: Int? = nil, plan: CompiledPlan?,
            _ deliveries: [ParameterDelivery], notes: [ParameterNote], heard: [(Int) -> Void],
            replacing replaced: Entry?
        ) {
            isImmediate = frame == nil && replaced == nil
            self.barrier = barrier
            (self.plan, self.deliveries) = (plan, deliveries)
            (self.notes, self.heard, self.replaced) = (notes, heard, replaced)
            let count = deliveries.reduce(0) { $0 + $1.floats.count }
            unsafe floats = .allocate(capacity: max(count, 1))
            unsafe changes = .allocate(capacity: deliveries.count)
            var place = unsafe floats
            for (i, delivery) in deliveries.enumerated() {
                unsafe changes.initializeElement(
                    at: i,
                    to: Edit.Change(
                        slot: delivery.slot.pointer, floats: UnsafePointer(place),
                        ramp: delivery.ramp))
                for float in delivery.floats {
                    unsafe place.initialize(to: float)
                    unsafe place += 1
                }
            }
            unsafe pointer = .allocate(capacity: 1)
            unsafe pointer.initialize(
                to: Edit(
                    frame: frame ?? 0, plan: plan?.pointer, changes: UnsafeBufferPointer(changes),
                    replaced: replaced?.pointer))
        }

        deinit {
            unsafe pointer.deinitialize(count: 1)
            unsafe pointer.deallocate()
            unsafe changes.deallocate()
            unsafe floats.deallocate()
        }

        /// The frame from which it holds; nil before.
        var heldFrom: Int? {
            let frame = unsafe pointer.pointee.heldFrom.load(ordering: .acquiring)
            return frame >= 0 ? frame : nil
        }

        /// The render thread has taken it.
        func noteTaken() {
            // What the other has changed was told, if it was made before this one was taken.
            if replaced?.heldFrom != nil { (notes, heard) = ([], []) }
            replaced = nil
        }

        /// Whether it changes the connections, or a value, as another edit does.
        func overlaps(_ plan: CompiledPlan?, _ slots: Set<ObjectIdentifier>) -> Bool {
            plan != nil && self.plan != nil
                || deliveries.contains { slots.contains(ObjectIdentifier($0.slot)) }
        }

        /// Whether the render thread uses it no more.
        var isDone: Bool { unsafe pointer.pointee.heldFrom.load(ordering: .acquiring) != -1 }
    }

    let incoming = Shared(Incoming())
    /// Handed over, the oldest first; the render thread may have taken them all, or none.
    private var untaken: [Entry] = []
    /// Taken, and not known to be done.
    private var taken: [Entry] = []
    /// What the render thread renders now, or did when it was last looked at.
    private(set) var plan: CompiledPlan?

    /// How many edits were handed over and are not freed.
    var count: Int { untaken.count + taken.count }

    /// Handed over, and not known to be made.
    var waiting: [Entry] { taken + untaken }

    /// Whether no plan was ever handed over.
    var isEmpty: Bool { plan == nil && !(untaken + taken).contains { $0.plan != nil } }

    /// How many plans are not freed yet.
    var planCount: Int {
        (untaken + taken).count { $0.plan != nil } + (plan == nil ? 0 : 1)
    }

    /// Hands an edit over.
    ///
    /// - Parameters:
    ///   - plan: nil: the graph is rendered as before.
    ///   - deliveries: each slot once.
    ///   - notes: what changes.
    ///   - frame: the first frame at which it may be made; nil: at once, or with an earlier edit
    ///     that waits for its frame and changes the same.
    ///   - heard: told of the frame from which it holds, by who collects.
    ///   - isDesigned: whether it is handed over anew when something before it changes.
    ///   - replaced: an earlier edit that is made no more, if it still waits.
    @discardableResult func hand(
        _ plan: CompiledPlan?, _ deliveries: [ParameterDelivery], notes: [ParameterNote] = [],
        at frame: Int? = nil, heard: [(Int) -> Void] = [], isDesigned: Bool = false,
        replacing replaced: Entry? = nil
    ) -> Entry {
        takeBack()
        let slots = Set(deliveries.map { ObjectIdentifier($0.slot) })
        let barrier = (taken + untaken).reduce(nil as Int?) { latest, entry in
            guard let frame = entry.barrier, !entry.isDone, entry.overlaps(plan, slots) else {
                return latest
            }
            return max(frame, latest ?? frame)
        }
        let frame = barrier.map { max($0, frame ?? $0) } ?? frame
        var entry: Entry
        if let place = untaken.firstIndex(where: { $0 === replaced }) {
            // The render thread never sees the other.
            entry = Entry(
                frame: frame, plan: plan, deliveries, notes: notes, heard: heard,
                replacing: untaken[place].replaced)
            untaken[place] = entry
        } else {
            entry = Entry(
                frame: frame, barrier: isDesigned ? nil : frame, plan: plan, deliveries,
                notes: notes, heard: heard, replacing: replaced)
            if entry.isImmediate, let last = untaken.last, last.isImmediate {
                entry = Self.joined(last, entry)
                untaken.removeLast()
            }
            untaken.append(entry)
        }
        give()
        return entry
    }

    /// Gives up an edit that waits for its frame.
    func giveUp(_ entry: Entry) {
        takeBack()
        if let place = untaken.firstIndex(where: { $0 === entry }) {
            // What it takes the place of waits, too.
            untaken[place] = Entry(
                frame: nil, plan: nil, [], notes: [], heard: [], replacing: entry.replaced)
        } else if !entry.isDone {
            untaken.append(Entry(frame: nil, plan: nil, [], notes: [], heard: [], replacing: entry))
        }
        give()
    }

    /// Frees what is done. Returns what was made since the last call, in the order in which it was
    /// made.
    func collect() -> [Entry] {
        if unsafe incoming.pointer.pointee.first.load(ordering: .acquiring) == nil { noteTaken() }
        // The latest first, each looked at once: where one of them is done, so are those before it.
        var done: [Entry] = []
        var waiting: [Entry] = []
        for entry in taken.reversed() {
            if !entry.isDone {
                waiting.append(entry)
            } else if entry.heldFrom != nil {
                done.append(entry)
            }
        }
        taken = waiting.reversed()
        done.reverse()
        let sorted = done.enumerated().sorted {
            ($0.element.heldFrom ?? 0, $0.offset) < ($1.element.heldFrom ?? 0, $1.offset)
        }.map(\.element)
        // Only the last of them is rendered.
        if let last = sorted.last(where: { $0.plan != nil }) { plan = last.plan }
        return sorted
    }

    /// Gets back what was not taken.
    private func takeBack() {
        let head = unsafe incoming.pointer.pointee.first.exchange(
            nil, ordering: .acquiringAndReleasing)
        if unsafe head == nil { noteTaken() }
    }

    private func noteTaken() {
        for entry in untaken { entry.noteTaken() }
        taken += untaken
        untaken = []
    }

    private func give() {
        guard let head = untaken.first else { return }
        for (entry, next) in zip(untaken, untaken.dropFirst()) {
            unsafe entry.pointer.pointee.next = next.pointer
        }
        unsafe untaken[untaken.count - 1].pointer.pointee.next = nil
        unsafe incoming.pointer.pointee.first.store(head.pointer, ordering: .releasing)
    }

    /// Two edits in one: of a slot or a parameter that both change the later value counts.
    private static func joined(_ first: Entry, _ second: Entry) -> Entry {
        let changed = Set(second.deliveries.map { ObjectIdentifier($0.slot) })
        let noted = Set(second.notes.map(\.key))
        return Entry(
            frame: nil, plan: second.plan ?? first.plan,
            first.deliveries.filter { !changed.contains(ObjectIdentifier($0.slot)) }
                + second.deliveries,
            notes: first.notes.filter { !noted.contains($0.key) } + second.notes,
            heard: first.heard + second.heard, replacing: nil)
    }
}

/// What the render thread gets when a parameter changes: a value for a slot.
@safe struct ParameterDelivery {
    let slot: Shared<ParameterSlot>
    let floats: [Float]
    /// How long the ramp to it takes, in frames.
    let ramp: Int32

    /// Puts the value into the slot, where no render thread uses it.
    func put() { unsafe slot.pointer.pointee.put(floats, ramp: ramp) }

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
    let key: Key
    let value: Double
    let origin: String

    init(_ unit: AudioNode, _ address: ParameterAddress, value: Double, origin: String) {
        self.unit = unit
        key = Key(unit: ObjectIdentifier(unit), address: address)
        (self.value, self.origin) = (value, origin)
    }

    var address: ParameterAddress { key.address }
}
