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
        var found = FolderNames()
        guard let list = opendir(folder.cString) else { return found }
        defer { closedir(list) }
        var count = 0
        while let entry = readdir(list) {
            count += 1
            guard count <= most else {
                found.hasMore = true
                break
            }
            let kind = entry.pointee.d_type
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard bytes.starts(with: beginning.utf8),
                ![".", ".."].contains(where: { bytes.elementsEqual($0.utf8) }),
                bytes.first != UInt8(ascii: ".") || !beginning.isEmpty,
                let text = String(validating: bytes, as: UTF8.self), text == SafeText.clean(text)
            else { continue }
            var isFolder = kind == DT_DIR
            if kind == DT_LNK || kind == DT_UNKNOWN {
                var facts = stat()
                let name = folder + "/" + FileName(text)
                isFolder = stat(name.cString, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
            }
            found.names.append(Name(text: text, isFolder: isFolder))
        }
        found.names.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        return found
    }
}
