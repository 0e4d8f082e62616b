import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Every fault at every moment, against a song; live streams have `StationMatrixTests`. Prints the
/// result of each cell, so that none can be left out unnoticed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FaultMatrixTests {
    private let folder: TemporaryFolder
    private let files: FaultFiles

    init() throws {
        folder = try TemporaryFolder()
        files = try FaultFiles(in: folder)
    }

    @Test func songs() throws {
        var table = FaultTable(kind: "song")
        for cell in FaultCell.songs(files) { table.add(cell, try result(of: cell)) }
        FileHandle.standardError.write(Data("\(table)\n".utf8))
        #expect(table.cells == 3 * Fault.allCases.count)
    }

    /// The result of one cell.
    private func result(of cell: FaultCell) throws -> FaultTable.Result {
        if case .none(let reason) = cell.outcome { return .init(reason: reason) }
        var limits = NetworkLimits.short
        limits.readAhead = cell.readAhead ?? limits.readAhead
        let server = try FaultServer(cell.script)
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        let heard = stage.renderAll()
        stage.song.stop()
        let expected = try undisturbed(cell.file)
        var result = FaultTable.Result(heard: heard, expected: expected, log: stage.log.all)
        switch cell.outcome {
        case .none: break
        case .whole(let reason):
            result.check(heard.count == expected.count, "not as long")
            result.check(firstDifference(heard, expected) == nil, "other samples")
            // Checks the reference itself: it is as long as its parts, but for frames at their
            // seams.
            let frames = try cell.parts.map { try undisturbed($0).count / 2 }.reduce(0, +)
            result.check(
                abs(expected.count / 2 - frames) < 4 * 1152, "\(frames) frames in its parts")
            result.check(stage.song.error == nil, "\(stage.song.error?.description ?? "")")
            result.check(
                reason.map { reason in result.reasons.contains { $0.contains(reason) } }
                    ?? result.reasons.isEmpty, "said \(result.reasons)")
        case .lost(let code, let reason):
            var come = try undisturbed(Array(cell.file[..<cell.cut]))
            // The song must sound like a file that ends where the bytes ended, with its last 256
            // frames faded.
            let fade = min(256, come.count / 2)
            for n in 0..<fade {
                come[come.count - 2 * fade + 2 * n] *= Float(fade - 1 - n) / Float(fade)
                come[come.count - 2 * fade + 2 * n + 1] *= Float(fade - 1 - n) / Float(fade)
            }
            let difference = firstDifference(heard, come).map { $0 / 2 }
            result.check(
                difference == nil,
                "other from frame \(difference ?? 0) of \(heard.count / 2) on, "
                    + "\(come.count / 2) had come")
            result.check(stage.song.error?.hadBegun == (code == 74), "\(stage.song.error as Any)")
            result.check(
                stage.song.error?.description.contains(reason) ?? false,
                "said \(stage.song.error?.description ?? "nothing")")
        }
        return result
    }

    /// The samples that are heard when `bytes` are played from a file.
    private func undisturbed(_ bytes: [UInt8]) throws -> [Float] {
        let file = folder.url.appendingPathComponent("undisturbed.mp3")
        try Data(bytes).write(to: file)
        let stage = try SongStage(file.path, rate: 44_100)
        stage.song.start()
        return stage.renderAll()
    }
}
