import AudioGraph
import Foundation
import Synchronization

/// A thread that renders a prepared graph, cycle after cycle.
struct RenderThread {
    private final class Controls: @unchecked Sendable {
        // Safety: the context is rendered by this thread alone; what else is here is atomic.
        let context: UnsafeMutablePointer<RenderContext>
        let isStopped = Atomic<Bool>(false)
        /// Beyond so many frames it waits.
        let limit = Atomic<Int>(.max)
        let hasEnded = DispatchSemaphore(value: 0)

        init(_ context: UnsafeMutablePointer<RenderContext>) { self.context = context }
    }

    private let graph: Graph
    private let controls: Controls

    /// Starts to render `cycles` cycles of `period` frames. The graph has so many input channels, and
    /// two output channels; every sample captured is 0.1. With `isPaced` it renders little more than is
    /// waited for (`wait`), so that who reads what it renders can keep up.
    init(
        _ graph: Graph, period: Int, cycles: Int = .max, inputs inputCount: Int = 1,
        isPaced: Bool = false
    ) {
        self.graph = graph
        let controls = Controls(graph.context)
        self.controls = controls
        if isPaced { controls.limit.store(0, ordering: .relaxed) }
        Thread.detachNewThread {
            let count = (inputCount + 2) * period
            let samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
            samples.initialize(repeating: 0.1, count: count)
            var inputs = (0..<inputCount).map { samples + $0 * period }
            var outputs = (0..<2).map { samples + (inputCount + $0) * period }
            var done = 0
            while done < cycles, !controls.isStopped.load(ordering: .relaxed) {
                if done * period >= controls.limit.load(ordering: .relaxed) {
                    sched_yield()
                    continue
                }
                done += 1
                controls.context.pointee.render(frames: period, inputs: &inputs, outputs: &outputs)
            }
            samples.deallocate()
            controls.hasEnded.signal()
        }
    }

    /// Waits until `frames` more frames have been rendered.
    func wait(frames: Int) {
        let end = graph.renderedFrames + frames
        if controls.limit.load(ordering: .relaxed) < .max {
            // Some are rendered while the caller does something else.
            controls.limit.store(end + 1024, ordering: .relaxed)
        }
        while graph.renderedFrames < end { sched_yield() }
    }

    /// Waits, at most so many seconds, until all cycles are rendered; false when the time ran out.
    func waitForEnd(seconds: Double) -> Bool {
        controls.hasEnded.wait(timeout: .now() + seconds) == .success
    }

    /// Ends the thread, and waits for its end.
    func stop() {
        controls.isStopped.store(true, ordering: .relaxed)
        controls.hasEnded.wait()
    }
}
