import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioGraph

/// Files of measured directions that cannot be used.
@Suite struct HRTFTests {
    /// The standard file with other bytes in two places: at 6503 the kind of its positions, at 477,084
    /// the positions, compressed. libmysofa would look for neighbours of the far one for ever.
    @Test(arguments: [
        (
            "far", 477_084,
            "eNrt1jENACEABMFThIUPZtBB8ZqpSbBw7SSjYKtNVgAAKhEBAHAUAICjAAAcBQDAs0UAAGp/cgAAOiP5AAA68wKd"
                + "Ufi4", "1000000.0 m"
        ),
        (
            "not a number", 477_084,
            "eNrt1jENACAQBMFzhhtsvGtCiYijnGQUbLXJDgBAJSIAAI4CAHAUAICjAABwFADAv6M4"
                + "AACdmywAgM48Haf4vA==", "nan m"
        ),
        (
            "near", 477_084,
            "eNrt0DERgDAABLAXgR/GOkEErNVTTzXRGRG/5i4KkjwBAKh8EgCA2iUBAKgtCQBAbUgAAGpbAgBQe5MDANCZyQ0AUPoB"
                + "onf65w==", "0.0"
        ),
        ("degrees as metres", 6503, "Y2FydGVzaWFu", " m away"),
    ])
    func aFileWithAnOddPositionIsRefused(name: String, at: Int, bytes: String, said: String) throws
    {
        let folder = try TemporaryFolder()
        var file = try Data(
            contentsOf: URL(fileURLWithPath: BinauralPannerNode.standardFile))
        let new = try #require(Data(base64Encoded: bytes))
        try #require(file.count == 1_173_158)
        file.replaceSubrange(at..<at + new.count, with: new)
        let changed = folder.url.appendingPathComponent("changed.sofa")
        try file.write(to: changed)
        let panner = BinauralPannerNode(file: changed.path)
        let stage = try UnitStage(panner)
        #expect(panner.waitUntilRead(milliseconds: 20_000))
        guard case .odd(changed.path, let reason)? = panner.fault else {
            Issue.record("\(name): \(String(describing: panner.fault))")
            return
        }
        #expect(reason.hasPrefix("a position is ") && reason.contains(said), "\(name): \(reason)")
        _ = stage
    }

    @Test func onlyPositionsThatATreeTakesAreTaken() {
        func oddity(_ positions: [Float]) -> String? {
            positions.withUnsafeBufferPointer { HRTF.oddity(ofPositions: $0) }
        }
        // All in one line, each farther than the one before.
        let line = (0..<3000).flatMap { i in [Float](repeating: 0.1 + Float(i) * 1e-3, count: 3) }
        #expect(oddity(line) == "its positions lie in too long a row")
        #expect(oddity(Array(line.prefix(3 * 2000))) == nil)
        for odd: Float in [0, 0.04, 20.1, 1e30, .infinity, .nan] {
            #expect(oddity([0, 0, 1, 0, odd, 0]) != nil, "\(odd)")
        }
        for right: Float in [0.06, -0.06, 1, -20] {
            #expect(oddity([0, 0, 1, 0, right, 0]) == nil, "\(right)")
        }
    }

    /// Until it is changed, and for the same rate; what cannot be read does not take its place. Panners
    /// that ask at once have it read once.
    @Test(.ownProcess("other tests read other files meanwhile"))
    func theFileThatWasReadLastIsKept() throws {
        let folder = try TemporaryFolder()
        let copy = folder.url.appendingPathComponent("copy.sofa").path
        let file = URL(fileURLWithPath: BinauralPannerNode.standardFile).resolvingSymlinksInPath()
        try FileManager.default.copyItem(atPath: file.path, toPath: copy)
        let first = try HRTFMemory.read(copy, sampleRate: 48_000)
        #expect(throws: HRTFError.self) {
            try HRTFMemory.read(folder.url.path, sampleRate: 48_000)
        }
        #expect(try HRTFMemory.read(copy, sampleRate: 48_000) === first)
        let other = try HRTFMemory.read(copy, sampleRate: 44_100)
        #expect(other !== first && other.latency != first.latency)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: copy)
        let found = Guarded<[HRTF]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            guard let hrtf = try? HRTFMemory.read(copy, sampleRate: 44_100) else { return }
            found.withLock { $0.append(hrtf) }
        }
        let both = found.withLock { $0 }
        try #require(both.count == 2)
        #expect(both[0] === both[1] && both[0] !== other)
    }

    /// The file has 727,040 samples at 44.1 kHz.
    @Test func whatWouldBeTooLongAtTheGraphsRateIsNotResampled() {
        #expect {
            _ = try HRTF(path: BinauralPannerNode.standardFile, sampleRate: 4_500_000)
        } throws: { error in
            guard case HRTFError.odd(_, let reason) = error else { return false }
            return reason == "its responses are too long at 4500000 Hz"
        }
    }
}
