import Synchronization

/// The control thread's end: hands edits over, and frees those that hold.
///
/// Edits are made in the order of their frames, those of one frame as they came. What an edit gives
/// the render thread is designed with the values that hold at its place in that order; when
/// something before it changes, it is designed and handed over anew.
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
        /// The first frame at which it may be made.
        let frame: Int
        /// Whether the values that it changes are told, and read, from then on only.
        let isWaiting: Bool
        let plan: CompiledPlan?
        /// Counts the edits: those of one frame are made in this order.
        let number: Int
        /// For slots that are not designed from `notes`.
        let fixed: [ParameterDelivery]
        /// All that the render thread gets, each slot once.
        let deliveries: [ParameterDelivery]
        /// What changes.
        private(set) var notes: [ParameterNote]
        /// Told of the frame from which it holds.
        private(set) var heard: [(Int) -> Void]
        private let changes: UnsafeMutableBufferPointer<Edit.Change>
        private let floats: UnsafeMutablePointer<Float>
        /// One that this takes the place of, if it still waits, and the one that is made before this. The
        /// render thread may look at both until this one is done: they keep their memory until then.
        private(set) var replaced: Entry?
        fileprivate(set) var before: Entry?
        /// Whether another has taken its place.
        var isReplaced = false

        init(
            at frame: Int, isWaiting: Bool, number: Int, _ plan: CompiledPlan?,
            fixed: [ParameterDelivery], _ deliveries: [ParameterDelivery], _ notes: [ParameterNote],
            heard: [(Int) -> Void],
            replacing replaced: Entry? = nil
        ) {
            (self.frame, self.isWaiting, self.number) = (frame, isWaiting, number)
            (self.plan, self.fixed, self.deliveries) = (plan, fixed, deliveries)
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
                    frame: frame, number: number, plan: plan?.pointer,
                    changes: UnsafeBufferPointer(changes),
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
        }

        /// It is done, or nothing renders any more.
        func forgetOthers() { (replaced, before) = (nil, nil) }

        /// Whether the render thread uses it no more.
        var isDone: Bool { unsafe pointer.pointee.heldFrom.load(ordering: .acquiring) != -1 }

        /// The same, with other notes and what comes of them.
        func with(_ notes: [ParameterNote], _ deliveries: [ParameterDelivery], replacing: Entry?)
            -> Entry
        {
            Entry(
                at: frame, isWaiting: isWaiting, number: number, plan, fixed: fixed, deliveries,
                notes, heard: heard, replacing: replacing)
        }
    }

    deinit {
        // One by one: a chain of thousands would be freed link in link.
        for entry in taken + untaken { entry.forgetOthers() }
    }

    let incoming = Shared(Incoming())
    /// Handed over, as they came; the render thread may have taken them all, or none.
    private var untaken: [Entry] = []
    /// Taken, and not known to be done.
    private var taken: [Entry] = []
    /// The number of the newest edit.
    private var lastNumber = 0
    /// What the render thread renders now, or did when it was last looked at.
    private(set) var plan: CompiledPlan?

    /// How many edits were handed over and are not freed.
    var count: Int { untaken.count + taken.count }

    /// Handed over and not known to be made, in the order in which they are made.
    var pending: [Entry] { Self.inOrder((taken + untaken).filter { !$0.isReplaced }) }

    private static func inOrder(_ entries: [Entry]) -> [Entry] {
        entries.sorted { ($0.frame, $0.number) < ($1.frame, $1.number) }
    }

    /// How many edits wait for their frame.
    var waitingCount: Int { (taken + untaken).count { $0.isWaiting && !$0.isReplaced } }

    /// Whether an edit of connections waits for its frame.
    var hasWaitingPlan: Bool {
        (taken + untaken).contains { $0.isWaiting && $0.plan != nil && !$0.isDone }
    }

    /// All plans that the render thread may render, now or later.
    var plans: [CompiledPlan] { (taken + untaken).compactMap(\.plan) + (plan.map { [$0] } ?? []) }

    // MARK: Handing over

    /// The first frame at which a new edit can be made that is to be made at `frame`: edits with plans
    /// are made in the order in which they came, since each plan holds all that was edited before.
    func frame(for frame: Int, hasPlan: Bool) -> Int {
        guard hasPlan else { return frame }
        return (taken + untaken).reduce(frame) { $1.plan == nil ? $0 : max($0, $1.frame) }
    }

    /// Hands an edit over.
    ///
    /// - Parameters:
    ///   - plan: nil: the graph is rendered as before.
    ///   - fixed: for slots that are not those of `notes`.
    ///   - notes: what changes.
    ///   - frame: the first frame at which it may be made, as `frame(for:hasPlan:)` gives it.
    ///   - isWaiting: false: the values of `notes` are the units' already, and it may be joined with
    ///     others of that kind.
    ///   - heard: told of the frame from which it holds, by who collects.
    func hand(
        _ plan: CompiledPlan?, _ fixed: [ParameterDelivery], notes: [ParameterNote] = [],
        at frame: Int, isWaiting: Bool = false, heard: [(Int) -> Void] = []
    ) {
        takeBack()
        let before = pending.filter { $0.frame <= frame }
        lastNumber += 1
        var entry = Entry(
            at: frame, isWaiting: isWaiting, number: lastNumber, plan, fixed: fixed,
            design(fixed, notes, over: Self.values(before)), notes, heard: heard)
        if !isWaiting, let last = before.last, !last.isWaiting,
            untaken.contains(where: { $0 === last })
        {
            entry = Self.joined(last, entry)
            untaken.removeAll { $0 === last }
        }
        untaken.append(entry)
        redesign(after: entry)
        give()
    }

    /// Designs what waits anew, without the notes that are to be forgotten.
    func redesign(forgetting isForgotten: (_ frame: Int, ParameterNote) -> Bool) {
        guard waitingCount > 0 else { return }
        takeBack()
        redesign(after: nil, forgetting: isForgotten)
        give()
    }

    /// Hands anew what is made after `entry`, if it gives the render thread something else now, or a
    /// value for the same slot: `entry` may be made late, after what is replaced.
    private func redesign(
        after entry: Entry?,
        forgetting isForgotten: (_ frame: Int, ParameterNote) -> Bool = { _, _ in false }
    ) {
        var slots = Set((entry?.deliveries ?? []).map { ObjectIdentifier($0.slot) })
        let before = pending
        let start =
            entry.flatMap { entry in before.firstIndex { $0 === entry } }.map { $0 + 1 } ?? 0
        var values = Self.values(before[..<start])
        for old in before[start...] where old.isWaiting {
            let notes = old.notes.filter { !isForgotten(old.frame, $0) }
            let deliveries = design(old.fixed, notes, over: values)
            for note in notes { values[note.key] = note.value }
            guard
                notes.count < old.notes.count || !deliveries.elementsEqual(old.deliveries)
                    || deliveries.contains(where: { slots.contains(ObjectIdentifier($0.slot)) })
            else { continue }
            slots.formUnion(deliveries.map { ObjectIdentifier($0.slot) })
            old.isReplaced = true
            if let untakenPlace = untaken.firstIndex(where: { $0 === old }) {
                // The render thread never sees the other.
                untaken[untakenPlace] = old.with(notes, deliveries, replacing: old.replaced)
            } else {
                untaken.append(old.with(notes, deliveries, replacing: old))
            }
        }
    }

    /// What the render thread gets for `notes`, where `waiting` holds by what comes before.
    private func design(
        _ fixed: [ParameterDelivery], _ notes: [ParameterNote],
        over waiting: [ParameterNote.Key: Double]
    ) -> [ParameterDelivery] {
        var waiting = waiting
        for note in notes { waiting[note.key] = note.value }
        let designed = notes.flatMap { note -> [ParameterDelivery] in
            guard let unit = note.unit, unit.rendering === note.rendering else { return [] }
            return unit.parameters.deliveries(of: note.address, ramp: note.ramp) { address in
                waiting[ParameterNote.Key(unit: note.key.unit, address: address)]
                    ?? unit.parameters.held(address)
            }
        }
        return ParameterDelivery.unique(fixed + designed)
    }

    /// The values that wait for their frame, of each parameter the last, but of units that are gone. What is
    /// changed by a plan does not wait: it reads as changed at once.
    private static func values(_ entries: some Sequence<Entry>) -> [ParameterNote.Key: Double] {
        var values: [ParameterNote.Key: Double] = [:]
        for entry in entries where entry.isWaiting {
            for note in entry.notes where note.isDelivered && note.unit != nil {
                values[note.key] = note.value
            }
        }
        return values
    }

    /// The value that a parameter gets until `frame` by what waits; nil: that which it has.
    func value(of key: ParameterNote.Key, at frame: Int) -> Double? {
        guard waitingCount > 0 else { return nil }
        return Self.values(pending.filter { $0.frame <= frame })[key]
    }

    // MARK: Collecting

    /// Frees what is done. Returns what was made since the last call, in the order in which it was
    /// made.
    func collect() -> [Entry] {
        guard count > 0 else { return [] }
        if unsafe incoming.pointer.pointee.first.load(ordering: .acquiring) == nil { noteTaken() }
        // The latest first, each looked at once: where one of them is done, so are those before it.
        let isDone = Self.inOrder(taken).reversed().map { ($0, $0.isDone) }
        for (entry, isDone) in isDone where isDone { entry.forgetOthers() }
        let still = Set(isDone.compactMap { $1 ? nil : ObjectIdentifier($0) })
        taken.removeAll { !still.contains(ObjectIdentifier($0)) }
        let made = isDone.reversed().map(\.0).filter {
            !still.contains(ObjectIdentifier($0)) && $0.heldFrom != nil
        }
        // Only the last of them is rendered.
        if let last = made.last(where: { $0.plan != nil }) { plan = last.plan }
        return made
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

    /// Hands over what was not taken, in the order in which it is made, each with the edit before it: the
    /// render thread looks for no place.
    private func give() {
        untaken = Self.inOrder(untaken)
        guard let head = untaken.first, let last = untaken.last else { return }
        var before: Entry?
        var numbers = Set(untaken.map(\.number))
        for entry in pending {
            if numbers.remove(entry.number) != nil, !entry.isReplaced {
                entry.before = before
                unsafe entry.pointer.pointee.before = before?.pointer
            }
            before = entry
        }
        for (entry, next) in zip(untaken, untaken.dropFirst()) {
            unsafe entry.pointer.pointee.next = next.pointer
        }
        unsafe last.pointer.pointee.next = nil
        unsafe incoming.pointer.pointee.first.store(head.pointer, ordering: .releasing)
    }

    /// Two edits in one: of a slot or a parameter that both change the later value counts.
    private static func joined(_ first: Entry, _ second: Entry) -> Entry {
        let changed = Set(second.deliveries.map { ObjectIdentifier($0.slot) })
        let noted = Set(second.notes.map(\.key))
        return Entry(
            at: second.frame, isWaiting: false, number: second.number, second.plan ?? first.plan,
            fixed: [],
            first.deliveries.filter { !changed.contains(ObjectIdentifier($0.slot)) }
                + second.deliveries,
            first.notes.filter { !noted.contains($0.key) } + second.notes,
            heard: first.heard + second.heard)
    }
}
