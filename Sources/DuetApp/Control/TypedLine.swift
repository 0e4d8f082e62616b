import SystemSupport

/// A line into which users type or paste the names of songs to add, with a field for who sings them.
struct TypedLine: Equatable {
    /// The longest name, in bytes: as long as a file's path can be.
    static let longest = 4096
    /// Of a paste so many lines are songs.
    private static let mostLines = 1000

    /// The songs, as far as they are typed.
    private(set) var text = ""
    /// Who sings them, as far as that is typed.
    private(set) var singer = ""
    /// Whether keys go to the singer's field.
    private(set) var isInSinger = false
    /// Whether it is left, or its last line is whole.
    private(set) var isOver = false
    /// What `tab` has found, or why songs were refused, until the next key.
    private(set) var note: String?

    init(text: String = "", singer: String = "", note: String? = nil) {
        (self.text, self.singer, self.note) = (text, singer, note)
    }

    /// What is typed into.
    private(set) var field: String {
        get { isInSinger ? singer : text }
        set { if isInSinger { singer = newValue } else { text = newValue } }
    }

    /// What the field is called.
    var prompt: String { isInSinger ? "singer: " : "add a song: " }

    /// Takes a key; returns the lines that are whole now, as users gave them, and that are not empty.
    mutating func take(_ key: Key) -> [String] {
        note = nil
        switch key {
        case .escape: isOver = true
        case .enter:
            isOver = true
            return [text].filter(Self.hasInk)
        case .up, .down, .shiftTab: isInSinger.toggle()
        case .backspace: if !field.isEmpty { field.removeLast() }
        case .deleteLine: field = ""
        case .deleteWord:
            while field.last?.isWhitespace == true { field.removeLast() }
            while field.last?.isWhitespace == false { field.removeLast() }
        case .character(let character): append(String(character))
        case .pasted(let pasted) where isInSinger:
            append(String(pasted.prefix { !$0.isNewline }))
        case .pasted(let pasted): return paste(pasted)
        default: break
        }
        return []
    }

    /// Every line that ends in the paste is whole; what stands behind the last end may be typed on.
    private mutating func paste(_ pasted: String) -> [String] {
        var lines = pasted.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let rest = String(lines.removeLast())
        guard !lines.isEmpty else {
            append(rest)
            return []
        }
        var names = lines.prefix(Self.mostLines).map(String.init)
        names[0] = text + names[0]
        text = ""
        append(rest)
        isOver = text.isEmpty
        return names.filter(Self.hasInk)
    }

    /// What is too long is left out.
    private mutating func append(_ more: String) {
        let longest = isInSinger ? 4 * SingerName.longest : Self.longest
        if field.utf8.count + more.utf8.count <= longest { field += more }
    }

    private static func hasInk(_ line: String) -> Bool { !line.withoutSpaceAround.isEmpty }

    /// As it is shown, with a mark at its end.
    var shown: String {
        let song = "add a song: \(SafeText.clean(text))"
        guard isInSinger || !singer.isEmpty else { return song + "_" }
        let name = "singer: \(SafeText.clean(singer))"
        return isInSinger ? "\(song) · \(name)_" : "\(song)_ · \(name)"
    }

    /// Completes the singer's name, if one of `names` alone begins so.
    mutating func completeSinger(among names: [String]) {
        let found = SingerName.beginning(with: singer, among: names)
        if found.count == 1 {
            singer = found[0]
        } else {
            note =
                found.isEmpty
                ? "no singer begins with '\(SafeText.clean(singer))'" : found.listed("or")
        }
    }
}

// MARK: Completion

extension TypedLine {
    /// A part of the line up to its end that may be the beginning of a file's name.
    struct Beginning: Sendable, Equatable {
        /// The line before it.
        let before: String
        /// The name's folder with the slash behind it; empty: the present folder.
        let folder: String
        /// What the name in the folder begins with.
        let name: String

        init(before: String, _ path: String) {
            self.before = before
            let scalars = path.unicodeScalars
            let start =
                scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? path.startIndex
            folder = String(scalars[..<start])
            name = String(scalars[start...])
        }
    }

    /// What may be completed, first what is to be tried first: as when it is added, the whole line is
    /// a name where there is such a file, else the last word of it.
    var beginnings: [Beginning] {
        let words = ShellWords.read(text)
        let whole = String(text.unicodeScalars.drop { $0 == " " || $0 == "\t" })
        var last = words.last
        // Behind a space another word begins.
        if ShellWords.read(text + "x").count > words.count { last = nil }
        let word = Beginning(
            before: last.map { String(text[..<$0.start]) } ?? text, last?.value ?? "")
        // The files at an address are not known.
        guard !word.folder.contains("://") else { return [] }
        let isWord = words.count < 2 && !whole.isEmpty && last != nil || ShellWords.hasQuotes(whole)
        return isWord || whole.isEmpty ? [word] : [Beginning(before: "", whole), word]
    }

    /// Completes a part of the line with the names that begin with it, as far as they are the same.
    /// Spaces and quotes get backslashes.
    mutating func complete(_ beginning: Beginning, with found: FolderNames) {
        let names = found.names.map(\.text)
        guard let first = names.first, let last = names.last else {
            note =
                beginning.name.isEmpty
                ? "nothing here to add" : "no name begins with '\(SafeText.clean(beginning.name))'"
            return
        }
        guard !found.hasMore else {
            note = "the folder has too many names to complete one"
            return
        }
        // In their order the first and the last differ most.
        let common = zip(first.unicodeScalars, last.unicodeScalars).prefix { $0 == $1 }.map(\.0)
        let name = beginning.folder + String(String.UnicodeScalarView(common))
        let end = names.count == 1 && found.names[0].isFolder ? "/" : ""
        let whole = beginning.before + ShellWords.quoted(name) + end
        guard whole.utf8.count <= Self.longest else {
            note = "the name is too long for this line"
            return
        }
        text = whole
        if names.count > 1 {
            let shown = names.prefix(5).map { SafeText.clean($0) }.joined(separator: ", ")
            note = "\(names.count) names: \(shown)\(names.count > 5 ? " …" : "")"
        }
    }

    /// Says why nothing was completed.
    mutating func refuseCompletion(_ reason: String) { note = reason }
}
