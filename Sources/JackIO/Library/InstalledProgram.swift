import Glibc
import SystemSupport

/// Programs that are installed.
enum InstalledProgram {
    /// Where the program of that name is, by `PATH`; nil: nowhere.
    static func path(of program: String) -> String? {
        let folders = environmentValue("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }
            .first { unsafe access($0, X_OK) == 0 }
    }
}
