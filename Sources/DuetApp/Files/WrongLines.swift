import AudioMedia
import SystemSupport

/// The lines of a file that are ignored, and why.
struct WrongLines: Sendable {
    /// How many are told one by one.
    private static let most = 10
    /// How much of a reason is told, in scalars: it may quote the line.
    private static let longestReason = 1000
    /// More wrong lines than these: the file is for something else.
    private static let limit = 100

    private let path: String
    private var reasons: [(line: Int, reason: String)] = []
    /// Why the file, or its end, is ignored.
    private var refusal: String?

    init(path: FileName) {
        let shown = path.description
        // As people type it, which leaves room for the reason.
        let home = environmentValue("HOME").map { $0 + "/" } ?? "/"
        self.path =
            home.count > 1 && shown.hasPrefix(home) ? "~/" + shown.dropFirst(home.count) : shown
    }

    mutating func add(_ line: Int, _ reason: String) {
        let told = reason.unicodeScalars.prefix(Self.longestReason)
        let isWhole = told.endIndex == reason.unicodeScalars.endIndex
        reasons.append((line, String(told) + (isWhole ? "" : "…")))
    }

    /// Whether so many lines are wrong that those behind them are not worth reading: the nearest names
    /// of each take time.
    mutating func endsReading() -> Bool {
        guard reasons.count >= Self.limit else { return false }
        refuseRest("\(Self.limit) lines of it are wrong")
        return true
    }

    /// The whole file is ignored.
    mutating func refuseFile(_ reason: String) { refusal = "\(path) is not used: \(reason)" }

    /// The lines that follow are ignored.
    mutating func refuseRest(_ reason: String) {
        refusal = "the end of \(path) is not used: \(reason)"
    }

    /// For people: each names the file, and a line of it.
    var warnings: [String] {
        let told = reasons.sorted { $0.line < $1.line }.prefix(Self.most).map {
            "\(path), line \($0.line) is ignored: \($0.reason)"
        }
        let others = reasons.count - told.count
        return told + (others > 0 ? ["\(others) more lines of \(path) are ignored"] : [])
            + [refusal].compactMap { $0 }
    }
}
