import Glibc

/// Finds files by names that somebody else has written, maybe on another system: first the very name, and
/// where there is no such file, one whose name differs in capital letters or in how Unicode writes its
/// accents (NFC or NFD), in the folders that the name leads through. A folder is read only where the very
/// name is not there, and once.
///
/// Blocks for as long as the disk does; for one thread.
final class NameSearch {
    /// Most names that are read and kept, of all folders together.
    private static let mostNames = 200_000
    /// Most folders that are read.
    private static let mostFolders = 1000

    /// The names in the folders that were read, by what they are compared by.
    private var folders: [FileName: [String: [FileName]]] = [:]
    private var room = mostNames

    /// The file that `path` leads to from `folder`, which is empty or ends in a slash; nil: there is none.
    func file(_ path: FileName, in folder: FileName) -> FileName? {
        let exact = path.isAbsolute ? path : folder + path
        if exact.isThere { return exact }
        var place: FileName = path.isAbsolute ? "/" : folder
        let parts = path.bytes.split(separator: 0x2F).map { FileName(bytes: $0) }
        for (number, part) in parts.enumerated() where part != "." {
            let next = place + part
            guard let found = next.isThere ? next : other(part, in: place).map({ place + $0 })
            else { return nil }
            if number == parts.count - 1 { return found }
            place = found + "/"
            // What is in an archive is looked for there.
            if found.ends(in: AudioFileName.archive), found.kind == S_IFREG {
                let rest = parts[(number + 1)...].map(\.bytes).joined(separator: [0x2F])
                return place + FileName(bytes: rest)
            }
        }
        return place
    }

    /// The name in `folder` that differs from `name` as little as may be.
    private func other(_ name: FileName, in folder: FileName) -> FileName? {
        let found = names(in: folder)[name.likeness] ?? []
        let text = name.comparable
        return found.min {
            (text != $0.comparable ? 1 : 0, $0.comparable) < (
                text != $1.comparable ? 1 : 0, $1.comparable
            )
        }
    }

    private func names(in folder: FileName) -> [String: [FileName]] {
        if let names = folders[folder] { return names }
        guard folders.count < Self.mostFolders, room > 0 else { return [:] }
        var names: [String: [FileName]] = [:]
        for name in folder.names(limit: room) ?? [] {
            names[name.likeness, default: []].append(name)
            room -= 1
        }
        folders[folder] = names
        return names
    }
}

extension FileName {
    /// A name to be compared: texts are equal, whichever form of Unicode they have.
    package var comparable: String {
        text ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The same for names that may differ in capital letters.
    package var likeness: String { comparable.lowercased() }

    /// The names in the folder that this is, in no order; an empty one is the present folder. Nil where it
    /// cannot be read.
    ///
    /// - Parameters:
    ///   - limit: most names that are looked at.
    ///   - isWanted: whether a name is told.
    package func names(
        limit: Int, where isWanted: (FileName) -> Bool = { _ in true }
    ) -> [FileName]? {
        guard let list = unsafe opendir((bytes.isEmpty ? "." : self).cString) else { return nil }
        defer { unsafe closedir(list) }
        var names: [FileName] = []
        var count = 0
        while count < limit, let entry = unsafe readdir(list) {
            count += 1
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe FileName(bytes: $0)
            }
            if isWanted(name) { names.append(name) }
        }
        return names
    }

    /// Bytes in whose order names are sorted: a number is `0`, the count of its digits without leading
    /// zeros, and these digits. Names that differ in leading zeros alone come in the order of their
    /// bytes.
    var sortKey: [UInt8] {
        var key: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            guard (0x30...0x39).contains(byte) else {
                key.append(byte)
                rest = rest.dropFirst()
                continue
            }
            let number = rest.prefix { (0x30...0x39).contains($0) }
            let digits = number.drop { $0 == 0x30 }
            // A name has 255 bytes at most.
            key += [0x30, UInt8(min(digits.count, 255))] + digits
            rest = rest.dropFirst(number.count)
        }
        return key + [0] + bytes
    }
}
