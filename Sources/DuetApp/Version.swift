import CLink

/// The release, and the commit that the program was built from.
enum Version {
    /// The latest release, or the next one. The scripts read this line.
    static let release = "0.4.0"

    /// What `duet --version` prints.
    static var text: String {
        guard let build = Build(buildID()) else { return "duet \(release) (unknown commit)" }
        return "duet \(build.version) (commit \(build.commit))"
    }

    /// What the build scripts put into the program's build ID (`scripts/lib/version.sh`): the 20 bytes
    /// of the commit, then the version as text.
    struct Build: Equatable {
        var commit: String
        var version: String

        /// Nil for a build ID that the linker has made, which has at most 20 bytes, and for one that nobody
        /// has filled in.
        init?(_ bytes: [UInt8]) {
            guard bytes.count > 20, bytes.contains(where: { $0 != 0 }) else { return nil }
            commit = bytes.prefix(20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            version = String(decoding: bytes.dropFirst(20).prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The build ID of the running program, empty where it has none (ELF, note NT_GNU_BUILD_ID).
    private static func buildID() -> [UInt8] {
        let header = clink_header()!
        let start = UnsafeRawPointer(header)
        let segments = UnsafeBufferPointer(
            start: (start + Int(header.pointee.e_phoff)).assumingMemoryBound(to: Elf64_Phdr.self),
            count: Int(header.pointee.e_phnum))
        // The first segment that is loaded (PT_LOAD) begins with the header.
        guard let first = segments.first(where: { $0.p_type == 1 }) else { return [] }
        for segment in segments where segment.p_type == 4 {  // PT_NOTE
            let notes = UnsafeRawBufferPointer(
                start: start + Int(segment.p_vaddr) - Int(first.p_vaddr),
                count: Int(segment.p_memsz))
            if let bytes = note(3, in: notes) { return bytes }
        }
        return []
    }

    /// The contents of the first note of `type` by the name "GNU" in a segment of notes: each has three
    /// sizes and types of 4 bytes, a name and contents, both padded to 4 bytes.
    private static func note(_ type: UInt32, in segment: UnsafeRawBufferPointer) -> [UInt8]? {
        var place = 0
        while place + 12 <= segment.count {
            let field = { segment.loadUnaligned(fromByteOffset: place + $0, as: UInt32.self) }
            let contents = place + 12 + (Int(field(0)) + 3) / 4 * 4
            let end = contents + Int(field(4))
            guard end <= segment.count else { return nil }
            if field(8) == type, segment[(place + 12)...].starts(with: "GNU\0".utf8) {
                return Array(segment[contents..<end])
            }
            place = contents + (Int(field(4)) + 3) / 4 * 4
        }
        return nil
    }
}
