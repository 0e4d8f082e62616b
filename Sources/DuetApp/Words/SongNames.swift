/// Titles and artists as they are compared, however they are written.
enum SongNames {
    /// The letters and digits of a name, without case, accents and width.
    static func plain(_ name: String) -> [UInt8] {
        SearchText(name).bytes.filter { $0 >= SearchText.leastOfWord }
    }

    /// A name as a server is asked for it: words with a space between two. An apostrophe parts no word.
    static func asked(_ name: String) -> String {
        var words = ""
        for scalar in name.unicodeScalars where !apostrophes.contains(scalar) {
            let facts = scalar.properties
            let isWord =
                facts.isAlphabetic || facts.numericType != nil
                || facts.canonicalCombiningClass != .notReordered
                || [.mathSymbol, .otherSymbol, .currencySymbol].contains(facts.generalCategory)
            if isWord {
                words.unicodeScalars.append(scalar)
            } else if words.last != " " {
                words.append(" ")
            }
        }
        return words.withoutSpaceAround
    }

    private static let apostrophes: Set<Unicode.Scalar> = ["'", "’", "‘", "`", "´", "ʼ"]

    // MARK: Titles

    /// A title without what says nothing of the recording: guests, remasters, `(Official Video)`. What names
    /// another recording stays: live, remix, acoustic, instrumental.
    static func cleaned(_ title: String) -> String {
        var title = withoutGuests(title)
        while let shorter = withoutNoise(title) { title = shorter }
        return title.withoutSpaceAround
    }

    /// A title without anything in brackets and behind ` - `: what versions of a song have in common.
    static func base(_ title: String) -> String {
        var base = withoutGuests(title)
        while let group = brackets(in: base).first { base.removeSubrange(group) }
        if let dash = dash(in: base) { base = String(base[..<dash.lowerBound]) }
        return base.withoutSpaceAround
    }

    /// A title without one bracket, or one part behind ` - `, that says nothing; nil: it has none.
    private static func withoutNoise(_ title: String) -> String? {
        for group in brackets(in: title) where isNoise(title[group]) {
            let rest = title[..<group.lowerBound] + title[group.upperBound...]
            // A title that is all brackets is none.
            if !plain(String(rest)).isEmpty { return String(rest) }
        }
        if let dash = dash(in: title), isNoise(title[dash.upperBound...]) {
            return String(title[..<dash.lowerBound])
        }
        return nil
    }

    /// The last ` - ` of a name, with a dash of any length.
    static func dash(in name: some StringProtocol) -> Range<String.Index>? {
        for dash in [" - ", " – ", " — "] {
            let place = name.indices.last { name[$0...].hasPrefix(dash) }
            if let place { return place..<name.index(place, offsetBy: dash.count) }
        }
        return nil
    }

    /// What stands in round or square brackets, with these, the last first.
    private static func brackets(in name: String) -> [Range<String.Index>] {
        var (open, found): ([(Character, String.Index)], [Range<String.Index>]) = ([], [])
        for index in name.indices {
            switch name[index] {
            case "(", "[": open.append((name[index] == "(" ? ")" : "]", index))
            case let end where end == open.last?.0:
                found.append(open.removeLast().1..<name.index(after: index))
            default: break
            }
        }
        return found.reversed()
    }

    private static func isNoise(_ text: Substring) -> Bool {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard let first = words.first else { return true }
        if guests.contains(first) { return true }
        guard versions.isDisjoint(with: words) else { return false }
        if words.contains(where: { $0.hasPrefix("remaster") }) { return true }
        return words.allSatisfy { noise.contains($0) }
    }

    private static let guests: Set = ["feat", "ft", "featuring"]
    private static let versions: Set = [
        "live", "remix", "acoustic", "instrumental", "karaoke", "demo", "cover", "edit",
    ]
    private static let noise: Set = [
        "official", "music", "video", "videoclip", "clip", "audio", "lyric", "lyrics", "visualizer",
        "visualiser", "hd", "hq", "4k", "explicit",
    ]

    // MARK: Artists

    /// A name without its guests, who stand behind the word feat, ft or featuring, up to the next bracket or
    /// dash.
    static func withoutGuests(_ name: String) -> String {
        func isPart(_ index: String.Index) -> Bool { name[index].isLetter || name[index].isNumber }
        var (index, depth) = (name.startIndex, 0)
        while index < name.endIndex {
            guard isPart(index) else {
                if "([".contains(name[index]) { depth += 1 }
                if ")]".contains(name[index]) { depth -= 1 }
                index = name.index(after: index)
                continue
            }
            let end = name[index...].firstIndex { !($0.isLetter || $0.isNumber) } ?? name.endIndex
            if depth == 0, index > name.startIndex, end < name.endIndex,
                guests.contains(name[index..<end].lowercased())
            {
                let rest = name[end...]
                let next = [rest.firstIndex { "([".contains($0) }, dash(in: rest)?.lowerBound]
                    .compactMap { $0 }.min()
                return String(name[..<index]) + (next.map { String(name[$0...]) } ?? "")
            }
            index = end
        }
        return name
    }

    /// The names of several artists, as tags part them.
    static func artists(_ text: String) -> [String] {
        var names = [withoutBracketedGuests(text)]
        for mark in [";", " / ", ",", " & ", " and ", " x ", " vs. ", " vs "] {
            names = names.flatMap { name in
                name.split(separator: mark).map { String($0).withoutSpaceAround }
            }
        }
        return names.filter { !plain($0).isEmpty }
    }

    /// An artist without guests, in brackets or not.
    static func withoutBracketedGuests(_ artist: String) -> String {
        var artist = withoutGuests(artist)
        for group in brackets(in: artist) where isNoise(artist[group]) {
            artist.removeSubrange(group)
            break
        }
        return artist.withoutSpaceAround
    }

    /// How two artists are related.
    enum Kinship {
        /// The same, or the first of a list in which marks part people and never a band's name.
        case same
        /// They share a name.
        case related
        case none
    }

    static func kinship(_ one: String, _ other: String) -> Kinship {
        let (a, b) = (withoutBracketedGuests(one), withoutBracketedGuests(other))
        if plain(a) == plain(b) { return .same }
        let (ones, others) = (artists(one).map(plain), artists(other).map(plain))
        if Set(ones) == Set(others) { return .same }
        for (list, name) in [(a, b), (b, a)] {
            let end = [list.firstIndex(of: ";"), list.firstRange(of: " / ")?.lowerBound].compactMap
            { $0 }
            guard let end = end.min() else { continue }
            if plain(String(list[..<end])) == plain(name) { return .same }
        }
        return Set(ones).isDisjoint(with: others) ? .none : .related
    }
}
