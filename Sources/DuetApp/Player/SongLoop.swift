import AudioGraph
import AudioMedia

/// The part of the song that users loop: its two ends, in seconds.
struct SongLoop: Sendable, Equatable {
    /// Nil: not set.
    var start: Double?
    /// Nil: not set.
    var end: Double?

    /// The part to repeat; nil while an end is missing.
    var part: SongPart? {
        guard let start, let end else { return nil }
        return SongPart(from: start, to: end)
    }

    /// The ends that differ from those of another loop.
    func changes(from old: SongLoop) -> [ValueChange] {
        [(RunState.loopStart, old.start, start), (.loopEnd, old.end, end)].compactMap {
            state, old, new in
            guard old != new else { return nil }
            return ValueChange(
                address: state.rawValue, kind: .loopEnd, old: old ?? ValueKind.off,
                new: new ?? ValueKind.off)
        }
    }

    /// For people: `loop from 5.4 s to 6.0 s`.
    var text: String {
        if start == nil, end == nil { return "loop off" }
        return "loop" + (start.map { " from \(fixed($0, digits: 1)) s" } ?? "")
            + (end.map { " to \(fixed($0, digits: 1)) s" } ?? "")
    }

    /// Refuses ends in the wrong order, or too near to each other.
    func check() throws(Refusal) {
        guard let start, let end, part == nil else { return }
        throw Refusal(
            reason: "a loop is \(SongPart.shortest) s long at least, and not from "
                + "\(fixed(start, digits: 1)) s to \(fixed(end, digits: 1)) s")
    }
}
