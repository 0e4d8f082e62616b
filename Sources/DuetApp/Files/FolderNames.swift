import AudioMedia
import Glibc
import SystemSupport

/// The names of a folder that begin with some text. Names that are not UTF-8, or that no terminal can
/// show as they are, are left out.
struct FolderNames: Sendable, Equatable {
    struct Name: Sendable, Equatable {
        let text: String
        let isFolder: Bool
    }

    /// Of a folder so many names are looked at.
    private static let most = 20_000

    /// In the order of their bytes.
    var names: [Name] = []
    /// Whether the folder has more names than were looked at.
    var hasMore = false

    /// Looks into a folder, and blocks for as long as the disk takes; a folder that cannot be read has
    /// no names. Names that begin with a point are left out, unless `beginning` does.
    static func read(_ folder: FileName, beginning: String) -> FolderNames {
        let entries = entries(of: folder, atMost: most + 1)
        var found = FolderNames(hasMore: entries.count > most)
        for (entry, kind) in entries.prefix(most) {
            guard entry.bytes.starts(with: beginning.utf8),
                entry.bytes.first != UInt8(ascii: ".") || !beginning.isEmpty,
                let text = entry.text, text == SafeText.clean(text)
            else { continue }
            // The words beside a song are no song.
            guard !entry.ends(in: ".lrc") else { continue }
            var isFolder = kind == DT_DIR
            if kind == DT_LNK || kind == DT_UNKNOWN {
                var facts = stat()
                let name = folder + "/" + entry
                isFolder = stat(name.cString, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
            }
            found.names.append(Name(text: text, isFolder: isFolder))
        }
        found.names.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        return found
    }

    /// What a folder holds, so many at most, in no order, each with its kind (`DT_DIR`); nothing where it
    /// cannot be read. Blocks for as long as the disk takes.
    static func entries(
        of folder: FileName, atMost limit: Int
    ) -> [(name: FileName, kind: Int)] {
        guard let list = opendir(folder.cString) else { return [] }
        defer { closedir(list) }
        var entries: [(name: FileName, kind: Int)] = []
        while entries.count < limit, let entry = readdir(list) {
            let kind = Int(entry.pointee.d_type)
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { FileName(bytes: $0) }
            if ![".", ".."].contains(name) { entries.append((name, kind)) }
        }
        return entries
    }

    /// The names of what a folder holds that are UTF-8; see `entries`.
    static func texts(in folder: FileName, atMost limit: Int) -> [String] {
        entries(of: folder, atMost: limit).compactMap(\.name.text)
    }
}
