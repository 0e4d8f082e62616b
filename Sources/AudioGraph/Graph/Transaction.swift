/// What an edit has done so far.
struct Transaction {
    /// The connections before it.
    let connections: [Connection]
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
    /// Changes of parameters that wait for their frame, and are handed over with the edit.
    var scheduled: [(unit: AudioNode, address: ParameterAddress, frame: Int)] = []
    /// Changes that waited, and are given up with the edit.
    var givenUp: [EditQueue.Entry] = []
}

extension Graph {
    /// Makes all that `body` does to the graph, its nodes and their parameters in one step: the render
    /// thread has either none of it or all. When `body` throws, the graph is as it was before.
    ///
    /// A call of `add`, `connect`, `set` and so on by itself is an edit of one step. An edit within
    /// an edit is a part of it, and begins with it; when it throws, and that is caught, it is no part.
    /// Edits are made in their order: one that changes the connections, or a value, as one does that
    /// waits for its frame is made with it at the earliest.
    ///
    /// - Parameters:
    ///   - frame: the frame from which it holds, counted as `renderedFrames`; nil, or one that is over:
    ///     the driver's next cycle. The graph and its values read as changed at once.
    ///   - heard: told once of the frame from which all of the edit holds, when `collect` is called
    ///     after that; not called where `body` throws. Of an edit within an edit it is not called.
    ///   - body: the edit.
    public func edit<Result, Failure: Error>(
        at frame: Int? = nil, heard: ((_ frame: Int) -> Void)? = nil,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isOutermost = transaction == nil
        if isOutermost {
            for node in nodes { node.parameters.settle() }
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
    var isEdited: Bool { transaction != nil }

    /// An edit of one step, or a step of an edit.
    func step<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result { try edit(body) }

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
    func note(
        _ unit: AudioNode, _ address: ParameterAddress, by origin: String,
        undo body: @escaping () -> Void
    ) {
        let note = ParameterNote(
            unit, address, value: unit.parameters[address], origin: origin)
        if transaction?.notes.updateValue(note, forKey: note.key) == nil {
            transaction?.order.append(note.key)
        }
        undo(body)
    }

    /// Notes a step by which a change of a parameter waits for its frame.
    func schedule(
        _ unit: AudioNode, _ address: ParameterAddress, at frame: Int,
        undo body: @escaping () -> Void
    ) {
        transaction?.scheduled.append((unit, address, frame))
        undo(body)
    }

    /// Hands the edit to the render thread.
    func commit() {
        guard let done = transaction else { return }
        transaction = nil
        for entry in done.givenUp { edits.giveUp(entry) }
        let notes = done.order.compactMap { done.notes[$0] }
        var deliveries = done.deliveries
        for note in notes {
            deliveries += note.unit?.parameters.deliveries(for: note.address) ?? []
        }
        guard preparedContext != nil else {
            // Nobody renders.
            for each in deliveries { each.put() }
            for heard in done.heard { heard(0) }
            handScheduled(done.scheduled, after: notes)
            release()
            return
        }
        var plan: CompiledPlan?
        if done.changesPlan {
            // Fades that are over by now are so for every edit of this frame, whoever has collected.
            _ = wiring.settle()
            for node in nodes { _ = node.settle() }
            deliveries += wiring.fade(since: done.connections, isHeard: isHeard)
            let compiler = compile()
            (plan, deliveries) = (compiler.plan, deliveries + compiler.deliveries)
        }
        if plan != nil || !deliveries.isEmpty || !notes.isEmpty {
            // A frame that is over: at once.
            let frame = done.frame.flatMap { $0 > renderedFrames ? $0 : nil }
            edits.hand(
                plan, ParameterDelivery.unique(deliveries), notes: notes, at: frame,
                heard: done.heard)
        } else {
            for heard in done.heard { heard(renderedFrames) }
        }
        handScheduled(done.scheduled, after: notes)
        release()
        // Nothing piles up where nobody collects.
        if edits.count > 2 * Self.mostWaitingChanges { gather() }
    }

    /// Frees edits and plans that the render thread no longer uses.
    func gather() {
        let new = edits.collect()
        held += listeners.areToldWhenHeard ? new : new.filter { !$0.heard.isEmpty }
    }

    /// Hands over what waits for its frame: new, or to be designed with the values of `notes`.
    private func handScheduled(
        _ scheduled: [(unit: AudioNode, address: ParameterAddress, frame: Int)],
        after notes: [ParameterNote]
    ) {
        for note in notes { note.unit?.parameters.redesign(sharingSlotsOf: note.address) }
        for (unit, address, frame) in scheduled {
            // Later ones were designed without it.
            unit.parameters.redesign(from: frame, sharingSlotsOf: address)
        }
    }

    /// Ends nodes that were removed, once nothing of them is heard.
    func release() {
        guard transaction == nil, !leaving.isEmpty else { return }
        let audible = Set(
            wiring.audible.flatMap {
                [ObjectIdentifier($0.source), ObjectIdentifier($0.sink)]
            })
        leaving.removeAll { node in
            node.parameters.giveUp(in: self) { _ in true }
            guard !audible.contains(ObjectIdentifier(node)) else { return false }
            node.leave()
            return true
        }
    }
}
