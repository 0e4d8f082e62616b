import AudioGraph
import AudioMedia
import Logging

extension Event {
    private static func take(
        _ state: String, _ folder: FileName?, _ fields: [Field], text: String?,
        logLevel: Logger.Level = .debug
    ) -> Event {
        Event(
            "take",
            [
                ("state", .text(state)),
                ("folder", safe(folder.map { Location.file($0).reference })),
            ] + fields, text: text, about: .take, logLevel: logLevel)
    }

    /// A take is recorded into a folder.
    ///
    /// - Parameter advice: what ends it; empty: no key does.
    static func takeBegun(
        folder: FileName, lead: Int, _ source: RoundTrip.Source, advice: String = ""
    ) -> Event {
        take(
            "recording", folder,
            [
                ("lead", .count(lead)), ("leadFrom", .text(source.rawValue)),
            ], text: "recording\(advice.isEmpty ? "" : "; \(advice)"): \(folder)")
    }

    /// A take is played in between, or no longer.
    static func takePlayed(folder: FileName, isOver: Bool) -> Event {
        take(isOver ? "played" : "playing", folder, [], text: nil)
    }

    /// A take of before was deleted.
    static func takeDeleted(folder: FileName) -> Event {
        var event = take("deleted", nil, [], text: nil)
        event.farewell = Farewell(of: folder.description, lines: [])
        return event
    }

    /// A take is over; `folder` nil: nothing of it is kept. `advice`: what keys do with it; nil: the run
    /// is over, too.
    static func takeEnded(folder: FileName?, seconds: Double, advice: String?) -> Event {
        guard let folder else { return take("deleted", nil, [], text: nil) }
        let text = "take saved: \(folder) (\(ClockTime(seconds: seconds)))"
        let command = "duet play \(ShellWords.pasted(folder.description))"
        var event = take(
            "saved", folder, [("seconds", .number(seconds))],
            text: advice.map { $0.isEmpty ? text : "\(text); \($0)" }
                ?? "\(text); play it: \(command)")
        event.farewell = Farewell(of: folder.description, lines: [text + "; play it:", command])
        return event
    }

    /// A take cannot be recorded any more; `folder`: what there is of it.
    static func takeFailed(reason: String, folder: FileName?, seconds: Double) -> Event {
        let rest = folder.map { "; \(ClockTime(seconds: seconds)) is in \($0)" } ?? ""
        return take(
            "failed", folder, [("seconds", .number(seconds)), ("reason", safe(reason))],
            text: "warning: not recording: \(reason)\(rest)", logLevel: .warning)
    }
}
