import Foundation

/// A running `jack-witness`: a JACK client that shares no code with the programs under test.
public final class Witness {
    /// The samples and periods that a witness recorded.
    public struct Recording {
        /// The recorded samples, one array per channel.
        public let channels: [[Float]]
        /// One entry per period: its first frame in the run, JACK's frame time, its length in
        /// frames, xruns so far, and the transport's frame, nil while the transport stands still.
        public let periods: [(frame: Int, time: UInt32, frames: Int, xruns: Int, transport: Int?)]

        /// The frame of the run, at or after `frame`, before which periods were lost by JACK's
        /// frame times; nil when none were. PipeWire loses periods when the processor is busy, and
        /// counts no xrun for them.
        public func firstGap(from frame: Int = 0) -> Int? {
            let periods = periods.drop { $0.frame < frame }
            return zip(periods, periods.dropFirst()).first { period, next in
                next.time != period.time &+ UInt32(period.frames)
            }?.1.frame
        }

        public init(
            channels: [[Float]],
            periods: [(frame: Int, time: UInt32, frames: Int, xruns: Int, transport: Int?)]
        ) {
            self.channels = channels
            self.periods = periods
        }
    }

    private let program: Program
    private let file: String
    private let channelCount: Int

    nonisolated(unsafe) private static var count = 0

    /// The witness's process id.
    public var processID: Int32 { program.processID }

    /// Starts a witness, and returns when it is connected. With `--wait` among the arguments its
    /// run does not begin before `begin()`.
    public init(_ arguments: [String], server: JackServer, record: Int = 0) throws {
        Self.count += 1
        channelCount = record
        file =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-witness-\(getpid())-\(Self.count).f32").path
        var words = arguments
        if !JackServer.isPipeWire { words += ["--server", server.name] }
        if record > 0 { words += ["--record", "\(record)", "--out", file] }
        program = try Program("jack-witness", words)
        guard program.line(after: "ready") != nil else {
            throw JackServer.Failure(
                what: "jack-witness \(words) ended with \(program.waitForEnd())")
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: file)
        try? FileManager.default.removeItem(atPath: file + ".times")
    }

    /// Begins the run of a witness that was started with `--wait`, and returns when it has begun.
    public func begin() throws {
        program.write("\n")
        guard program.line(after: "running") != nil else {
            throw JackServer.Failure(what: "jack-witness ended with \(program.waitForEnd())")
        }
    }

    /// Ends a witness that waits for its run, as a cable does: one that was just killed would hold
    /// up its server.
    public func end() throws {
        try begin()
        _ = try finish()
    }

    /// Ends the run with the present period, and returns the recording so far. The server must live.
    public func stop() throws -> Recording {
        program.kill(SIGTERM)
        return try finish()
    }

    /// Waits until the witness has ended, and returns its recording.
    ///
    /// - Parameters:
    ///   - isLost: whether the witness is expected to lose its server, and to end with code 69.
    ///   - isPatient: whether to return when the recording is complete, even if the server is slow
    ///     to let the witness go.
    public func finish(isLost: Bool = false, isPatient: Bool = false) throws -> Recording {
        let isDone = program.line(after: "done") != nil
        let code = isDone && isPatient ? 0 : program.waitForEnd()
        guard isDone != isLost, code == (isLost ? 69 : 0) else {
            throw JackServer.Failure(what: "jack-witness ended with \(code)")
        }
        guard channelCount > 0 else { return Recording(channels: [], periods: []) }
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let channels = (0..<channelCount).map { channel in
            stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }
        }
        let times = try String(contentsOfFile: file + ".times", encoding: .utf8)
        let periods = times.split(separator: "\n").map { line in
            let n = line.split(separator: " ").map { Int($0)! }
            return (
                frame: n[0], time: UInt32(n[1]), frames: n[2], xruns: n[3],
                transport: n[5] == 1 ? n[4] : nil
            )
        }
        return Recording(channels: channels, periods: periods)
    }
}
