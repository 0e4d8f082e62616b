import CJack
import Glibc
import Synchronization
import SystemSupport

/// A child process that must not outlive this program.
///
/// A thread of its own starts the child and stays until the child ends: PR_SET_PDEATHSIG kills the
/// child when the thread that started it ends, not only when the parent process does (prctl(2)).
final class ChildProcess: Sendable {
    private let id = Atomic<Int32>(0)
    private let started: EventFlag
    private let ended: EventFlag
    /// Set when `init` has given up waiting for the start: the child is then killed at once.
    private let isAbandoned = Atomic<Bool>(false)

    /// The child's process id.
    var processID: Int32 { id.load(ordering: .acquiring) }

    /// Runs `words[0]`, a path, with `words` as its arguments.
    ///
    /// - Parameters:
    ///   - variables: `NAME=value`, added to this program's environment.
    ///   - output: the descriptor for the child's standard output; stays the caller's.
    ///   - errors: the descriptor for its standard error; stays the caller's.
    /// - Throws: `system`; also when the start takes more than 5 s, as when the disk hangs.
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

    /// Waits at most `milliseconds` for the child to end, and returns whether it has ended.
    func hasEnded(within milliseconds: Int) -> Bool { ended.wait(milliseconds: milliseconds) }

    /// Sends SIGTERM, after 3 s SIGKILL, and returns the exit code (128 + signal where a signal
    /// ended the child). A child that survives SIGKILL for 2 s, because it is inside a driver of
    /// the kernel, is left behind. To be called once.
    func stop() -> Int32 {
        // The child is not reaped yet, so no other process can have its id.
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
