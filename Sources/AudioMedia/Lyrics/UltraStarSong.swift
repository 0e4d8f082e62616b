import AudioGraph
import SystemSupport

/// A song as UltraStar and its kin keep it, a text (usdx.eu/format): the files of its sound, and who
/// sings which syllable when, and how high.
///
/// A note is `: 12 4 5 la`: its kind, its beat, its length in beats, its pitch, and behind one space its
/// syllable. `- 20` ends a line, `P2` begins what the second singer sings, `E` ends the song.
struct UltraStarSong: Equatable {
    /// What a note counts for, and whether it is sung at its pitch.
    enum Kind: Character {
        case normal = ":"
        case golden = "*"
        case freestyle = "F"
        case rap = "R"
        case goldenRap = "G"
    }

    struct Note: Equatable {
        let kind: Kind
        /// In beats after the gap; before it where negative.
        let start: Int
        /// In beats, 0 or more.
        let length: Int
        /// In semitones above middle C.
        let pitch: Int
        /// The syllable, with the spaces that part it from others; safe to show. Empty where it is the
        /// one before that goes on.
        let text: String
    }

    struct Line: Equatable {
        /// Nil where the text names no singers.
        let singer: Lyrics.Singer?
        /// One or more, in the order of the text.
        let notes: [Note]
    }

    /// How many of a text's first bytes are looked at to tell what it is.
    static let longestHead = 4096
    /// What a tempo may be, in beats a minute.
    private static let tempos = 1.0...10_000
    /// The largest gap that counts, in milliseconds: an hour.
    private static let largestGap = 3_600_000.0
    /// Most facts of a text that are kept, and bytes that they are looked for in.
    private static let (mostFacts, longestFacts) = (100, 1 << 16)

    let title: String?
    let artist: String?
    /// The files of the song, of the song without its voice, and of the voice, relative to the text.
    let audio: String?
    let instrumental: String?
    let vocals: String?
    /// What the singers of a duet are called; safe to show.
    let singerNames: [Lyrics.Singer: String]
    /// As the text says it: a beat of notes is a quarter of one of these.
    let beatsPerMinute: Double
    /// When beat 0 is, in seconds from the beginning of the song.
    let gap: Double
    /// What of its file is played; the beats count from the file's beginning nevertheless.
    let span: SongSpan
    /// In the order of the text: those of one singer after those of another.
    let lines: [Line]
    /// Whether some of the text was left out.
    let isCut: Bool

    /// Whether bytes begin as such a song does: with lines of `#NAME:value`, of which one is its title,
    /// and another one its tempo.
    static func isOne(_ head: ArraySlice<UInt8>) -> Bool {
        let names = rawFacts(head.prefix(longestHead)).map(\.name)
        return names.contains("TITLE") && names.contains("BPM")
    }

    /// The name of the song's file as the text has it, in its own encoding.
    static func audioName(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        fileName("AUDIO", in: bytes) ?? fileName("MP3", in: bytes)
    }

    /// The name of the file that a fact of that name, in capital letters, has as its value.
    static func fileName(_ fact: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        rawFacts(bytes).first { $0.name == fact && !$0.value.isEmpty }?.value
    }

    /// The lines that a text begins with, as far as they are `#NAME:value`.
    private static func rawFacts(
        _ bytes: ArraySlice<UInt8>
    ) -> [(name: String, value: ArraySlice<UInt8>)] {
        let bytes = bytes.prefix(longestFacts)
        let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        let text = isWide ? Array(TextEncoding.decode(bytes).utf8)[...] : bytes
        let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
        var found: [(name: String, value: ArraySlice<UInt8>)] = []
        var rest = start.drop { $0 <= 0x20 }
        while rest.first == UInt8(ascii: "#"), found.count < mostFacts {
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            rest = rest[line.endIndex...].drop { $0 <= 0x20 }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon].dropFirst(), as: UTF8.self).uppercased()
            let value = line[(colon + 1)...].drop { $0 == 0x20 }
            let end = value.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? value.startIndex
            found.append((name, value[..<end]))
        }
        return found
    }

    /// Reads `bytes` in the encoding that they name, or else as `TextEncoding` does. Nil where they do
    /// not begin as such a song, their tempo is none, or there is no note.
    ///
    /// - Parameter isCut: whether the end is missing; false.
    init?(_ bytes: ArraySlice<UInt8>, isCut: Bool = false) {
        guard Self.isOne(bytes) else { return nil }
        let named = Self.rawFacts(bytes).first { $0.name == "ENCODING" }?.value ?? []
        let name = String(decoding: named, as: UTF8.self).uppercased()
        // What these songs name else is UTF-8, or what the machine had that made them.
        let isKnown = (1250...1258).contains { name == "CP\($0)" }
        self.init(
            TextEncoding.decode(bytes, isCut: isCut, named: isKnown ? name : nil), isCut: isCut)
    }

    private init?(_ text: String, isCut: Bool) {
        var reader = UltraStarReader()
        for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            guard reader.read(line) else { break }
        }
        reader.endLine()
        let facts = reader.facts
        guard let tempo = Self.number(facts["BPM"]), Self.tempos.contains(tempo),
            !reader.lines.isEmpty
        else { return nil }
        beatsPerMinute = tempo
        let gap = Self.number(facts["GAP"]) ?? 0
        self.gap = abs(gap) <= Self.largestGap ? gap / 1000 : 0
        // The start is in seconds, the end in milliseconds. A song of no length is taken whole.
        func positive(_ fact: String, _ unit: Double) -> Double? {
            Self.number(facts[fact]).map { $0 * unit }.flatMap {
                $0 > 0 && $0 <= SongTime.longest ? $0 : nil
            }
        }
        let (start, end) = (positive("START", 1) ?? 0, positive("END", 0.001))
        span = end.map { $0 > start } ?? true ? SongSpan(start: start, end: end) : .whole
        (title, artist) = (facts["TITLE"], facts["ARTIST"])
        audio = facts["AUDIO"] ?? facts["MP3"]
        (instrumental, vocals) = (facts["INSTRUMENTAL"], facts["VOCALS"])
        // The second name of each fact is the older one.
        func name(_ number: Int) -> String? {
            (facts["P\(number)"] ?? facts["DUETSINGERP\(number)"]).map(SafeText.clean)
        }
        singerNames = [.first: name(1), .second: name(2)].compactMapValues { $0 }
        lines = reader.lines
        self.isCut = isCut || reader.isCut
    }

    /// A number, in which a comma may stand for the point; nil where it is none.
    private static func number(_ text: String?) -> Double? {
        text.flatMap { Double($0.replacing(",", with: ".")) }
    }

    /// When a beat is, in seconds from the beginning of the song, never before it.
    func seconds(of beat: Int) -> Double {
        min(max(0, gap + Double(beat) * 60 / (4 * beatsPerMinute)), SongTime.longest)
    }

    /// The words of the song, with the times of their syllables. Singers are named where there are
    /// several; a line that two of them sing at once is one of both.
    var lyrics: Lyrics {
        struct Place: Hashable {
            let start: Double?
            let text: String
        }
        let hasSingers = Set(lines.map(\.singer)).count > 1
        var found: [Lyrics.Line] = []
        var places: [Place: Int] = [:]
        for line in lines {
            var words = LineBuilder()
            words.singer = hasSingers ? line.singer : nil
            for note in line.notes {
                words.begin(at: seconds(of: note.start))
                words.append(note.text.unicodeScalars)
            }
            words.begin(at: line.notes.map { seconds(of: $0.start + $0.length) }.max() ?? 0)
            let built = words.line
            guard !built.text.isEmpty else { continue }
            let place = Place(start: built.start, text: built.text)
            if let other = places[place], found[other].singer != built.singer {
                found[other].singer = .both
            } else {
                places[place] = found.count
                found.append(built)
            }
        }
        return Lyrics(lines: found, singerNames: singerNames, isCut: isCut)
    }
}

/// Reads the lines of a text of UltraStar.
private struct UltraStarReader {
    private typealias Scalars = Substring.UnicodeScalarView

    /// Most digits of a number.
    private static let longestNumber = 7

    private(set) var facts: [String: String] = [:]
    private(set) var lines: [UltraStarSong.Line] = []
    private(set) var isCut = false
    private var notes: [UltraStarSong.Note] = []
    private var singer: Lyrics.Singer?
    /// Where beats are counted from: the end of the line before, in a text of relative beats.
    private var base = 0
    /// How many Unicode scalars the present line may still have.
    private var room = LineBuilder.longestLine

    /// Reads a line of the text; false: the song ends with it.
    mutating func read(_ line: Substring.UnicodeScalarView) -> Bool {
        let line = line.drop { $0 == " " || $0 == "\t" }
        guard let mark = line.first else { return true }
        var rest = line.dropFirst()
        switch mark {
        case "#": readFact(rest)
        case "E": return !rest.allSatisfy { $0.properties.isWhitespace }
        case "P":
            endLine()
            (singer, base) = (Self.singer(Self.takeNumber(&rest)), 0)
        case "-":
            endLine()
            guard facts["RELATIVE"]?.lowercased() == "yes", let first = Self.takeNumber(&rest)
            else { break }
            base += Self.takeNumber(&rest) ?? first
        default: readNote(mark, rest)
        }
        return true
    }

    mutating func endLine() {
        defer { (notes, room) = ([], LineBuilder.longestLine) }
        guard !notes.isEmpty else { return }
        guard lines.count < Lyrics.maximumLines else { return isCut = true }
        lines.append(UltraStarSong.Line(singer: singer, notes: notes))
    }

    private mutating func readFact(_ line: Scalars) {
        guard let colon = line.firstIndex(of: ":"), facts.count < 100 else { return }
        let name = String(line[..<colon]).uppercased()
        let value = line[colon...].dropFirst().prefix(LineBuilder.longestLine)
            .drop { $0.properties.isWhitespace }
        guard let last = value.lastIndex(where: { !$0.properties.isWhitespace }) else { return }
        if facts[name] == nil { facts[name] = String(value[...last]) }
    }

    private mutating func readNote(_ mark: Unicode.Scalar, _ line: Scalars) {
        var rest = line
        guard let kind = UltraStarSong.Kind(rawValue: Character(mark)),
            let start = Self.takeNumber(&rest), let length = Self.takeNumber(&rest),
            let pitch = Self.takeNumber(&rest)
        else { return }
        // A tilde holds the syllable before.
        let text = rest.dropFirst().filter { $0 != "~" }
        if text.count > room { isCut = true }
        let kept = String(String.UnicodeScalarView(text.prefix(room)))
        room -= min(room, text.count)
        notes.append(
            UltraStarSong.Note(
                kind: kind, start: base + start, length: max(0, length), pitch: pitch,
                text: SafeText.clean(kept)))
    }

    /// Takes a whole number and the space before it.
    private static func takeNumber(_ rest: inout Scalars) -> Int? {
        var text = rest.drop { $0 == " " || $0 == "\t" }
        let isNegative = text.first == "-"
        if isNegative { text.removeFirst() }
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard (1...longestNumber).contains(digits.count), let value = Int(String(digits)) else {
            return nil
        }
        rest = text[digits.endIndex...]
        return isNegative ? -value : value
    }

    /// Who is meant by the number behind a `P`. The texts of two singers that stand in one have the
    /// third for both.
    private static func singer(_ number: Int?) -> Lyrics.Singer? {
        switch number {
        case 1: .first
        case 2: .second
        case 3: .both
        default: nil
        }
    }
}
