import AudioGraph
import AudioMedia
import SystemSupport

/// Measures the loudness of a live run's output, while somebody reads it: a recorder in the graph,
/// and a thread that reads it.
///
/// Main thread.
final class LiveLoudness {
    /// How long the thread may be late before sound is left out, in seconds.
    private static let patience = 2.0

    private var running: (mix: MixGraph, recorder: RecorderNode, reader: Reader)?

    deinit { running?.reader.read(nil) }

    /// What is measured now; nothing is while nobody has started it, or no thread could be made.
    var reading: LoudnessMeter.Reading { running?.reader.reading ?? LoudnessMeter.Reading() }

    /// Begins a measurement, unless one is under way.
    func start(on mix: MixGraph) throws(DuetError) {
        guard running == nil, let reader = Reader() else { return }
        try record(mix, for: reader)
    }

    /// Ends the measurement.
    func stop() throws(DuetError) {
        guard let (mix, recorder, reader) = running else { return }
        running = nil
        reader.read(nil)
        try mix.remove(recorder)
    }

    /// Goes on with a graph of another rate, in the place of the one before.
    func move(to mix: MixGraph) throws(DuetError) {
        if let running { try record(mix, for: running.reader) }
    }

    private func record(_ mix: MixGraph, for reader: Reader) throws(DuetError) {
        let recorder = RecorderNode(
            channelCounts: [2], seconds: Self.patience,
            name: "loudness")
        try mix.add(recorder)
        reader.read((recorder.tape, mix.graph.sampleRate))
        running = (mix, recorder, reader)
    }

    /// A measurement in one line, for people.
    static func line(_ reading: LoudnessMeter.Reading) -> String {
        func text(_ value: Double?) -> String { value.map { fixed($0, digits: 1) } ?? "–" }
        return "loudness: now \(text(reading.momentary)), 3 s \(text(reading.shortTerm)), "
            + "integrated \(text(reading.integrated)) LUFS, "
            + "true peak \(text(reading.truePeak)) dBTP"
    }

    /// The thread that measures. It ends when there is nothing to read.
    private final class Reader: Sendable {
        typealias Source = (tape: RecorderTape, sampleRate: Int)

        private let source = Guarded<Source?>(nil)
        private let measured = Guarded(LoudnessMeter.Reading())
        private let hasChanged: EventFlag

        /// Nil when the process has no descriptor left.
        init?() {
            guard let flag = EventFlag() else { return nil }
            hasChanged = flag
        }

        var reading: LoudnessMeter.Reading { measured.withLock { $0 } }

        /// Reads that from here on; nil: nothing any more.
        func read(_ new: Source?) {
            let isFirst = source.withLock { source in
                defer { source = new }
                return source == nil
            }
            if isFirst, let new {
                _ = DetachedThread.start("loudness") { [self] in run(from: new.sampleRate) }
            } else {
                hasChanged.set()
            }
        }

        private func run(from sampleRate: Int) {
            let meter = LoudnessMeter(sampleRate: sampleRate)
            while let source = source.withLock({ $0 }) {
                meter.change(sampleRate: source.sampleRate)
                while let piece = source.tape.read(atMost: 4096) { meter.add(piece.buses[0]) }
                let reading = meter.reading
                measured.withLock { $0 = reading }
                // As often as levels are told.
                if hasChanged.wait(milliseconds: 100) { hasChanged.clear() }
            }
        }
    }
}
