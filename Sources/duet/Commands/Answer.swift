import Glibc

/// What a command prints that has nothing else to do.
enum Answer {
    /// Writes `text` to standard output. A reader that is gone, or a full disk, is an error.
    static func write(_ text: String) throws(DuetError) {
        guard Output.standard.write(text) else { throw .outputLost(errno) }
    }
}
