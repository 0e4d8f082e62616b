import Glibc
import SystemSupport

/// The program `duet-ffmpeg`, which decodes what only FFmpeg reads in a process of its own.
enum HelperProgram {
    static let name = "duet-ffmpeg"

    /// Where it is installed for this program; nil where it is not.
    static func find() -> FileName? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        let program = FileName(bytes: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) })
        return find(for: program, path: environmentValue("PATH") ?? "")
    }

    /// Where it is installed for `program`: below the same prefix, beside it, or in a folder of `path`.
    static func find(for program: FileName, path: String) -> FileName? {
        let beside = program.folder
        let folders = path.split(separator: ":").map { FileName("\($0)/") }
        return ([beside + "../libexec/duet/", beside] + folders)
            .filter(\.isAbsolute).map { $0 + FileName(name) }.first(where: isProgram)
    }

    private static func isProgram(_ path: FileName) -> Bool {
        var facts = stat()
        return unsafe stat(path.cString, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            && access(path.cString, X_OK) == 0
    }
}
