import Foundation

@testable import AudioGraph

/// What a player tells, and a source of numbered frames for it.
final class QueueWitness: @unchecked Sendable {
    // Safety: `lock` guards all.
    private let lock = NSLock()
    private var (done, runs): ([Bool], [Bool]) = ([], [])
    private var names: [Int] = []
    private var next = 0
    private var end = Int.max
    /// Holds the filling back while it is locked.
    let gate = NSLock()

    func listen(_ event: QueueEvent) {
        lock.withLock {
            switch event {
            case .finished(_, let wasPlayed): done.append(wasPlayed)
            case .running(let runs): self.runs.append(runs)
            }
        }
    }

    func complete(_ name: Int) { lock.withLock { names.append(name) } }

    /// Fills with the numbers of the frames, divided by 2²⁰.
    func fill(_ buffer: AudioBuffer) {
        gate.lock()
        gate.unlock()
        let frames = lock.withLock { () -> Range<Int> in
            let count = min(buffer.capacity, end - next)
            next += count
            return next - count..<next
        }
        let samples = frames.map { Float($0) / 0x10_0000 }
        buffer.set(Array(repeating: samples, count: buffer.format.channelCount))
    }

    func go(to frame: Int) { lock.withLock { next = frame } }
    func end(at frame: Int) { lock.withLock { end = frame } }
    var finished: [Bool] { lock.withLock { done } }
    var running: [Bool] { lock.withLock { runs } }
    var completed: [Int] { lock.withLock { names } }
}
