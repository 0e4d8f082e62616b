import AudioGraph
import Synchronization

/// The graph that a client's cycles render. Belongs to one control thread.
struct RenderedGraph {
    /// Kept for as long as a cycle may be inside.
    private(set) var graph: Graph?

    /// Makes `opened` render `new` from the next cycle on, with the fades of a start. Waits for the
    /// cycle under way, a second at most: where that cycle hangs for longer, the previous graph is
    /// kept for ever.
    ///
    /// Throws as `Graph.claim`.
    mutating func replace(
        by new: Graph, in opened: OpenClient, sampleRate: Int
    ) throws(GraphError) {
        let channels = try new.claim(
            by: opened.handle,
            format: unsafe (
                sampleRate, opened.context.pointee.inputs.count,
                opened.context.pointee.outputs.count
            ))
        let driver = UnsafeMutablePointer<LiveDriver>.allocate(capacity: 1)
        unsafe driver.initialize(
            to: LiveDriver(
                graph: new.context, context: opened.context, sampleRate: new.sampleRate,
                playedCount: channels.outputs,
                measuresTime: opened.configuration.measuresCallbackTime))
        let old = unsafe opened.context.pointee.driver.exchange(
            driver, ordering: .sequentiallyConsistent)
        let isFree = opened.awaitEndOfCycle()
        if isFree {
            unsafe old?.deinitialize(count: 1)
            unsafe old?.deallocate()
        } else if let graph {
            _ = unsafe Unmanaged.passRetained(graph)
        }
        if graph !== new { release(in: opened, isFree: isFree) }
        graph = new
        Self.noteLatency(of: new, in: opened, isNews: unsafe old != nil)
        new.latencyChanged = { [weak new] in
            if let new { Self.noteLatency(of: new, in: opened, isNews: true) }
        }
    }

    /// Forgets the graph. Another driver may render it only if it `isFree`: no cycle is inside.
    mutating func release(in opened: OpenClient, isFree: Bool) {
        graph?.latencyChanged = nil
        if isFree { graph?.release(by: opened.handle) }
        graph = nil
    }

    /// Keeps for the latency callback what `graph` adds; with `isNews` the client has the server
    /// call it.
    private static func noteLatency(of graph: Graph, in opened: OpenClient, isNews: Bool) {
        let added = graph.capturedLatencies.map { range in
            range.map { LatencyRange(minimum: $0.lowerBound, maximum: $0.upperBound) }
        }
        unsafe opened.context.pointee.addedLatencies.withLock { $0 = added }
        guard isNews else { return }
        opened.isLatencyStale = true
        unsafe opened.context.pointee.signals.wake()
    }
}
