import TestSupport
import Testing

@testable import AudioMedia

/// The results of all cells, as lines to read.
struct FaultTable: CustomStringConvertible {
    /// The result of one cell.
    struct Result {
        /// Why the cell does not apply; nil when it does.
        var reason: String?
        /// The checks that failed, in words.
        private(set) var faults: [String] = []
        /// Frames of the song that were not heard, and frames that were heard beyond its length.
        private(set) var lost = 0
        private(set) var extra = 0
        /// The reasons that were told for reconnecting.
        private(set) var reasons: [String] = []

        init(reason: String) { self.reason = reason }

        init(heard: [Float], expected: [Float], log: [SongEvent]) {
            lost = max(0, expected.count - heard.count) / 2
            extra = max(0, heard.count - expected.count) / 2
            reasons = log.compactMap {
                if case .reconnecting(_, let fault, _) = $0 { fault.description } else { nil }
            }
        }

        mutating func check(_ isRight: Bool, _ fault: String) {
            if !isRight { faults.append(fault) }
        }
    }

    let kind: String
    private(set) var cells = 0
    private var lines: [String] = []
    private var tried = 0
    private var passed = 0
    private var (lost, extra) = (0, 0)

    init(kind: String) { self.kind = kind }

    /// Adds a cell's line, and fails the test when a check has failed.
    mutating func add(_ cell: FaultCell, _ result: Result) {
        cells += 1
        let name = "\(cell.fault.rawValue) × \(kind) × \(cell.moment.rawValue)"
        if let reason = result.reason {
            lines.append("\(name) → does not apply: \(reason)")
            return
        }
        tried += 1
        passed += result.faults.isEmpty ? 1 : 0
        var words: [String]
        switch cell.outcome {
        case .lost(let code, _): words = ["lost, exit code \(code)"]
        default:
            words = ["\(result.lost) frames lost, \(result.extra) repeated"]
            lost += result.lost
            extra += result.extra
        }
        if !result.reasons.isEmpty { words.append("\(result.reasons.count) reconnections") }
        if !result.faults.isEmpty {
            words.append("WRONG: " + result.faults.joined(separator: ", "))
        }
        lines.append("\(name) → \(words.joined(separator: ", "))")
        #expect(result.faults.isEmpty, "\(name)")
    }

    var description: String {
        let total = """
            \(kind): \(cells) cells, \(tried) tried, \(passed) passed, \(cells - tried) do not \
            apply; \(lost) frames lost and \(extra) repeated over all that can be resumed
            """
        return (lines + [total]).joined(separator: "\n")
    }
}
