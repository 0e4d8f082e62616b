import AudioMedia
import Foundation
import JackIO
import TestSupport
import Testing

@testable import DuetApp

/// The file of measured round trips.
@Suite struct RoundTripStoreTests {
    private let folder: TemporaryFolder
    private let store: RoundTripStore
    private let path = LoopPath(
        outputs: ["system:playback_2", "system:playback_1"], microphone: "USB #2 = é:capture 1\n%",
        sampleRate: 48_000, period: 128, driver: "alsa_pcm:hw:PCH")

    init() throws {
        folder = try TemporaryFolder()
        store = RoundTripStore(folder: FileName(folder.url.path + "/state/duet"))
    }

    private var file: URL { folder.url.appendingPathComponent("state/duet/round-trips") }

    private func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private func reported(_ capture: Int, _ playback: Int, rate: Int = 48_000) -> JackLatency {
        JackLatency(
            capture: LatencyRange(minimum: 0, maximum: capture),
            playback: LatencyRange(minimum: 0, maximum: playback),
            graph: LatencyRange(minimum: 30, maximum: 30), sampleRate: rate)
    }

    private func measured(_ path: LoopPath, frames: Int, reported: Int) -> MeasuredRoundTrip {
        MeasuredRoundTrip(path: path, frames: frames, reported: self.reported(0, reported))
    }

    private func path(_ period: Int, output: String = "o") -> LoopPath {
        LoopPath(
            outputs: [output], microphone: "m", sampleRate: 48_000, period: period, driver: "d")
    }

    private func roundTrip(
        _ path: LoopPath?, _ latency: JackLatency, store: RoundTripStore? = nil
    ) -> RoundTrip {
        RoundTripStore.roundTrip(
            of: path, reported: latency, period: 128, in: store ?? self.store)
    }

    @Test func theMeasuredWinsWhileJACKReportsTheSame() throws {
        let latency = reported(128, 256)
        #expect(roundTrip(path, latency) == RoundTrip(frames: 384, source: .reported))
        #expect(store.save(measured(path, frames: 412, reported: 384)) == nil)
        #expect(roundTrip(path, latency) == RoundTrip(frames: 412, source: .measured))
        // The driver's options have changed.
        #expect(roundTrip(path, reported(150, 256)) == RoundTrip(frames: 406, source: .reported))
        // Not connected, or another period, rate, driver or port.
        #expect(roundTrip(nil, latency).source == .reported)
        for other in [
            LoopPath(
                outputs: path.outputs, microphone: path.microphone, sampleRate: 48_000, period: 64,
                driver: path.driver),
            LoopPath(
                outputs: path.outputs, microphone: path.microphone, sampleRate: 44_100, period: 128,
                driver: path.driver),
            LoopPath(
                outputs: path.outputs, microphone: path.microphone, sampleRate: 48_000, period: 128,
                driver: "PipeWire"),
            LoopPath(
                outputs: ["system:playback_1"], microphone: path.microphone, sampleRate: 48_000,
                period: 128, driver: path.driver),
            LoopPath(
                outputs: path.outputs, microphone: "USB", sampleRate: 48_000, period: 128,
                driver: path.driver),
        ] { #expect(roundTrip(other, latency).source == .reported) }
        #expect(
            try text() == """
                # round trips measured by 'duet doctor --measure'; takes use them
                frames=412 reported=384 out=system:playback_1 out=system:playback_2 \
                mic=USB%20%232%20%3D%20%C3%A9:capture%201%0A%25 rate=48000 period=128 \
                driver=alsa_pcm:hw:PCH

                """)
        let facts = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: store.folder.description) == ["round-trips"])
    }

    @Test func whatNobodyKnowsIsUnknown() {
        #expect(roundTrip(nil, reported(0, 0)) == .unknown)
        #expect(roundTrip(path, reported(0, 127)) == .unknown)
        // Any client may claim this; a take would begin with a day of silence.
        #expect(roundTrip(path, reported(4_294_967_295, 4_294_967_295)) == .unknown)
        #expect(roundTrip(path, reported(0, 480_000)).frames == 480_000)
        #expect(roundTrip(path, reported(0, 480_001)) == .unknown)
        #expect(roundTrip(path, reported(0, 480_001, rate: 0)) == .unknown)
    }

    @Test func theNewestAreKept() {
        for period in 1...RoundTripStore.most + 5 {
            #expect(store.save(measured(path(period), frames: period, reported: 9)) == nil)
        }
        #expect(store.save(measured(path(10), frames: 7, reported: 9)) == nil)
        let kept = store.read().measured
        #expect(kept.count == RoundTripStore.most)
        #expect(kept.map(\.path.period) == Array(6..<10) + Array(11...205) + [10])
        #expect(kept.last?.frames == 7)
        // The names of ports may be so long that fewer have room in a file that is read.
        let long = String(repeating: "é", count: 1000)
        for period in 300..<400 {
            #expect(
                store.save(measured(path(period, output: long), frames: 1, reported: 9)) == nil)
        }
        #expect(store.read().problem == nil)
        #expect(store.read().measured.last?.path.period == 399)
    }

    @Test(arguments: [
        "frames=1", "frames=1 reported=2 out=o mic=m rate=48000 period=128",
        "frames=99999999999999999999 reported=2 out=o mic=m rate=48000 period=128 driver=d",
        "frames=-1 reported=2 out=o mic=m rate=48000 period=128 driver=d",
        "frames=1 reported=2 out=o mic=m rate=0 period=128 driver=d",
        "frames=1 reported=2 out=o mic=m rate=48000 period=10000001 driver=d",
        "frames=1 reported=2 mic=m rate=48000 period=128 driver=d",
        "frames=1 reported=2 out=%FF mic=m rate=48000 period=128 driver=d",
        "frames=1 reported=2 out=%00 mic=m rate=48000 period=128 driver=d",
        "/song/key=2", "?", "\u{1B}[2J", "= = =",
    ]) func aWrongLineIsLeftOut(line: String) throws {
        #expect(store.save(measured(path, frames: 412, reported: 384)) == nil)
        try Data((try text() + line + "\n").utf8).write(to: file)
        #expect(store.read().measured.map(\.frames) == [412])
        #expect(store.read().problem?.contains("line 3 is ignored") == true)
        // Measuring goes on.
        #expect(store.save(measured(path(64), frames: 1, reported: 9)) == nil)
        #expect(store.read().measured.map(\.frames) == [412, 1])
        #expect(store.read().problem == nil)
    }

    @Test func aFileCutOffAnywhereGivesNoWrongRoundTrip() throws {
        #expect(store.save(measured(path(64), frames: 123, reported: 384)) == nil)
        #expect(store.save(measured(path(128), frames: 412, reported: 384)) == nil)
        let whole = try Data(contentsOf: file)
        for count in 0..<whole.count - 1 {
            try whole[..<count].write(to: file)
            #expect(roundTrip(path(128), reported(128, 256)).source == .reported)
        }
        try Data([0xFF, 0xFE, 10] + [UInt8](repeating: 0x80, count: 300_000)).write(to: file)
        #expect(store.read().measured.isEmpty)
        #expect(store.read().problem != nil)
        #expect(roundTrip(path, reported(128, 256)).source == .reported)
    }

    @Test func aPlaceThatCannotBeWrittenIsNamed() throws {
        try folder.write("state", "")
        let problem = store.save(measured(path, frames: 412, reported: 384))
        #expect(problem?.hasPrefix("cannot write ") == true)
        #expect(problem?.hasSuffix("state/duet/round-trips: Not a directory") == true)
        #expect(roundTrip(path, reported(128, 256)).source == .reported)
    }

    @Test func onlyASingleLengthIsKept() {
        func loop(_ found: LatencyRange?, path: LoopPath?) -> MeasuredRoundTrip? {
            MeasuredRoundTrip(
                LoopMeasurement(
                    outputs: ["o"], microphone: "m", refused: [], isPhysical: true,
                    reported: reported(128, 256), period: 128, path: path, roundTrip: found))
        }
        #expect(loop(nil, path: path) == nil)
        #expect(loop(LatencyRange(minimum: 1, maximum: 2), path: path) == nil)
        #expect(loop(LatencyRange(minimum: 2, maximum: 2), path: nil) == nil)
        #expect(
            loop(LatencyRange(minimum: 412, maximum: 412), path: path)
                == measured(path, frames: 412, reported: 384))
    }
}
