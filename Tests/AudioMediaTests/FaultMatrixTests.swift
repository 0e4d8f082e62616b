import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Every fault at every moment, against a song; live streams have `StationMatrixTests`. One cell by
/// itself: `DUET_CELL='stall × during' scripts/test --filter FaultMatrixTests`.
@Suite(
    .serialized, .timeLimit(.minutes(1)),
    .ownProcess("a stall is a time limit, which a busy process would exceed"))
struct FaultMatrixTests {
    private static let cells = try! FaultCell.songs(FaultFiles(in: TemporaryFolder()))

    @Test func onlyTheseCannotHappen() {
        #expect(Self.cells.count == 3 * Fault.allCases.count)
        #expect(
            Self.cells.filter { !$0.applies }.map(\.description) == [
                "ICY, odd boundaries × before", "ICY, odd boundaries × during",
                "ICY, odd boundaries × end", "closed while paused × before",
            ])
    }

    @Test(arguments: try picked(cells.filter(\.applies))) func song(cell: FaultCell) throws {
        var limits = NetworkLimits.short
        limits.readAhead = cell.readAhead ?? limits.readAhead
        let server = try FaultServer(cell.script)
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        let heard = stage.renderAll()
        stage.song.stop()
        let error = stage.song.error
        switch cell.outcome {
        case .none: break
        case .whole(let reason):
            let expected = try Self.undisturbed(cell.file)
            expect(heard, equals: expected)
            // Checks the reference itself: it is as long as its parts, except for frames at their seams.
            let frames = try cell.parts.map { try Self.undisturbed($0).count / 2 }.reduce(0, +)
            #expect(abs(expected.count / 2 - frames) < 4 * 1152)
            #expect(error == nil)
            let reasons = stage.log.reconnections
            if let reason {
                #expect(reasons.contains { $0.contains(reason) }, "said \(reasons)")
            } else {
                #expect(reasons.isEmpty)
            }
        case .lost(let code, let reason):
            var come = try Self.undisturbed(Array(cell.file[..<cell.cut]))
            // The song must sound like a file that ends where the bytes ended, with its last 256
            // frames faded.
            let fade = min(256, come.count / 2)
            for n in 0..<fade {
                come[come.count - 2 * fade + 2 * n] *= Float(fade - 1 - n) / Float(fade)
                come[come.count - 2 * fade + 2 * n + 1] *= Float(fade - 1 - n) / Float(fade)
            }
            expect(heard, equals: come)
            #expect(error?.hadBegun == (code == 74), "\(error as Any)")
            #expect(error?.description.contains(reason) == true, "\(error as Any)")
        }
    }

    private func expect(
        _ heard: [Float], equals expected: [Float], _ place: SourceLocation = #_sourceLocation
    ) {
        let difference = firstDifference(heard, expected).map { $0 / 2 }
        #expect(
            difference == nil,
            """
            other from frame \(difference ?? 0) on; \(heard.count / 2) frames were heard, \
            \(expected.count / 2) expected
            """, sourceLocation: place)
    }

    /// The samples that are heard when `bytes` are played from a file. Most cells have the same song.
    private static func undisturbed(_ bytes: [UInt8]) throws -> [Float] {
        try played.withLock { played in
            if let samples = played[bytes] { return samples }
            let folder = try TemporaryFolder()
            let file = folder.url.appendingPathComponent("undisturbed.mp3")
            try Data(bytes).write(to: file)
            let stage = try SongStage(file.path, rate: 44_100)
            stage.song.start()
            let samples = stage.renderAll()
            stage.song.stop()
            played[bytes] = samples
            return samples
        }
    }

    private static let played = Guarded<[[UInt8]: [Float]]>([:])
}
