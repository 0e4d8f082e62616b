import AudioGraph
import SystemSupport

/// Reads karaoke in the form of Advanced SubStation Alpha, also of its older form SSA: the lines that
/// are shown, with the times of their syllables (`\k`, `\K`, `\kf`, `\ko`, and `\kt`). How they look is
/// left out.
///
/// The format as Aegisub writes and libass reads it: sections in square brackets; in `[Events]` a line
/// `Format:` names the fields of those that follow it, parted by commas, of which the last may have
/// commas; times are `h:mm:ss.cc`. What stands in braces changes the look, `\N`, `\n` and `\h` are
/// spaces. Comments are no text, unless an effect was made of them: then they, and not what was made
/// of them, are the lines.
struct ASSParser {
    private typealias Scalars = LyricsText.Scalars

    /// A line, and when it appears on the screen, in seconds.
    private struct Event {
        var line: Lyrics.Line
        var shown: Double
        /// Whether the times of its syllables are known.
        var hasTimes: Bool
        var isComment: Bool
        /// What made it, in small letters; mostly nothing.
        var effect: String
    }

    private(set) var lines: [Lyrics.Line] = []
    /// Whether some of the text was left out.
    private(set) var isCut = false
    private var events: [Event] = []
    /// The names of the fields, in small letters.
    private var fields = [
        "layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text",
    ]

    /// Whether a text begins as this format does.
    static func isOne(_ text: String) -> Bool {
        for line in LyricsText.lines(of: text, limit: 20).lines {
            let line = LyricsText.trimmed(line)
            guard let first = line.first, first != ";" else { continue }
            return ["[script info]", "[events]"].contains(String(line.prefix(20)).lowercased())
        }
        return false
    }

    init(_ text: String) {
        var isEvents = false
        let found = LyricsText.lines(of: text, limit: LyricsText.mostRows)
        isCut = found.isCut
        for line in found.lines {
            let line = LyricsText.trimmed(line)
            if line.first == "[", line.last == "]" {
                isEvents = String(line.prefix(20)).lowercased() == "[events]"
            } else if isEvents, let colon = line.prefix(20).firstIndex(of: ":") {
                let rest = line[colon...].dropFirst().drop { $0 == " " }
                switch String(line[..<colon]).lowercased() {
                case "format": readFormat(rest)
                case "dialogue": read(rest, isComment: false)
                case "comment": read(rest, isComment: true)
                default: break
                }
            }
        }
        join()
    }

    private mutating func readFormat(_ text: Scalars) {
        let names = text.prefix(1000).split(separator: ",").map {
            String(LyricsText.trimmed($0)).lowercased()
        }
        if names.contains("start"), names.contains("text") { fields = names }
    }

    private mutating func read(_ text: Scalars, isComment: Bool) {
        let values = text.split(
            separator: ",", maxSplits: fields.count - 1, omittingEmptySubsequences: false)
        func value(_ name: String) -> Scalars? {
            guard let place = fields.firstIndex(of: name), place < values.count else { return nil }
            return LyricsText.trimmed(values[place])
        }
        guard let start = value("start").flatMap(Self.seconds), let text = value("text"),
            case let effect = String((value("effect") ?? text.prefix(0)).prefix(20)).lowercased(),
            !isComment || effect == "karaoke"
        else { return }
        guard events.count < Lyrics.maximumLines else {
            isCut = true
            return
        }
        let (builder, hasTimes) = Self.builder(of: text, start: start)
        let line = builder.line
        isCut = isCut || builder.isCut
        guard !line.text.isEmpty else { return }
        events.append(
            Event(
                line: line, shown: start, hasTimes: hasTimes, isComment: isComment, effect: effect))
    }

    /// Makes lines of what was read.
    private mutating func join() {
        let hasEffects =
            events.contains { $0.isComment } && events.contains { $0.effect == "fx" }
        events.removeAll { hasEffects ? $0.effect == "fx" : $0.isComment }
        // Copies of a line make a shadow or a rim.
        var seen: Set<[String]> = []
        events = events.filter { seen.insert(["\($0.line.start ?? 0)", $0.line.text]).inserted }
        // A line with the times of its syllables is the one that is sung; what appears with it is
        // its translation.
        events = events.filter(\.hasTimes) + events.filter { !$0.hasTimes }
        var sung: [Double: Double] = [:]
        for event in events where event.hasTimes {
            sung[event.shown] = sung[event.shown] ?? event.line.start
        }
        lines = Lyrics.joiningTranslations(
            events.map(\.line),
            times: events.map { $0.hasTimes ? $0.line.start : sung[$0.shown] ?? $0.line.start })
    }

    /// The time `h:mm:ss.cc`, in seconds; nil where `text` is none, or longer than a year.
    private static func seconds(_ text: Scalars) -> Double? {
        let parts = text.prefix(20).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3,
            parts.joined().allSatisfy({ ("0"..."9").contains($0) || $0 == "." }),
            let hours = Int(String(parts[0])), let minutes = Int(String(parts[1])),
            let seconds = Double(String(parts[2]))
        else { return nil }
        let total = 3600 * Double(hours) + 60 * Double(minutes) + seconds
        return total <= SongTime.longest ? total : nil
    }

    // MARK: Text

    /// A line of the text of an event that appears at `start`, and whether it has times of syllables.
    /// With these the line begins when the first syllable does, and not when it appears.
    private static func builder(
        of text: Scalars, start: Double
    ) -> (builder: LineBuilder, hasTimes: Bool) {
        var pieces: [(time: Double, text: [Unicode.Scalar])] = []
        var tags = Tags()
        let lastBrace = text.lastIndex(of: "}")
        var rest = text
        while let first = rest.first {
            if first == "{", let lastBrace, lastBrace >= rest.startIndex,
                let close = rest.firstIndex(of: "}")
            {
                tags.read(rest[..<close].dropFirst())
                rest = rest[close...].dropFirst()
                continue
            }
            let end = rest.dropFirst().firstIndex(of: "{") ?? rest.endIndex
            let piece = plain(rest[..<end])
            rest = rest[end...]
            guard !tags.isDrawing, !piece.isEmpty else { continue }
            // A change of the look inside a syllable parts nothing.
            if let last = pieces.indices.last, pieces[last].time == tags.time {
                pieces[last].text += piece
            } else {
                pieces.append((tags.time, piece))
            }
        }
        guard tags.hasTimes else {
            var builder = LineBuilder(start: start)
            for piece in pieces { builder.append(piece.text) }
            return (builder, false)
        }
        var builder = LineBuilder()
        for piece in pieces {
            if piece.text.contains(where: { $0 != " " }) { builder.begin(at: start + piece.time) }
            builder.append(piece.text)
        }
        if !builder.isEmpty { builder.begin(at: start + tags.end) }
        return (builder, true)
    }

    /// `text` with spaces for its line breaks, one after the other.
    private static func plain(_ text: Scalars) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var rest = text
        while var scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.first, ["N", "n", "h"].contains(next) {
                rest.removeFirst()
                scalar = " "
            }
            if scalar != " " || result.last != " " { result.append(scalar) }
        }
        return result
    }

    /// What the braces of a line have said so far.
    private struct Tags {
        /// When the present syllable begins and ends, in seconds after the line appears.
        var time = 0.0
        var end = 0.0
        var hasTimes = false
        /// Whether the text is a drawing.
        var isDrawing = false

        mutating func read(_ text: Scalars) {
            for tag in text.split(separator: "\\") {
                let name = tag.prefix { !("0"..."9").contains($0) && $0 != " " && $0 != "(" }
                let digits = tag[name.endIndex...].drop { $0 == " " || $0 == "(" }.prefix(9)
                    .prefix { ("0"..."9").contains($0) || $0 == "." }
                guard let number = Double(String(digits)) else { continue }
                switch String(name) {
                case "k", "K", "kf", "ko":
                    hasTimes = true
                    time = end
                    end += number / 100
                case "kt":
                    hasTimes = true
                    end = number / 100
                case "p": isDrawing = number != 0
                default: break
                }
            }
        }
    }
}
