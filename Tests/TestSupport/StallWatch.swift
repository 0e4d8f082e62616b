import Foundation
import Synchronization

/// Watches how long an ordinary thread waits for a processor that others hold.
public final class StallWatch: Sendable {
    private final class Shared: Sendable {
        let state = Mutex((longest: 0.0, isOver: false))
    }

    private let shared = Shared()

    public init() {
        Thread.detachNewThread { [shared] in
            while !shared.state.withLock({ $0.isOver }) {
                let begin = ProcessInfo.processInfo.systemUptime
                usleep(10_000)
                let late = ProcessInfo.processInfo.systemUptime - begin - 0.01
                shared.state.withLock { $0.longest = max($0.longest, late) }
            }
        }
    }

    deinit { shared.state.withLock { $0.isOver = true } }

    /// Whether a thread that was to run every 10 ms was once late by more than 50 ms. A song's
    /// thread keeps at least 187 ms decoded: where others were kept waiting like that, and longer at
    /// times when none looked, the song may run dry without a fault of the program.
    public var isStarved: Bool { shared.state.withLock { $0.longest > 0.05 } }
}
