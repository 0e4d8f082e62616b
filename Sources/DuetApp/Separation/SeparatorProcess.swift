import AudioMedia
import Glibc
import SystemSupport

/// A separator that runs: at idle priority, in a session of its own, with a pipe for what it says. It and all
/// that it has started end with the call. Blocks; for a thread of its own.
struct SeparatorProcess {
    /// How a separator ended.
    enum End: Equatable {
        case ended
        /// What happened, for people.
        case failed(String)
        case cancelled
    }

    /// Seconds from asking it to end to ending it.
    private static let patience = 2.0
    /// Nobody waits so many seconds for a song.
    private static let longest = 6 * 3600.0
    /// Of what it says so many bytes are kept.
    private static let mostKept = 4096
    /// The scheduling policy of what runs only where nothing else wants to (sched.h).
    private static let idlePolicy: Int32 = 5
    /// Starts a program in a folder; posix_spawn can do that in GNU's library alone. The words behind it are
    /// passed on as they are.
    private static let starter = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\""].map {
        FileName($0)
    }
    /// Ends a session's processes when its input ends, as that of this program does, however it goes.
    private static let guardian = ["/bin/sh", "-c", "read x; kill -s KILL -- \"-$0\""].map {
        FileName($0)
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - folder: where it runs.
    ///   - environment: variables beside those of this program.
    ///   - progress: told what part is done, 0…1, as far as the program says.
    ///   - isCancelled: asked five times a second.
    static func run(
        _ program: FileName, _ arguments: [FileName], in folder: FileName,
        environment: [(String, FileName)],
        progress: (Double) -> Void, unless isCancelled: () -> Bool
    ) -> End {
        // What it says, and a pipe that ends with this program.
        guard let said = makePipe(), let life = makePipe() else {
            return .failed(errorText(errno))
        }
        defer { for end in [said.output, life.output, life.input] { close(end) } }
        _ = fcntl(said.output, F_SETFL, O_NONBLOCK)
        var child: pid_t = 0
        let code = spawn(
            starter + [folder, program] + arguments, environment, input: nil,
            output: said.input, &child)
        close(said.input)
        guard code == 0 else { return .failed("cannot start \(program): \(errorText(code))") }
        // posix_spawn sets no idle policy.
        var parameters = sched_param()
        sched_setscheduler(child, idlePolicy, &parameters)
        setpriority(Int32(PRIO_PROCESS.rawValue), id_t(child), 19)
        // Where sessions share the processors, this one gets what is left.
        _ = try? writeAll("19\n", to: "/proc/\(child)/autogroup")
        var watcher: pid_t = 0
        let words = guardian + [FileName("\(child)")]
        if spawn(words, [], input: life.output, output: nil, &watcher) != 0 { watcher = 0 }
        defer {
            if watcher > 0 {
                kill(watcher, SIGKILL)
                waitpid(watcher, nil, 0)
            }
            // Whatever it has started, and left.
            kill(-child, SIGKILL)
        }
        return watch(child, said.output, program, progress, isCancelled)
    }

    /// A pipe whose ends no other program gets; nil: there is none left.
    private static func makePipe() -> (output: Int32, input: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func watch(
        _ child: pid_t, _ output: Int32, _ program: FileName, _ progress: (Double) -> Void,
        _ isCancelled: () -> Bool
    ) -> End {
        let begin = monotonicSeconds()
        var said: [UInt8] = []
        /// When it was asked to end, and why.
        var asked: (time: Double, end: End)?
        while true {
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, 200)
            let hasMore = read(output, into: &said)
            if let part = SeparatorProgress.part(in: said) { progress(part) }
            var status: Int32 = 0
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child || ended < 0 && errno == ECHILD {
                _ = read(output, into: &said)
                if let asked { return asked.end }
                return status == 0
                    ? .ended : .failed("\(program.last) \(text(status))\(lastLine(of: said))")
            }
            // A pipe that was closed is readable all the time.
            if !hasMore { usleep(50_000) }
            let now = monotonicSeconds()
            if let asked {
                if now - asked.time > patience { kill(-child, SIGKILL) }
            } else if isCancelled() {
                asked = (now, .cancelled)
                kill(-child, SIGTERM)
            } else if now - begin > longest {
                asked = (now, .failed("\(program.last) took more than six hours"))
                kill(-child, SIGTERM)
            }
        }
    }

    /// Adds what can be read; false at the end.
    private static func read(_ descriptor: Int32, into said: inout [UInt8]) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return count < 0 && errno != EBADF }
            said += bytes[..<count]
            if said.count > mostKept { said.removeFirst(said.count - mostKept) }
        }
    }

    private static func text(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0
            ? "ended with exit code \(status >> 8 & 0xFF)"
            : "was ended by signal \(signal)\(signal == SIGKILL ? " (out of memory?)" : "")"
    }

    /// The last line that it said, as `: words`; empty: it said nothing.
    private static func lastLine(of said: [UInt8]) -> String {
        let lines = said.split { $0 == 0x0A || $0 == 0x0D }
            .map { SafeText.clean(String(decoding: $0, as: UTF8.self)).withoutSpaceAround }
        return lines.last { !$0.isEmpty }.map { ": \($0.prefix(200))" } ?? ""
    }

    private static func writeAll(_ text: String, to path: String) throws(Refusal) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw Refusal(reason: errorText(errno)) }
        defer { close(file) }
        guard write(file, text, text.utf8.count) > 0 else {
            throw Refusal(reason: errorText(errno))
        }
    }

    /// Starts a program: 0, or an errno.
    private static func spawn(
        _ words: [FileName], _ environment: [(String, FileName)], input: Int32?, output: Int32?,
        _ child: inout pid_t
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, end) in [(0, input), (1, output), (2, output)] as [(Int32, Int32?)] {
            if let end {
                posix_spawn_file_actions_adddup2(&actions, end, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID: no terminal's signals, and a group of its own.
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0.cString) }
        arguments.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = []
        let names = environment.map(\.0)
        var place = environ
        while let variable = place.pointee {
            let name = String(cString: variable).prefix { $0 != "=" }
            if !names.contains(String(name)) { variables.append(strdup(variable)) }
            place += 1
        }
        for (name, value) in environment {
            variables.append(strdup((FileName("\(name)=") + value).cString))
        }
        variables.append(nil)
        defer { for text in arguments + variables { free(text) } }
        return posix_spawn(
            &child, words[0].cString, &actions, &attributes, arguments, variables)
    }
}

/// What a separator says of its progress: `37%|`, as tqdm writes it.
enum SeparatorProgress {
    /// The last part that is said to be done, 0…1; nil: none is.
    static func part(in said: [UInt8]) -> Double? {
        var place = said.count - 1
        while place > 0 {
            guard said[place] == UInt8(ascii: "|"), said[place - 1] == UInt8(ascii: "%") else {
                place -= 1
                continue
            }
            let digits = said[..<(place - 1)].reversed().prefix(3)
                .prefix { (0x30...0x39).contains($0) }.reversed()
            let number = digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
            if !digits.isEmpty, number <= 100 { return Double(number) / 100 }
            place -= 1
        }
        return nil
    }
}
