/// What an edit has done so far.
struct Transaction {
    /// The connections before it.
    let connections: [Connection]
    /// The frame from which it is to hold; nil: at once.
    let frame: Int?
    /// Told of the frame from which it holds.
    let heard: [(Int) -> Void]
    var changesPlan = false
    /// For slots that are not a parameter's.
    var deliveries: [ParameterDelivery] = []
    /// Changes of parameters, the last of each.
    var notes: [ParameterNote.Key: ParameterNote] = [:]
    var order: [ParameterNote.Key] = []
    /// Brings back what was before, the last step first.
    var undo: [() -> Void] = []
    /// Changes of parameters that wait for a frame of their own.
    var scheduled: [(note: ParameterNote, frame: Int)] = []
    /// Whether a change belongs to what was removed, so that it waits no more.
    var isForgotten: (ParameterNote.Key) -> Bool = { _ in false }
}

extension Graph {
    /// Makes all that `body` does to the graph, its nodes and their parameters in one step: the render
    /// thread has either none of it or all. When `body` throws, the graph is as it was before.
    ///
    /// A call of `add`, `connect`, `set` and so on by itself is an edit of one step. An edit within
    /// an edit is a part of it, and begins with it; when it throws, and that is caught, it is no part.
    ///
    /// **Edits of connections and bypasses never overtake each other:** while one waits for its frame, all
    /// later ones wait with it, also those at once. Plan changes that belong together in one edit, or
    /// schedule a parameter instead. All other edits take effect at their frames, those of one frame in
    /// the order of the calls.
    ///
    /// - Parameters:
    ///   - frame: the frame from which it holds, counted as `renderedFrames`; nil, or one that is over:
    ///     the driver's next cycle. Connections read as changed at once, values when they are made,
    ///     as those of `AudioNode.schedule`; within `body` as they are at the frame. Before `prepare`
    ///     an edit is made at once.
    ///   - heard: told once of the frame from which all of the edit holds, when `collect` is called
    ///     after that; not called where `body` throws. Of an edit within an edit it is not called.
    ///   - body: the edit.
    public func edit<Result, Failure: Error>(
        at frame: Int? = nil, heard: ((_ frame: Int) -> Void)? = nil,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isOutermost = transaction == nil
        if isOutermost {
            gather()
            // A frame that is over: at once.
            let frame = frame.flatMap { isPrepared && $0 > renderedFrames ? $0 : nil }
            transaction = Transaction(
                connections: wiring.made, frame: frame, heard: heard.map { [$0] } ?? [])
        }
        let before = transaction
        let mark = before?.undo.count ?? 0
        do throws(Failure) {
            let result = try body()
            if isOutermost { commit() }
            return result
        } catch {
            while let count = transaction?.undo.count, count > mark {
                transaction?.undo.removeLast()()
            }
            transaction = isOutermost ? nil : before
            throw error
        }
    }

    /// Whether an edit is being made.
    package var isEdited: Bool { transaction != nil }

    /// Says how to bring back what a step has changed.
    func undo(_ body: @escaping () -> Void) { transaction?.undo.append(body) }

    /// Notes a step that changes what is rendered, beside values of parameters.
    func changePlan(
        _ deliveries: [ParameterDelivery] = [], undo body: @escaping () -> Void = {}
    ) {
        transaction?.changesPlan = true
        transaction?.deliveries += deliveries
        undo(body)
    }

    /// Notes a step that gives the render thread more than values of parameters.
    func deliver(_ deliveries: [ParameterDelivery]) { transaction?.deliveries += deliveries }

    /// Notes a step that has changed a parameter.
    func note(_ note: ParameterNote, undo body: @escaping () -> Void) {
        var note = note
        if let before = transaction?.notes[note.key] {
            note.old = before.old
        } else {
            transaction?.order.append(note.key)
        }
        transaction?.notes[note.key] = note
        undo(body)
    }

    /// Notes a step by which a change of a parameter waits for its frame.
    func schedule(_ note: ParameterNote, at frame: Int) {
        transaction?.scheduled.append((note, frame))
    }

    /// Notes a step that removes something: changes of it that wait for the frame of the edit, or a
    /// later one, are not made.
    func forget(where isForgotten: @escaping (ParameterNote.Key) -> Bool) {
        transaction?.scheduled.removeAll { isForgotten($0.note.key) }
        guard let before = transaction?.isForgotten else { return }
        transaction?.isForgotten = { before($0) || isForgotten($0) }
    }

    /// As `forget`, and what the edit itself has set is not told.
    func forgetNotes(where isForgotten: @escaping (ParameterNote.Key) -> Bool) {
        for key in transaction?.order.filter(isForgotten) ?? [] { transaction?.notes[key] = nil }
        transaction?.order.removeAll(where: isForgotten)
        forget(where: isForgotten)
    }

    /// In an edit at a frame, the value that a parameter has there by what waits and was not changed
    /// in the edit; nil: that which was set last.
    func value(waitingFor unit: AudioNode, _ address: ParameterAddress) -> Double? {
        guard let transaction, let frame = transaction.frame else { return nil }
        let key = ParameterNote.Key(unit: ObjectIdentifier(unit), address: address)
        return transaction.notes[key] == nil ? edits.value(of: key, at: frame) : nil
    }

    /// Hands the edit to the render thread.
    private func commit() {
        // Fades that are over by now are so for every edit of this frame, whoever has collected.
        if transaction?.changesPlan == true {
            _ = wiring.settle()
            for node in nodes { _ = node.settle() }
        }
        guard let done = transaction else { return }
        let isHeard = isHeard
        transaction = nil
        let notes = done.order.compactMap { done.notes[$0] }
        let hasPlan = done.changesPlan && isPrepared
        let now = renderedFrames
        let frame = edits.frame(for: done.frame ?? now, hasPlan: hasPlan)
        for note in notes where note.unit?.graph === self {
            let store = note.unit?.parameters
            if frame > now { store?.wait(note) }
            if frame == now || !note.isDelivered { store?.noteNews(note.address, by: note.origin) }
        }
        edits.redesign { $0 >= frame && done.isForgotten($1.key) }
        if !isPrepared {
            // Nobody renders.
            let values = notes.flatMap { $0.unit?.parameters.deliveries(for: $0.address) ?? [] }
            for each in done.deliveries + values { each.put() }
            told += done.heard.map { ($0, 0) }
        } else if hasPlan || !done.deliveries.isEmpty || !notes.isEmpty {
            var (plan, deliveries) = (nil as CompiledPlan?, done.deliveries)
            if hasPlan {
                deliveries += wiring.fade(
                    since: done.connections, isHeard: isHeard || frame > now)
                let compiler = compile()
                (plan, deliveries) = (compiler.plan, deliveries + compiler.deliveries)
            }
            edits.hand(
                plan, deliveries, notes: notes, at: frame, isWaiting: frame > now,
                heard: done.heard)
        } else {
            // What was made in the cycle that is under way holds from a frame that is not counted yet.
            told += done.heard.map { ($0, max(now, newestFrame)) }
        }
        for (note, frame) in done.scheduled {
            edits.hand(nil, [], notes: [note], at: max(frame, now), isWaiting: true)
        }
        release()
        tellLatencies()
        // Nothing piles up where nobody collects.
        if edits.count > 2 * Self.mostWaitingChanges { gather() }
    }

    /// Frees edits and plans that the render thread no longer uses, and takes over values that waited
    /// for their frame.
    func gather() {
        let new = edits.collect()
        newestFrame = new.compactMap(\.heldFrom).reduce(newestFrame, max)
        for note in new.filter(\.isWaiting).flatMap(\.notes) where note.unit?.graph === self {
            note.unit?.parameters.hold(note)
        }
        held += listeners.areToldWhenHeard ? new : new.filter { !$0.heard.isEmpty }
    }

    /// Ends nodes that were removed, once nothing of them is heard.
    func release() {
        guard transaction == nil, !leaving.isEmpty else { return }
        let audible = wiring.audible.flatMap { [$0.source, $0.sink] }
        var used = Set(audible.map { ObjectIdentifier($0) })
        // Until its frame an edit has removed nothing.
        if edits.hasWaitingPlan { for plan in edits.plans { used.formUnion(plan.nodes) } }
        let gone = leaving.filter { !used.contains(ObjectIdentifier($0)) }
        leaving.removeAll { !used.contains(ObjectIdentifier($0)) }
        for node in gone { node.leave() }
    }
}
