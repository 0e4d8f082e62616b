import Foundation

/// A running program, usually one of this package's own.
public final class Program {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()
    /// The lines of its standard output that were read so far.
    public private(set) var lines: [String] = []

    /// The program's process id.
    public var processID: Int32 { process.processIdentifier }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - path: a path, or the name of one of this package's programs.
    ///   - environment: added to the tests' own; an empty value removes the variable.
    public init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        // Tests run on threads that block all signals, which child processes would inherit.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["--default-signal", path.hasPrefix("/") ? path : Self.path(of: path)] + arguments
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value.isEmpty ? nil : value }
        process.environment = variables
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(SIGKILL) }
        process.waitUntilExit()
    }

    /// Waits for the next line of the program's standard output; nil at the end.
    public func nextLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: 10) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread = unread[(end + 1)...]
                lines.append(line)
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread += more
        }
    }

    /// Reads lines up to the first that begins with `prefix`, and returns the rest of that line;
    /// nil when no such line comes.
    public func line(after prefix: String) -> String? {
        while let line = nextLine() {
            if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
        }
        return nil
    }

    /// Writes to the program's standard input.
    public func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Closes the program's standard input.
    public func endInput() { try? input.fileHandleForWriting.close() }

    /// Sends a signal to the program.
    public func kill(_ signal: Int32) { Glibc.kill(process.processIdentifier, signal) }

    /// Waits for the program's end, and returns its exit code.
    public func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The path of a program of this package, which lies beside the tests.
    public static func path(of name: String) -> String {
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests ?? "").deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
}
