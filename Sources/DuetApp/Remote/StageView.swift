import Glibc
import SystemSupport

/// Shows on this terminal what singers see of a duet that runs elsewhere, which draws it.
///
/// Main thread.
final class StageView {
    private let running: RunningDuet
    private let signals: Signals
    private let terminal: Terminal
    private let choice: LetterWays.Way?
    private var facts = TerminalFacts()
    private var look = TerminalLook.own
    /// Whether this program has the screen: not in the terminal's background.
    private var shows = false
    /// Whether the terminal takes nothing any more.
    private var isGone = false

    /// - Parameter letters: how the user wants letters to be drawn; nil: as the terminal can.
    init(of running: RunningDuet, letters: LetterWays.Way?) throws(DuetError) {
        (self.running, choice) = (running, letters)
        guard !look.isDumb, isatty(STDOUT_FILENO) == 1,
            let terminal = Terminal(descriptor: STDIN_FILENO, marksPastes: false)
        else {
            throw DuetError(
                status: .usage, attempt: "cannot show the stage", result: "this is no terminal",
                hint: "by ssh, use 'ssh -t HOST duet stage'")
        }
        signals = try Signals()
        self.terminal = terminal
    }

    /// Shows it until the user ends it, or the run is over. Returns whether the run is.
    func run() throws(DuetError) -> Bool {
        defer { TerminalRescue.restore() }
        take()
        switch try running.ask(line: own.line) {
        case .success: break
        case .failure(let refusal):
            throw DuetError(
                status: .unavailable, attempt: "cannot show the stage", result: refusal.reason,
                hint: "")
        }
        write(running.takeRest())
        var waiter = PollSet()
        while !Signals.isStopping, !isGone {
            waiter.removeAll()
            waiter.add(signals.descriptor)
            waiter.add(terminal.keyDescriptor)
            waiter.add(running.descriptor)
            waiter.wait(seconds: terminal.secondsUntilEnd)
            if waiter.isReady(signals.descriptor) { try obey(signals.next()) }
            let isReady = waiter.isReady(terminal.keyDescriptor)
            let keys = isReady ? terminal.readKeys() : terminal.endPart()
            try take(terminal.takeAnswers())
            if keys.contains("q") { return false }
            if keys.contains(.redraw) { try running.send(own.line) }
            if waiter.isReady(running.descriptor), !receive() { return true }
        }
        return false
    }

    /// Takes the screen and the keys of the terminal, unless others have it, and asks it what it can show.
    private func take() {
        shows = !Terminal.isInBackground(STDOUT_FILENO)
        guard shows else { return }
        terminal.enterRawMode()
        TerminalRescue.screenStands(on: STDOUT_FILENO)
        // Should a picture stand at the end, it is taken away.
        if facts.hasKittyGraphics { TerminalRescue.imageStands() }
        let size = Terminal.size(of: STDOUT_FILENO) ?? (0, 0)
        let asks =
            !facts.isComplete && terminal.keyDescriptor != nil
            && TerminalAnswer.fits(size.columns, size.rows)
        write(TerminalRescue.screenTaken + (asks ? TerminalAnswer.question(on: .own) : []))
    }

    /// This terminal, for the duet that draws.
    private var own: StageTerminal {
        let size = Terminal.size(of: STDOUT_FILENO) ?? (80, 24)
        return StageTerminal(
            columns: size.columns, rows: size.rows, look: look,
            letters: LetterWays(on: facts, choice: choice),
            graphics: facts.graphics(cell: Terminal.cell(of: STDOUT_FILENO)))
    }

    private func take(_ answers: [TerminalAnswer]) throws(DuetError) {
        guard !answers.isEmpty else { return }
        let columns = Terminal.size(of: STDOUT_FILENO)?.columns ?? 0
        for answer in answers { facts.take(answer, columns: columns) }
        guard facts.isComplete else { return }
        look.ground = facts.ground
        if facts.hasKittyGraphics { TerminalRescue.imageStands() }
        try running.send(own.line)
    }

    private func obey(_ kinds: [Signals.Kind]) throws(DuetError) {
        for kind in kinds {
            switch kind {
            case .stop: break
            case .resize: try running.send(own.line)
            case .suspend:
                TerminalRescue.restore()
                shows = false
                signals.suspend()
                // Where no shell can continue it, it has not stopped.
                take()
                try running.send(own.line)
            // By the shell, to the foreground or the background.
            case .resume:
                take()
                try running.send(own.line)
            }
        }
    }

    /// Writes what has come. Returns false where the run is over.
    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(running.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && [EAGAIN, EINTR].contains(errno) }
        write(Array(bytes[..<count]))
        return true
    }

    /// Writes to the terminal, which may take its time: until it does, or the user stops.
    private func write(_ bytes: [UInt8]) {
        guard shows else { return }
        var rest = bytes[...]
        while !rest.isEmpty, !Signals.isStopping {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EAGAIN {
                var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, 1000)
            }
            guard count > 0 || errno == EINTR || errno == EAGAIN else {
                isGone = true
                return
            }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
