import Glibc

/// Events for scripts: one JSON object a line on standard output, written whole and at once.
final class JSONReporter: Reporter {
    let wantsLevels: Bool
    let showsStatus = false
    var showInterval: Double { wantsLevels ? 0.1 : 1 }
    private let output: Output

    init(wantsLevels: Bool, output: Output = .standard) {
        self.wantsLevels = wantsLevels
        self.output = output
    }

    func report(_ event: Event) throws(DuetError) {
        guard output.write(EventLine.text(event, time: Clock.seconds)) else {
            // A stop while nobody reads is a stop, not a failure.
            if Signals.isStopping { return }
            throw .outputLost(errno)
        }
    }

    func greet(_ text: String) {}
    func help(_ text: String) {}
    func show(_ status: Status) {}
    func finish() {}
    func redraw() {}
}
