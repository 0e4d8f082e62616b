import Glibc

/// The files beside a song that have its name, but for its ending. Blocks for as long as the disk does.
struct FilesBeside {
    /// Most names of a folder that are looked at.
    private static let mostNames = 20_000

    /// The song's path without its ending.
    let stem: FileName

    /// Nil where the song is no file.
    init?(_ song: Location) {
        guard case .file(let path) = song else { return nil }
        let name = path.last.bytes
        guard !name.isEmpty else { return nil }
        let dot = name.dropFirst().lastIndex(of: UInt8(ascii: "."))
        stem = path.folder + FileName(bytes: name[..<(dot ?? name.endIndex)])
    }

    /// Those that end so, the best first, as `endings` are: the name may differ in capital letters, and in
    /// how Unicode writes its accents (NFC or NFD). All that are wanted where the folder cannot be read.
    func found(_ endings: [String]) -> [FileName] {
        let folder = stem.folder
        let wanted = endings.map { Self.text(of: stem.last) + $0 }
        let plain = wanted.map { $0.lowercased() }
        guard let list = unsafe opendir((folder.bytes.isEmpty ? "." : folder).cString) else {
            return endings.map { stem + FileName($0) }
        }
        defer { unsafe closedir(list) }
        var found: [(rank: Int, isExact: Bool, name: FileName)] = []
        var count = 0
        while count < Self.mostNames, let entry = unsafe readdir(list) {
            count += 1
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe FileName(bytes: $0)
            }
            let text = Self.text(of: name)
            guard let rank = plain.firstIndex(of: text.lowercased()) else { continue }
            found.append((rank, text == wanted[rank], name))
        }
        // Of two names that differ in capital letters alone the song's own counts.
        found.sort {
            if $0.rank != $1.rank { return $0.rank < $1.rank }
            if $0.isExact != $1.isExact { return $0.isExact }
            return $0.name.bytes.lexicographicallyPrecedes($1.name.bytes)
        }
        return found.map { folder + $0.name }
    }

    /// A name to be compared: strings are equal, whichever form of Unicode they have.
    private static func text(of name: FileName) -> String {
        name.text ?? String(String.UnicodeScalarView(name.bytes.map { Unicode.Scalar($0) }))
    }
}
