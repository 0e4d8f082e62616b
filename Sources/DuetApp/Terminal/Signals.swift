import Glibc
import Synchronization
import SystemSupport

/// Signals as bytes on a descriptor for the main loop. The second Ctrl-C, and signals that tell of a
/// fault of this program, end the program in the handler itself, after it has restored the terminal.
final class Signals {
    /// A signal that the main loop acts on.
    enum Kind: Sendable {
        /// SIGINT, SIGTERM or SIGHUP: stop cleanly.
        case stop
        /// Ctrl-Z: give the terminal back and stop until continued.
        case suspend
        /// Running again.
        case resume
        /// The terminal has another size.
        case resize
    }

    /// Readable when `next` has signals.
    let descriptor: Int32

    /// The signals that wait for `next`.
    private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]

    /// Installs the handlers; from here on the first SIGINT, SIGTERM or SIGHUP is for `next` to
    /// report and the second one ends the program at once. SIGPIPE is ignored.
    ///
    /// Throws `DuetError` when the process has no descriptors left.
    init() throws(DuetError) {
        descriptor = Relay.shared.readEnd
        guard descriptor >= 0 else {
            throw DuetError(
                status: .failure, attempt: "cannot prepare for Ctrl-C",
                result: errorText(EMFILE), hint: "raise the limit of open files (ulimit -n)")
        }
        _ = Self.isStopping
        TerminalRescue.prepare()
        signal(SIGPIPE, SIG_IGN)
        for number in Self.handled {
            // The main thread may be within a call of libjack's, which takes an interruption for the
            // end of its server; a resize comes often, and can wait.
            Self.install(number, handler: onSignal, flags: number == SIGWINCH ? SA_RESTART : 0)
        }
        for number in [SIGQUIT] + faultSignals { Self.install(number, handler: onFatalSignal) }
    }

    /// Whether a stop was asked for.
    static var isStopping: Bool { stops.load(ordering: .relaxed) > 0 }

    /// While true, a second stop does not end the program at once either: something that other
    /// programs use must be put back first.
    static var holdsOn: Bool {
        get { Relay.shared.holdsOn.load(ordering: .relaxed) }
        set { Relay.shared.holdsOn.store(newValue, ordering: .relaxed) }
    }

    /// Runs `body`, which no handler of such a signal interrupts on this thread.
    static func held<Value>(_ body: () -> Value) -> Value {
        var (held, before) = (sigset_t(), sigset_t())
        sigemptyset(&held)
        for number in handled { sigaddset(&held, number) }
        pthread_sigmask(SIG_BLOCK, &held, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    /// The signals that wait, in their order.
    func next() -> [Kind] {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return bytes[..<count].map { byte in
            switch Int32(byte) {
            case SIGTSTP: .suspend
            case SIGCONT: .resume
            case SIGWINCH: .resize
            default: .stop
            }
        }
    }

    /// Stops the process as Ctrl-Z would have, without the handler; returns when it continues.
    func suspend() {
        Self.install(SIGTSTP, handler: nil)
        raise(SIGTSTP)
        Self.install(SIGTSTP, handler: onSignal)
    }

    /// By default without SA_RESTART, so that a system call that waits returns, and its caller sees
    /// the stop.
    private static func install(
        _ number: Int32, handler: (@convention(c) (Int32) -> Void)?, flags: Int32 = 0
    ) {
        var action = sigaction()
        action.sa_flags = flags
        action.__sigaction_handler.sa_handler = handler ?? SIG_DFL
        sigaction(number, &action, nil)
    }
}

/// How many stops were asked for.
private let stops = Atomic<Int>(0)

/// The pipe that the handler writes to.
private final class Relay: Sendable {
    static let shared = Relay()

    let readEnd: Int32
    let writeEnd: Int32
    let holdsOn = Atomic<Bool>(false)

    private init() {
        var ends: [Int32] = [-1, -1]
        // Without descriptors both ends stay −1.
        for end in pipe(&ends) == 0 ? ends : [] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // The handler must never wait, and neither must the reader.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }
}

/// Runs on any thread, in the middle of anything: atomics, write, tcsetattr and _exit alone.
private func onSignal(_ number: Int32) {
    let saved = errno
    defer { errno = saved }
    let isStop = number == SIGINT || number == SIGTERM || number == SIGHUP
    if isStop, stops.wrappingAdd(1, ordering: .relaxed).oldValue > 0,
        !Relay.shared.holdsOn.load(ordering: .relaxed)
    {
        TerminalRescue.restore()
        _exit(128 + number)
    }
    var byte = UInt8(number)
    write(Relay.shared.writeEnd, &byte, 1)
}

/// Ends the program as the signal would have, after the terminal is given back.
private func onFatalSignal(_ number: Int32) {
    TerminalRescue.restore()
    signal(number, SIG_DFL)
    // Blocked until this handler returns.
    raise(number)
}
