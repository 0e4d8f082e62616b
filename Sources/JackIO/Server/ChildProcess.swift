import CJack
import Glibc
import Synchronization
import SystemSupport

/// A program that this one has started and that must not outlive it.
///
/// A thread of its own starts it and waits for its end: the kernel takes the end of the starting
/// thread for that of the parent (prctl(2), PR_SET_PDEATHSIG).
final class ChildProcess: Sendable {
    private let id = Atomic<Int32>(0)
    private let started: EventFlag
    private let ended: EventFlag
    /// Set when nobody waits any more for its start.
    private let isAbandoned = Atomic<Bool>(false)

    /// Its process id.
    var processID: Int32 { id.load(ordering: .acquiring) }

    /// Runs `words[0]`, a path, with `words` as its arguments.
    ///
    /// - Parameters:
    ///   - variables: `NAME=value`, added to this program's environment.
    ///   - output: the descriptor that its standard output goes to; stays the caller's.
    ///   - errors: the same of its standard error.
    /// - Throws: `system`; after 5 s too, where the program's file cannot be read.
    init(
        _ words: [String], variables: [String], output: Int32, errors: Int32
    ) throws(JackError) {
        let attempt = "starting \(words[0])"
        guard let started = EventFlag(), let ended = EventFlag() else {
            throw .system(attempt: attempt, code: errno)
        }
        self.started = started
        self.ended = ended
        let code = DetachedThread.start("jackd-keeper") { [self] in
            let child = Self.spawn(
                words, variables: variables, output: output, errors: errors)
            id.store(child, ordering: .releasing)
            started.set()
            if child > 0 {
                if isAbandoned.load(ordering: .acquiring) { kill(child, SIGKILL) }
                cjack_wait_end(child)
            }
            ended.set()
        }
        guard code == 0 else { throw .system(attempt: attempt, code: code) }
        guard started.wait(milliseconds: 5000) else {
            isAbandoned.store(true, ordering: .releasing)
            throw .system(attempt: attempt, code: ETIMEDOUT)
        }
        guard processID > 0 else { throw .system(attempt: attempt, code: -processID) }
    }

    /// Whether it has ended, after at most `milliseconds`.
    func hasEnded(within milliseconds: Int) -> Bool { ended.wait(milliseconds: milliseconds) }

    /// Asks it to end, after 3 s makes it end, and takes its exit code (128 + signal where one
    /// ended it). A process that the kernel does not end, since it waits for a device, is left
    /// behind after another 2 s. To be called once.
    func stop() -> Int32 {
        // Not reaped yet, so the id cannot be another's.
        kill(processID, SIGTERM)
        if !hasEnded(within: 3000) {
            kill(processID, SIGKILL)
            guard hasEnded(within: 2000) else { return 128 + SIGKILL }
        }
        return cjack_reap(processID)
    }

    private static func spawn(
        _ words: [String], variables: [String], output: Int32, errors: Int32
    ) -> Int32 {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        let added = unsafe variables.map { unsafe strdup($0) }
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        defer { for index in unsafe added.indices { unsafe free(added[index]) } }
        var variables = unsafe added
        var index = 0
        while let entry = unsafe environ[index] {
            unsafe variables.append(entry)
            index += 1
        }
        unsafe variables.append(nil)
        return unsafe cjack_spawn(words[0], &arguments, &variables, output, errors)
    }
}
