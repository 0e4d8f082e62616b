import Foundation
import Synchronization

/// Watches how long a program's threads wait for a processor that others hold: other processes, or
/// the host of this virtual machine.
public final class StallWatch: Sendable {
    /// The longest waits that were seen, in seconds.
    public struct Waits: Sendable {
        /// A thread of the tests, which was to run every 10 ms.
        var tests = 0.0
        /// A thread of the program that could run and was not let (proc(5), schedstat), within a
        /// tenth of a second.
        var program = 0.0
        /// A processor that the host had taken away (proc(5), stat, steal), within a tenth of a
        /// second.
        var processor = 0.0
    }

    private final class Shared: Sendable {
        let state = Mutex((waits: Waits(), isOver: false))
    }

    private let shared = Shared()

    /// Watches the threads of `process`.
    public init(process: pid_t) {
        Thread.detachNewThread { [shared] in
            var last: [String: [Double]] = [:]
            while !shared.state.withLock({ $0.isOver }) {
                var waits = Waits()
                for _ in 0..<5 {
                    let begin = ProcessInfo.processInfo.systemUptime
                    usleep(10_000)
                    let late = ProcessInfo.processInfo.systemUptime - begin - 0.01
                    shared.state.withLock { $0.waits.tests = max($0.waits.tests, late) }
                }
                let isFirst = last.isEmpty
                for (name, total) in Self.totals(of: process) {
                    // From a sample to the second after it is a tenth of a second, or more where this
                    // thread is late: every wait of half of that lies whole between two such samples.
                    // A thread that is new has waited since it began.
                    let samples = Array((last[name] ?? (isFirst ? [] : [0])).suffix(2)) + [total]
                    last[name] = samples
                    let growth = total - samples[0]
                    if name.hasPrefix("cpu") {
                        waits.processor = max(waits.processor, growth)
                    } else {
                        waits.program = max(waits.program, growth)
                    }
                }
                shared.state.withLock { state in
                    state.waits.program = max(state.waits.program, waits.program)
                    state.waits.processor = max(state.waits.processor, waits.processor)
                }
            }
        }
    }

    deinit { shared.state.withLock { $0.isOver = true } }

    /// What was seen so far.
    public var waits: Waits { shared.state.withLock { $0.waits } }

    /// Whether a thread was once kept waiting for more than 50 ms. A song's thread keeps at least
    /// 187 ms decoded: where others were kept waiting like that, and longer at times when none
    /// looked, the song may run dry without a fault of the program.
    public var isStarved: Bool {
        let waits = waits
        return max(waits.tests, waits.program, waits.processor) > 0.05
    }

    /// The seconds that each thread of `process` has waited for a processor, and that each
    /// processor was taken away.
    private static func totals(of process: pid_t) -> [String: Double] {
        var totals: [String: Double] = [:]
        let threads = "/proc/\(process)/task"
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? [] {
            let words = Self.words("\(threads)/\(thread)/schedstat")
            if words.count > 1, let waited = Double(words[1]) { totals[thread] = waited / 1e9 }
        }
        for line in (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?
            .split(separator: "\n") ?? []
        {
            let words = line.split(separator: " ")
            // In hundredths of a second.
            guard words[0].hasPrefix("cpu"), words[0] != "cpu", words.count > 8,
                let stolen = Double(words[8])
            else { continue }
            totals[String(words[0])] = stolen / 100
        }
        return totals
    }

    private static func words(_ file: String) -> [Substring] {
        (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: " ") ?? []
    }
}
