import Foundation

/// The `jack-witness` program at work: a client that shares no code with what is tested.
public final class Witness {
    /// What it heard.
    public struct Recording {
        /// One array a channel.
        public let channels: [[Float]]
        /// A line a period: frame of the run, JACK's frame time, frames, xruns so far, the
        /// transport's frame, nil when it stands still.
        public let periods: [(frame: Int, time: UInt32, frames: Int, xruns: Int, transport: Int?)]

        /// The first period, from `frame` on, that others were lost before, by JACK's frame times:
        /// the frame of the run that it begins at. PipeWire loses periods where the processor is
        /// taken, and counts no xrun.
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

    /// Its process id.
    public var processID: Int32 { program.processID }

    /// Starts it, and returns when it is connected. With `--wait` among the arguments it does not
    /// begin before `begin`.
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

    /// Lets a run begin that waits for it, and returns when it has.
    public func begin() throws {
        program.write("\n")
        guard program.line(after: "running") != nil else {
            throw JackServer.Failure(what: "jack-witness ended with \(program.waitForEnd())")
        }
    }

    /// Waits until it has ended, and gives what it recorded.
    ///
    /// - Parameters:
    ///   - isLost: whether it ends with its server.
    ///   - isPatient: whether the server may be slow to let it go, which is not waited for.
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
