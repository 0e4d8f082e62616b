/// A graph that gets another rate.
extension Graph {
    /// Makes it a graph of `rate` Hz, 1…2²⁴, while nothing renders it, for a driver of that rate: its
    /// nodes begin anew, with the values of their parameters and all connections. `renderedFrames` is
    /// 0 again; changes that wait for their frame hold from there on.
    ///
    /// Throws `hasDriver`, and what `add` throws, such as `otherRate` for a song: then the rate is as
    /// it was, and the nodes have begun anew. A node that cannot, since the process has no descriptor
    /// or thread left, is removed.
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
        let (failure, _) = begin(at: rate)
        if failure != nil {
            // Only what needs a thread or a descriptor can fail now.
            let (_, lost) = begin(at: old)
            for node in lost { node.graph = nil }
            nodes.removeAll { $0.graph == nil }
            wiring.remove { $0.source.graph == nil || $0.sink.graph == nil }
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
        tellLatencies()
        if let failure { throw failure }
    }

    /// Ends what renders the nodes, and makes it for a graph of `rate` Hz; returns the nodes of which
    /// it cannot be made, and why of the first.
    private func begin(at rate: Int) -> (GraphError?, [AudioNode]) {
        for node in nodes + leaving { node.leave() }
        leaving = []
        sampleRate = rate
        wiring.begin(at: rate)
        var (failure, failed): (GraphError?, [AudioNode]) = (nil, [])
        for node in nodes {
            do throws(GraphError) {
                node.rendering = try Rendering(of: node, sampleRate: rate)
            } catch {
                failure = failure ?? error
                failed.append(node)
            }
        }
        return (failure, failed)
    }
}
