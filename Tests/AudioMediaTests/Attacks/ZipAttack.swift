@testable import AudioMedia

/// Any bytes as a ZIP archive.
///
/// The rules: its files are bounded in number, nothing is unpacked beyond the size that it states and the
/// limit, and what is wrong is an error of ours.
enum ZipAttack {
    private static let limit = 1 << 20

    static func run(_ input: [UInt8]) throws {
        do throws(ArchiveFault) {
            let archive = try ZipArchive(BytesReader(input))
            if archive.entries.count > ZipArchive.mostFiles { throw .tooManyFiles(limit: 0) }
            for song in archive.songs.prefix(4) {
                _ = try unpack(song.sound, of: archive)
                _ = try song.picture.map { (entry) throws(ArchiveFault) in
                    try unpack(entry, of: archive)
                }
            }
            for entry in archive.entries.prefix(8) { _ = try unpack(entry, of: archive) }
        } catch {
            try BrokenRule.check(error != .tooManyFiles(limit: 0), "too many files")
            try BrokenRule.check(error != .noRoom(code: 0), "more than it states")
        }
    }

    private static func unpack(
        _ entry: ZipArchive.Entry, of archive: ZipArchive
    ) throws(ArchiveFault) -> Int {
        var count = 0
        try archive.unpack(entry, atMost: limit) { (part) throws(ArchiveFault) in
            count += part.count
            if count > min(limit, entry.size) { throw .noRoom(code: 0) }
        }
        return count
    }
}
