import Glibc
import SystemSupport

/// The files beside a song that have its name in theirs. The folder is read once, when that is asked for
/// first, for all that belongs to the song. Blocks for as long as the disk does; any thread.
final class FilesBeside: Sendable {
    /// What is in a folder.
    enum Listing: Sendable {
        case names([FileName])
        case unreadable
    }

    /// Most names of a folder that are looked at.
    private static let mostNames = 200_000
    /// The folder that separators of voices write into where they are started.
    static let separated = "separated"

    /// The song's path without its ending.
    let stem: FileName
    /// Nil until the folder is read.
    private let listing = Guarded<Listing?>(nil)

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
        guard case .names(let names) = names else { return endings.map { stem + FileName($0) } }
        let wanted = endings.map { stem.last.comparable + $0 }
        let plain = wanted.map { $0.lowercased() }
        var found: [(rank: Int, isExact: Bool, name: FileName)] = []
        for name in names {
            let text = name.comparable
            guard let rank = plain.firstIndex(of: text.lowercased()) else { continue }
            found.append((rank, text == wanted[rank], name))
        }
        // Of two names that differ in capital letters alone the song's own counts.
        found.sort {
            if $0.rank != $1.rank { return $0.rank < $1.rank }
            if $0.isExact != $1.isExact { return $0.isExact }
            return $0.name.bytes.lexicographicallyPrecedes($1.name.bytes)
        }
        return found.map { stem.folder + $0.name }
    }

    /// The names in the song's folder that have the song's in them, and `separated`.
    var names: Listing {
        listing.withLock { listing in
            if let listing { return listing }
            let (own, separated) = (stem.last.likeness, FileName(Self.separated))
            let read = Self.names(in: stem.folder) { name in
                name == separated || Self.contains(name, own)
            }
            listing = read
            return read
        }
    }

    /// The names in a folder, which ends in a slash, that `isWanted` takes; an empty one is the present
    /// folder.
    static func names(in folder: FileName, where isWanted: (FileName) -> Bool) -> Listing {
        folder.names(limit: mostNames, where: isWanted).map { .names($0) } ?? .unreadable
    }

    /// Whether `name` has `own` in it, which is in small letters: names of ASCII, which most are, are
    /// compared byte by byte, as a folder may have many.
    private static func contains(_ name: FileName, _ own: String) -> Bool {
        let (wanted, bytes) = (Array(own.utf8), name.bytes)
        guard (bytes + wanted).allSatisfy({ $0 < 0x80 }) else { return name.likeness.contains(own) }
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { start in
            wanted.indices.allSatisfy { index in
                let byte = bytes[start + index]
                return wanted[index] == ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            }
        }
    }
}
