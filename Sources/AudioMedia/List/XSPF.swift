/// Reads lists in XSPF (xspf.org): `playlist`, in it `trackList`, in it `track`s, each with a
/// `location`, a `title` and a `creator`.
enum XSPF {
    /// The parts of each track that has a location, by their names, in the list's order: of several parts of
    /// one name the first. `limit` tracks at most.
    static func tracks(in text: String, limit: Int) -> [[String: String]] {
        var scanner = XMLScanner(Array(text.utf8)[...])
        var tracks: [[String: String]] = []
        /// The elements that are open: of those inside a track's own the names do not matter.
        var path: [String] = []
        var depth = 0
        var track: [String: String] = [:]
        /// The part of the track that is read.
        var part: String?
        while tracks.count < limit, let piece = scanner.next() {
            switch piece {
            case .start(let name):
                depth += 1
                guard depth <= 4 else { continue }
                path.append(name)
                if path == ["playlist", "trackList", "track"] { track = [:] }
                if depth == 4, path.starts(with: ["playlist", "trackList", "track"]),
                    track[name] == nil
                {
                    (part, track[name]) = (name, "")
                }
            case .text(let text):
                if depth == 4, let part { track[part]?.append(text) }
            case .end:
                if path == ["playlist", "trackList", "track"], depth == 3,
                    track["location"]?.isEmpty == false
                {
                    tracks.append(track)
                }
                depth = max(0, depth - 1)
                if depth < path.count { path.removeLast() }
                if depth < 4 { part = nil }
            }
        }
        return tracks
    }
}

/// Reads as much of XML as a list of songs needs, in one pass: elements by the last part of their
/// names, and text. Attributes, comments and instructions are passed over. It knows the five entities
/// of XML and those that are numbers; one that it does not know stays as it is written. Where a list
/// defines others it ends. It looks nothing up, and takes what is not well formed as it comes.
struct XMLScanner {
    enum Piece: Equatable {
        case start(String)
        case end
        case text(String)
    }

    /// Most bytes that are kept of an element's name.
    private static let longestName = 64
    /// Most bytes of an entity.
    private static let longestEntity = 10

    private var rest: ArraySlice<UInt8>
    /// Whether the end of an element follows that has no content.
    private var endsElement = false

    /// - Parameter bytes: UTF-8.
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The name of the first element; nil where none is found.
    var root: String? {
        var scanner = self
        while let piece = scanner.next() {
            if case .start(let name) = piece { return name }
        }
        return nil
    }

    /// The next piece; nil at the end.
    mutating func next() -> Piece? {
        if endsElement {
            endsElement = false
            return .end
        }
        while !rest.isEmpty {
            if take("<!--") {
                _ = pass("-->")
            } else if take("<![CDATA[") {
                return .text(String(decoding: pass("]]>"), as: UTF8.self))
            } else if take("<?") {
                _ = pass("?>")
            } else if take("<!") {
                // What a list defines for itself could grow without bound.
                if pass(">").contains(UInt8(ascii: "[")) { rest = [] }
            } else if take("</") {
                _ = pass(">")
                return .end
            } else if isTag {
                return takeTag()
            } else {
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
                defer { rest = rest[end...] }
                return .text(Self.unescaped(rest[..<end]))
            }
        }
        return nil
    }

    /// Whether an element's name stands behind a `<`.
    private var isTag: Bool {
        guard rest.first == UInt8(ascii: "<"), let byte = rest.dropFirst().first else {
            return false
        }
        return byte >= 0x80 || byte == UInt8(ascii: "_")
            || (0x61...0x7A).contains(byte | 0x20)
    }

    private mutating func take(_ mark: StaticString) -> Bool {
        let bytes = unsafe UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        guard unsafe rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(mark.utf8CodeUnitCount)
        return true
    }

    /// Takes what comes before `mark`, and passes over both; all that is left where there is no `mark`.
    private mutating func pass(_ mark: String) -> ArraySlice<UInt8> {
        let found = rest.firstRange(of: Array(mark.utf8))
        defer { rest = found.map { rest[$0.upperBound...] } ?? [] }
        return found.map { rest[..<$0.lowerBound] } ?? rest
    }

    /// Takes `<name …>` or `<name …/>`, with values of attributes in quotes; nil where its end is missing.
    private mutating func takeTag() -> Piece? {
        var quote: UInt8?
        let end = rest.firstIndex { byte in
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            return quote == nil && byte == UInt8(ascii: ">")
        }
        guard let end else {
            rest = []
            return nil
        }
        let tag = rest[..<end].dropFirst()
        rest = rest[(end + 1)...]
        endsElement = tag.last == UInt8(ascii: "/")
        let name = tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        let local = name.split(separator: UInt8(ascii: ":")).last ?? []
        return .start(String(decoding: local.prefix(Self.longestName), as: UTF8.self))
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var rest = bytes
        while let sign = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<sign]
            rest = rest[(sign + 1)...]
            let name = rest.prefix(longestEntity).prefix { $0 != UInt8(ascii: ";") }
            guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
                let text = entity(String(decoding: name, as: UTF8.self))
            else {
                result.append(UInt8(ascii: "&"))
                continue
            }
            result += text.utf8
            rest = rest[(name.endIndex + 1)...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    /// What `&name;` stands for; nil: it is not known here.
    private static func entity(_ name: String) -> String? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let isHex = name.hasPrefix("#x")
        let digits = name.dropFirst(isHex ? 2 : 1)
        guard name.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
            let value = UInt32(digits, radix: isHex ? 16 : 10), value > 0,
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return String(Character(scalar))
    }
}
