import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Every fault on a live stream, at every moment: the stream is heard again, and nothing clicks.
@Suite(.serialized) struct StationMatrixTests {
    /// A tone as an MP3 of 192 kbit/s, and at another sample rate.
    private static let tones: (tone: [UInt8], other: [UInt8]) = {
        let folder = try! TemporaryFolder()
        func bytes(_ name: String, _ rate: Int) -> [UInt8] {
            let file = try! folder.song(name, seconds: 8, rate: rate, frequency: 300)
            // Leaves out the file's header: a station sends none.
            return [UInt8](try! Data(contentsOf: file)).suffix(170_000)
        }
        return (bytes("a.mp3", 44_100), bytes("b.mp3", 48_000))
    }()

    @Test func stations() throws {
        var (tried, passed, lines) = (0, 0, [String]())
        for cell in StationCell.all(tone: Self.tones.tone, other: Self.tones.other) {
            let name = "\(cell.fault.rawValue) × live × \(cell.moment.rawValue)"
            if case .none(let reason) = cell.outcome {
                lines.append("\(name) → does not apply: \(reason)")
                continue
            }
            tried += 1
            let (faults, words) = try result(of: cell)
            passed += faults.isEmpty ? 1 : 0
            lines.append(
                "\(name) → \(words)" + (faults.isEmpty ? "" : ", WRONG: \(faults)"))
            #expect(faults.isEmpty, "\(name)")
        }
        print(lines.joined(separator: "\n"))
        print("live: \(lines.count) cells, \(tried) tried, \(passed) passed")
    }

    private func result(of cell: StationCell) throws -> (faults: [String], words: String) {
        var limits = NetworkLimits.short
        limits.readAhead = cell.readAhead ?? limits.readAhead
        // A script that sends everything must not look like a stall, however slow this machine is.
        if cell.fault != .stall { limits.stall = 20 }
        let server = try FaultServer(cell.script)
        let stage = try SongStage(server.address("live"), rate: 44_100, limits: limits)
        stage.renderer.patience = 8000
        stage.song.start()
        defer { stage.song.stop() }
        var faults: [String] = []
        func check(_ isRight: Bool, _ fault: String) { if !isRight { faults.append(fault) } }
        if case .refused(let reason) = cell.outcome {
            let error = stage.log.failure()
            check(error?.hadBegun == false, "\(error as Any)")
            check(error?.description.contains(reason) ?? false, "said \(error as Any)")
            return (faults, "refused")
        }
        let played = stage.render(Int(cell.seconds * 44_100))
        let left = channel(0, of: played)
        let peak = Samples.peak(left)
        check(peak > 0.05 && peak < 0.2, "peak \(peak)")
        // The samples are no steeper than the tone itself and its fades.
        let own = Float(2 * Double.pi * 300 / 44_100) * peak
        let steepest = Samples.largestStep(left)
        // Where two tones follow each other there is a step anyway, and in a frame after noise,
        // which needs bytes that are missing.
        check(
            [.newFormat, .garbage].contains(cell.fault) || steepest <= own * 1.1 + peak / 200,
            "a step of \(steepest), the tone’s own is \(own)")
        // Every block of 10 ms sounds, except at the seams.
        let blocks = stride(from: 0, to: left.count - 441, by: 441).map {
            Samples.peak(left[$0..<($0 + 441)])
        }
        let silent = blocks.filter { $0 < peak / 4 }.count
        check(silent <= 30, "\(silent * 10) ms of silence")
        let reasons = stage.log.all.compactMap {
            if case .reconnecting(_, let fault, _) = $0 { fault.description } else { nil }
        }
        if case .heard(let saying) = cell.outcome {
            check(
                saying.map { saying in reasons.contains { saying.isEmpty || $0.contains(saying) } }
                    ?? reasons.isEmpty, "said \(reasons)")
        }
        check(stage.song.info?.station?.name == "Station", "not live")
        check(stage.song.error == nil, "\(stage.song.error?.description ?? "")")
        check(!stage.log.all.contains { if case .ended = $0 { true } else { false } }, "ended")
        return (faults, "heard, \(reasons.count) reconnections")
    }
}
