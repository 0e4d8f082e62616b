import Glibc
import SystemSupport

/// The songs in a folder and in the folders in it, and what was left out.
///
/// Left out without a word are hidden files, the parts that songs beside them were taken apart into, and
/// folders of takes.
package struct FolderWalk {
    /// So many folders may lie in one another.
    package static let deepest = 8
    /// A folder with a file of this name is a take, and its files are no songs.
    private static let takeMark: FileName = "take.json"

    /// In their order: the songs of a folder by their names, as people sort them, then those of the
    /// folders in it. Numbers count by their values, other bytes by theirs.
    package private(set) var songs: [FileName] = []
    /// Why folders were not read, or a rest was left out.
    package private(set) var refusals: [SongError] = []
    /// The folders that were read: a link to one of them leads nowhere new.
    private var read: Set<FilePlace> = []
    /// How many more names are looked at.
    private var room: Int
    /// How many folders lie too deep.
    private var tooDeep = 0

    /// Reads the folder. Blocks for as long as the disk takes.
    ///
    /// - Parameter mostNames: the most names of files and folders that are looked at.
    /// - Throws: when the folder itself cannot be read, or there is no such file.
    package init(_ folder: FileName, mostNames: Int = 200_000) throws(SongError) {
        room = mostNames
        if let place = FilePlace(of: folder) { read.insert(place) }
        try read(folder, depth: 0)
        if tooDeep > 0 {
            refusals.append(
                .cannotOpen(
                    song: "all of \(Location.file(folder))",
                    .foldersTooDeep(tooDeep, limit: Self.deepest)))
        }
        if room <= 0 {
            refusals.append(
                .cannotOpen(
                    song: "the rest of \(Location.file(folder))", .tooManyNames(mostNames)))
        }
    }

    private mutating func read(_ folder: FileName, depth: Int) throws(SongError) {
        let start = folder.bytes.last == 0x2F ? folder : folder + "/"
        var (files, folders): ([FileName], [FileName]) = ([], [])
        var isTake = false
        do {
            guard let list = unsafe opendir(folder.cString) else {
                throw Location.file(folder).cannotOpen(code: errno)
            }
            defer { unsafe closedir(list) }
            while room > 0, let entry = unsafe readdir(list) {
                room -= 1
                let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                    unsafe FileName(bytes: $0)
                }
                guard name.bytes.first != 0x2E else { continue }
                switch unsafe Self.kind(of: start + name, told: Int(entry.pointee.d_type)) {
                case S_IFREG where AudioFileName.isOne(name): files.append(name)
                case S_IFREG: isTake = isTake || name == Self.takeMark
                case S_IFDIR: folders.append(name)
                default: continue
                }
            }
        }
        if isTake, depth > 0 { return }
        files = FilesBeside.songs(among: files)
        songs += Self.sorted(files).map { start + $0 }
        let own = Set(files.map(FilesBeside.base))
        for name in Self.sorted(folders) where !Self.holdsParts(name, in: start, of: own) {
            guard depth < Self.deepest else {
                tooDeep += 1
                continue
            }
            let inner = start + name
            guard let place = FilePlace(of: inner) else { continue }
            guard read.insert(place).inserted else { continue }
            do throws(SongError) { try read(inner, depth: depth + 1) } catch {
                refusals.append(error)
            }
        }
    }

    private static func sorted(_ names: [FileName]) -> [FileName] {
        names.map { (name: $0, key: $0.sortKey) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.name)
    }

    /// Whether the files in a folder are what one of the songs beside it was taken apart into.
    private static func holdsParts(
        _ name: FileName, in folder: FileName, of songs: Set<String>
    ) -> Bool {
        name == FileName(FilesBeside.separated)
            || songs.contains(name.likeness)
                && FilesBeside.stems(in: folder + name + "/") != nil
    }

    /// The kind of a file, as `S_IFREG`, where `told` is what its folder says of it.
    private static func kind(of name: FileName, told: Int) -> mode_t? {
        switch told {
        case DT_REG: S_IFREG
        case DT_DIR: S_IFDIR
        case DT_LNK, DT_UNKNOWN: name.kind
        default: nil
        }
    }
}
