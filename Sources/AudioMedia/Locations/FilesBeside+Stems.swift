import Glibc

// The files that a song was taken apart into, by the names that separators and users give them.
extension FilesBeside {
    /// Most folders of models that are looked at.
    private static let mostModels = 100
    /// What the files in a folder of the song are called, the best first.
    private static let folderNames = (
        instrumental: ["no_vocals", "accompaniment", "instrumental"], vocals: ["vocals"]
    )

    /// The files that the song was taken apart into, nil where there are none: the first of these.
    ///
    /// 1. `SONG (Instrumental).*` and `SONG (Vocals).*` beside the song
    /// 2. `SONG_(Instrumental)*.*` and `SONG_(Vocals)*.*`, maybe behind a number and `_`, as UVR names them,
    ///    and those who use it: the model comes last
    /// 3. in the folder `SONG`, `no_vocals.*`, `accompaniment.*` or `instrumental.*`, and `vocals.*`
    /// 4. the same in `separated/MODEL/SONG`, as Demucs names it
    var stems: StemFiles? {
        guard case .names(let names) = names else { return nil }
        let own = stem.last.likeness
        let files = names.compactMap(Self.parts)
        for isWanted in [
            { $0 == own + $1 },
            { Self.withoutNumber($0).hasPrefix(own + "_" + $1.dropFirst()) },
        ] as [(String, String) -> Bool] {
            func find(_ ending: String) -> FileName? {
                Self.best(files.filter { isWanted($0.base, ending) }.map(\.name))
            }
            let found = (find(" (instrumental)"), find(" (vocals)"))
            if let stems = Self.stems(found.0, found.1, in: stem.folder) { return stems }
        }
        for name in names where name.likeness == own {
            if let stems = Self.stems(in: stem.folder + name + "/") { return stems }
        }
        return names.contains { $0.comparable == Self.separated } ? separatedStems : nil
    }

    /// Those of the first model that has the song.
    private var separatedStems: StemFiles? {
        let folder = stem.folder + FileName(Self.separated) + "/"
        let models = Self.names(in: folder) { $0.bytes.first != UInt8(ascii: ".") }
        guard case .names(let names) = models else { return nil }
        let sorted = names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for model in sorted.prefix(Self.mostModels) {
            let place = folder + model + "/" + stem.last + "/"
            if let stems = Self.stems(in: place) { return stems }
        }
        return nil
    }

    /// Those in a folder of the song.
    static func stems(in folder: FileName) -> StemFiles? {
        let wanted = Set(folderNames.instrumental + folderNames.vocals)
        let listing = names(in: folder) { parts($0).map { wanted.contains($0.base) } ?? false }
        guard case .names(let names) = listing else { return nil }
        let files = names.compactMap(parts)
        func find(_ bases: [String]) -> FileName? {
            bases.lazy.compactMap { base in
                best(files.filter { $0.base == base }.map(\.name))
            }.first
        }
        return stems(find(folderNames.instrumental), find(folderNames.vocals), in: folder)
    }

    private static func stems(
        _ instrumental: FileName?, _ vocals: FileName?, in folder: FileName
    ) -> StemFiles? {
        guard instrumental != nil || vocals != nil else { return nil }
        return StemFiles(
            instrumental: instrumental.map { .file(folder + $0) },
            vocals: vocals.map { .file(folder + $0) })
    }

    /// A name in small letters, without its ending.
    static func base(_ name: FileName) -> String {
        let text = name.likeness
        return text.lastIndex(of: ".").map { String(text[..<$0]) } ?? text
    }

    /// The name of a file that can be a song, in small letters and without its ending.
    private static func parts(_ name: FileName) -> (name: FileName, base: String)? {
        guard AudioFileName.isOne(name), !name.ends(in: AudioFileName.archive) else { return nil }
        let text = name.likeness
        return text.lastIndex(of: ".").map { (name, String(text[..<$0])) }
    }

    /// Those of `names` that are no stems of a song among them.
    static func songs(among names: [FileName]) -> [FileName] {
        let bases = Set(names.compactMap { parts($0)?.base })
        return names.filter { name in
            guard let base = parts(name)?.base else { return true }
            return !["(instrumental)", "(vocals)"].contains { kind in
                guard let range = base.firstRange(of: kind), range.lowerBound > base.startIndex
                else {
                    return false
                }
                let mark = base.index(before: range.lowerBound)
                let song = base[..<mark]
                switch base[mark] {
                case " ": return range.upperBound == base.endIndex && bases.contains(String(song))
                case "_":
                    return bases.contains(String(song))
                        || bases.contains(String(withoutNumber(String(song))))
                default: return false
                }
            }
        }
    }

    /// A name without the number and `_` that UVR puts before it.
    private static func withoutNumber(_ name: String) -> Substring {
        let rest = name.drop { ("0"..."9").contains($0) }
        return rest.startIndex > name.startIndex && rest.first == "_" ? rest.dropFirst() : name[...]
    }

    /// Of several formats of one stem the one without losses.
    private static func best(_ names: [FileName]) -> FileName? {
        func rank(_ name: FileName) -> Int {
            [".wav", ".flac"].firstIndex { name.ends(in: $0) } ?? 2
        }
        return names.min {
            (rank($0), $0.comparable) < (rank($1), $1.comparable)
        }
    }
}
