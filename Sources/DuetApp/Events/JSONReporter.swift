import SystemSupport

/// Events for scripts: one JSON object a line on standard output. A slow reader gets only the
/// newest levels and positions; all other events keep their order, and a `dropped` event counts
/// those that were left out.
final class JSONReporter: Reporter {
    let output: Output

    init(output: Output = .standard) { self.output = output }

    func report(_ event: Event) throws(DuetError) {
        try check()
        output.write(Self.line(event), event.urgency) { Self.line(.dropped(events: $0)) }
    }

    private static func line(_ event: Event) -> String {
        event.json(time: Clock.seconds)
    }
}
