import Foundation

/// The `jack-witness` program at work: a client that shares no code with what is tested.
public final class Witness {
    /// What it heard.
    public struct Recording {
        /// One array a channel.
        public let channels: [[Float]]
        /// A line a period: frame of the run, JACK's frame time, frames, xruns so far.
        public let periods: [(frame: Int, time: UInt32, frames: Int, xruns: Int)]
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let file: URL
    private let channelCount: Int
    private var unread = Data()

    nonisolated(unsafe) private static var count = 0

    /// Its process id.
    public var processID: Int32 { process.processIdentifier }

    /// Starts it, and returns when it is connected. With `--wait` among the arguments it does not
    /// begin before `begin`.
    public init(_ arguments: [String], server: JackServer, record: Int = 0) throws {
        Self.count += 1
        channelCount = record
        file = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-witness-\(getpid())-\(Self.count).f32")
        process.executableURL = URL(fileURLWithPath: Self.path)
        var words = arguments
        if !JackServer.isPipeWire { words += ["--server", server.name] }
        if record > 0 { words += ["--record", "\(record)", "--out", file.path] }
        process.arguments = words
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard try line() == "ready" else {
            process.waitUntilExit()
            throw JackServer.Failure(what: "jack-witness \(words) ended")
        }
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: file)
        try? FileManager.default.removeItem(at: URL(fileURLWithPath: file.path + ".times"))
    }

    /// Lets a run begin that waits for it, and returns when it has.
    public func begin() throws {
        input.fileHandleForWriting.write(Data("\n".utf8))
        while let line = try line(), line != "running" {}
    }

    /// Waits until it has ended, and gives what it recorded.
    public func finish() throws -> Recording {
        var last: String?
        while let line = try line() { last = line }
        process.waitUntilExit()
        guard process.terminationStatus == 0, last?.hasPrefix("done") == true else {
            throw JackServer.Failure(what: "jack-witness ended with \(process.terminationStatus)")
        }
        guard channelCount > 0 else { return Recording(channels: [], periods: []) }
        let data = try Data(contentsOf: file)
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let channels = (0..<channelCount).map { channel in
            stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }
        }
        let times = try String(contentsOfFile: file.path + ".times", encoding: .utf8)
        let periods = times.split(separator: "\n").map { line in
            let n = line.split(separator: " ").map { Int($0)! }
            return (frame: n[0], time: UInt32(n[1]), frames: n[2], xruns: n[3])
        }
        return Recording(channels: channels, periods: periods)
    }

    private func line() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread = unread[(end + 1)...] }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread += more
        }
    }

    /// Built beside the tests.
    private static var path: String {
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests ?? "").deletingLastPathComponent()
            .appendingPathComponent("jack-witness").path
    }
}
