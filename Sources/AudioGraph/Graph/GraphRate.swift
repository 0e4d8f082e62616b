/// A graph that gets another rate.
extension Graph {
    /// Makes it a graph of `rate` Hz, 1…2²⁴, while nothing renders it, for a driver of that rate: its
    /// nodes begin anew, with the values of their parameters and all connections. `renderedFrames` is
    /// 0 again; changes that wait for their frame hold from there on.
    ///
    /// Throws `hasDriver`, and what `add` throws, such as `otherRate` for a song: then the rate is as
    /// it was, and the nodes have begun anew.
    public func change(sampleRate rate: Int) throws(GraphError) {
        Self.check(rate)
        require(transaction == nil, "the rate of a graph is not changed in an edit")
        guard rate != sampleRate else { return }
        guard driver == nil else { throw .hasDriver }
        collect()
        let (old, waiting) = (sampleRate, edits.pending)
        for note in waiting.filter(\.isWaiting).flatMap(\.notes) where note.unit?.graph === self {
            note.unit?.parameters.hold(note)
        }
        var failure: GraphError?
        do throws(GraphError) { try begin(at: rate) } catch { failure = error }
        if failure != nil {
            // Only what needs a thread or a descriptor that is gone now can fail.
            do throws(GraphError) { try begin(at: old) } catch {
                nodes.removeAll { $0.rendering == nil }
                wiring.remove { $0.source.rendering == nil || $0.sink.rendering == nil }
            }
        }
        if let hardware, let preparedContext {
            // What a driver of the old rate has left: the next one gets the same pointer.
            let unused = edits
            edits = EditQueue()
            unsafe controls.pointer.pointee.frames.store(0, ordering: .relaxed)
            unsafe preparedContext.pointer.pointee = makeContext(for: hardware)
            let compiler = compile()
            edits.hand(compiler.plan, compiler.deliveries, at: 0)
            withExtendedLifetime(unused) {}
        }
        told += waiting.flatMap(\.heard).map { ($0, 0) }
        if let failure { throw failure }
    }

    /// Ends what renders the nodes, and makes it for a graph of `rate` Hz.
    private func begin(at rate: Int) throws(GraphError) {
        for node in nodes + leaving { node.leave() }
        leaving = []
        sampleRate = rate
        wiring.begin(at: rate)
        for node in nodes { node.rendering = try Rendering(of: node, sampleRate: rate) }
    }
}
