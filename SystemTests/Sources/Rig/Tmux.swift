import Foundation

/// A program on a terminal of tmux, which is one as people use: with a server of its own, and
/// without anybody's configuration.
public final class Tmux {
    private let folder: TemporaryFolder
    private let name = "duet"

    /// Starts `command`, words of a shell, on a terminal of that size. All that it prints is written to
    /// `record`, where that is given.
    public init(
        _ command: String, columns: Int = 100, rows: Int = 30, record: URL? = nil
    ) throws {
        folder = try TemporaryFolder()
        try run(
            [
                "start-server", ";", "set", "-g", "status", "off", ";", "set", "-g",
                "remain-on-exit",
                "on", ";", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command,
            ] + (record.map { [";"] + Self.recording(to: $0) } ?? []))
    }

    deinit { _ = try? run(["kill-server"]) }

    @discardableResult private func run(_ words: [String]) throws -> String {
        let tmux = try ChildProcess(
            "tmux", ["-u", "-L", name, "-f", "/dev/null"] + words,
            environment: ["TMUX_TMPDIR": folder.url.path, "TMUX": nil, "LANG": "C.UTF-8"])
        guard try tmux.waitForExit() == .code(0) else {
            throw ChildProcess.Failure(description: "tmux \(words): \(tmux.errors)")
        }
        return tmux.output
    }

    /// What the terminal shows.
    public func lines() throws -> [String] {
        let lines = try run(["capture-pane", "-p"]).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().map(String.init)
    }

    /// What the terminal shows, with the styles of characters.
    public func picture() throws -> String { try run(["capture-pane", "-p", "-e", "-N"]) }

    /// What tmux knows of the terminal: `#{alternate_on}`.
    public func tell(_ format: String) throws -> String {
        try run(["display-message", "-p", format]).trimmingCharacters(in: .newlines)
    }

    /// Waits until what is shown matches, and returns it.
    @discardableResult public func wait(until matches: ([String]) -> Bool) throws -> [String] {
        var shown: [String] = []
        let isShown = try poll(seconds: 30) {
            shown = try lines()
            return matches(shown)
        }
        guard isShown else {
            throw ChildProcess.Failure(
                description: "it is not shown: \(shown.joined(separator: "\n"))")
        }
        return shown
    }

    /// Waits until a line that is shown has `text` in it.
    public func wait(for text: String) throws {
        do {
            try wait { $0.contains { $0.contains(text) } }
        } catch {
            throw ChildProcess.Failure(description: "“\(text)”: \(error)")
        }
    }

    /// Waits until the program has ended. What tmux writes below its last picture does not tell it: a program
    /// that is killed while it draws may leave a terminal that shows nothing more.
    public func waitForEnd() throws { try wait { _ in (try? tell("#{pane_dead}")) == "1" } }

    public func type(_ text: String) throws { try run(["send-keys", "-l", "--", text]) }

    /// Sends bytes as the terminal itself does: at once, and as they are.
    public func send(_ bytes: [UInt8]) throws {
        try run(["send-keys", "-H"] + bytes.map { String($0, radix: 16) })
    }

    /// Presses a key by its name in tmux, as `C-z`.
    public func press(_ name: String) throws { try run(["send-keys", name]) }

    /// Pastes `text`, marked as pasted where the program has asked for that.
    public func paste(_ text: String) throws {
        try run(["set-buffer", text, ";", "paste-buffer", "-p"])
    }

    public func resize(columns: Int, rows: Int) throws {
        try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Writes all that the program prints from now on to `file`.
    public func record(to file: URL) throws { try run(Self.recording(to: file)) }

    private static func recording(to file: URL) -> [String] {
        ["pipe-pane", "-O", "cat >> \(file.path)"]
    }
}
