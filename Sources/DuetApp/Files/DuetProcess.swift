import AudioMedia

/// Whether another process of duet still runs: what it wrote is its own until then.
enum DuetProcess {
    /// Whether the process with that number is a duet that has not ended. One that has ended, and whose
    /// parent has not asked how, has given up all that it had: it does not count.
    static func isRunning(_ process: Int32) -> Bool {
        // The line begins "NUMBER (NAME) STATE": proc(5). A name may have brackets of its own.
        guard process > 0,
            let line = try? WholeFile.bytes(of: FileName("/proc/\(process)/stat"), atMost: 4096),
            let begin = line.firstIndex(of: UInt8(ascii: "(")),
            let end = line.lastIndex(of: UInt8(ascii: ")")), begin < end, end + 2 < line.count
        else { return false }
        let isOver = line[end + 2] == UInt8(ascii: "Z") || line[end + 2] == UInt8(ascii: "X")
        return !isOver && line[(begin + 1)..<end].starts(with: "duet".utf8)
    }
}
