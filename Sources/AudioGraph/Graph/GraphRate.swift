/// A graph that gets another rate.
extension Graph {
    /// Makes it a graph of `rate` Hz, 1…2²⁴, while nothing renders it, for a driver of that rate: its
    /// nodes begin anew, with the values of their parameters and all connections. `renderedFrames` is
    /// 0 again; changes that wait for their frame hold from there on.
    ///
    /// Throws `hasDriver`, and what `add` throws, such as `otherRate` for a song: then nothing has
    /// changed. While it decides, nodes have the threads and descriptors for both rates.
    public func change(sampleRate rate: Int) throws(GraphError) {
        Self.check(rate)
        require(transaction == nil, "the rate of a graph is not changed in an edit")
        guard rate != sampleRate else { return }
        guard driver == nil else { throw .hasDriver }
        collect()
        begin(try renderings(at: rate), at: rate)
        let waiting = edits.pending
        for note in waiting.filter(\.isWaiting).flatMap(\.notes) where note.unit?.graph === self {
            note.unit?.parameters.hold(note)
            // Nobody renders.
            for each in note.unit?.parameters.deliveries(for: note.address) ?? [] { each.put() }
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
    }

    /// What is to render the nodes in a graph of `rate` Hz.
    private func renderings(at rate: Int) throws(GraphError) -> [Rendering] {
        var made: [Rendering] = []
        do throws(GraphError) {
            for node in nodes { made.append(try Rendering(of: node, sampleRate: rate)) }
        } catch {
            for rendering in made { rendering.end() }
            throw error
        }
        return made
    }

    /// Lets `renderings` render the nodes, and ends what does so now.
    private func begin(_ renderings: [Rendering], at rate: Int) {
        let gone = leaving
        leaving = []
        for node in nodes + gone { node.leave() }
        sampleRate = rate
        wiring.begin(at: rate)
        for (node, rendering) in zip(nodes, renderings) { node.enter(rendering) }
    }
}
