import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs of a queue that have effects of their own.
@Suite struct OwnEffectsTests {
    private let folder: TemporaryFolder
    private static let rate = 48_000

    init() throws { folder = try TemporaryFolder() }

    /// A queue of three songs with a tone of 440 Hz, each 2 s long, which tells of its songs.
    private func stage(_ count: Int = 3) throws -> SongStage {
        let tone = (0..<(2 * Self.rate)).map { frame in
            0.5 * Float(sin(2 * .pi * 440 * Double(frame) / Double(Self.rate)))
        }
        let songs = try (0..<count).map { number in
            let path = folder.url.appendingPathComponent("\(number).wav").path
            let writer = try SoundFileWriter(path: path, sampleRate: Self.rate, format: .float)
            try writer.write([tone, tone])
            try writer.close()
            return path
        }
        return try SongStage(songs, rate: Self.rate, isExact: true, tellsOfSongs: true)
    }

    private func effects(key: Double) throws -> SongEffects {
        SongEffects(tuning: try #require(SongTuning(key: key)))
    }

    /// Waits for the song of that number, and sets its effects.
    private func set(_ effects: SongEffects, ofSong number: Int, in stage: SongStage) throws {
        let found = stage.log.wait { if case .found(_, number, _) = $0 { true } else { false } }
        #expect(
            found
                == .found(
                    .file(
                        path: folder.url.appendingPathComponent("\(number - 1).wav").path),
                    number: number, entry: number - 1))
        stage.song.setEffects(effects, ofSong: number)
    }

    /// How high the tone is in `frames`, in Hz.
    private func frequency(_ frames: [Float], from start: Double, to end: Double) -> Double {
        let (first, last) = (Int(start * Double(Self.rate)), Int(end * Double(Self.rate)))
        let crossings = (first + 1..<last).count { frames[2 * $0 - 2] < 0 && frames[2 * $0] >= 0 }
        return Double(crossings) / (end - start)
    }

    /// Everything that songs with these effects sound like, one after the other.
    private func sound(of all: [SongEffects], in stage: SongStage) throws -> [Float] {
        stage.song.start()
        try set(all[0], ofSong: 1, in: stage)
        var frames = stage.render(512)
        for (index, effects) in all.enumerated().dropFirst() {
            // The next song is told of as soon as all bytes of the one before it are there.
            try set(effects, ofSong: index + 1, in: stage)
            while stage.song.place.song < index { frames += stage.render(512) }
        }
        while stage.source.state != .ended { frames += stage.render(512) }
        let extra = Int(stage.source.position)
        let last = stage.log.all.compactMap { event -> Int64? in
            if case .ended(let frames) = event { frames } else { nil }
        }
        #expect(last.allSatisfy { $0 == 2 * Int64(Self.rate) } && extra == 2 * Self.rate)
        return frames
    }

    /// Each song sounds as if it were alone, from its first frame to its last, whatever those beside it
    /// have.
    @Test func eachSongSoundsAsIfItWereAlone() throws {
        var vocals = SongEffects()
        vocals.vocals.amount = 60
        let all = try [effects(key: 12), SongEffects(), vocals, effects(key: -12), vocals]
        let alone = try all.dropLast().map { effects in
            try sound(of: [effects], in: self.stage(1)).prefix(4 * Self.rate)
        }
        let expected = Array((alone + [alone[2]]).joined())
        let stage = try stage(all.count)
        let heard = try sound(of: all, in: stage)
        #expect(firstDifference(heard.prefix(expected.count), expected) == nil)
        #expect(Samples.peak(heard.dropFirst(expected.count)) == 0)
        for (index, pitch) in [(0, 880.0), (1, 440), (3, 220)] {
            let start = Double(2 * index)
            #expect(abs(frequency(heard, from: start + 0.02, to: start + 1.98) - pitch) < 3)
        }
        let told =
            stage.log.all.compactMap { event in
                if case .effects(let effects, let frame) = event { (effects, frame) } else { nil }
            } as [(SongEffects, Int64)]
        #expect(told.last?.0 == vocals && told.allSatisfy { $0.1 == 0 })
        let opened = stage.log.all.compactMap { event -> Int? in
            if case .opened(let song) = event { song.number } else { nil }
        }
        #expect(opened == [1, 2, 3, 4, 5])
    }

    /// Before a song follows another without a gap, it is told at which frame of the graph; at a tempo of its
    /// own the song before ends there too, as near as a stretch is exact.
    @Test(arguments: [100.0, 200]) func aSongThatComesIsToldWithItsFrame(tempo: Double) throws {
        let stage = try stage(2)
        stage.song.start()
        let tuning = try #require(SongTuning(tempo: tempo))
        try set(SongEffects(tuning: tuning), ofSong: 1, in: stage)
        var frames = stage.render(512)
        try set(SongEffects(), ofSong: 2, in: stage)
        while stage.song.place.song < 1 { frames += stage.render(512) }
        // The last that was told: at a tempo it becomes exact when the boundary is in the ring.
        let comes = stage.log.all.last { if case .comes = $0 { true } else { false } }
        guard case .comes(2, let frame)? = comes else {
            Issue.record("told: \(stage.log.all)")
            return
        }
        let first = try #require(frames.firstIndex { $0 != 0 }) / 2 - 1
        let expected = max(0, first) + Int(Double(2 * Self.rate) * 100 / tempo)
        #expect(abs(frame - expected) <= (tempo == 100 ? 1 : 512), "\(frame), \(expected)")
        let kinds = stage.log.all.compactMap { event -> String? in
            switch event {
            case .comes: "comes"
            case .comesNot: "comesNot"
            case .opened: "opened"
            default: nil
            }
        }
        #expect(kinds.first == "opened" && kinds.last == "opened")
        #expect(kinds.dropFirst().dropLast().allSatisfy { $0 == "comes" })
    }

    /// In pause the song that was to follow does not come, and is told again when the song goes on.
    @Test func aPauseBeforeTheNextSongIsTold() throws {
        let stage = try stage(2)
        stage.song.start()
        try set(SongEffects(), ofSong: 1, in: stage)
        _ = stage.render(512)
        try set(SongEffects(), ofSong: 2, in: stage)
        // Near the end, where the thread goes on by itself until the ring is full.
        _ = stage.render(2 * Self.rate - 512 - 6000)
        let comes = stage.log.wait { if case .comes = $0 { true } else { false } }
        #expect(comes != nil && stage.song.place.song == 0)
        stage.song.pause()
        #expect(stage.log.wait { $0 == .comesNot } != nil)
        stage.song.resume()
        while stage.song.place.song < 1 { _ = stage.render(512) }
        let told = stage.log.all.count { if case .comes = $0 { true } else { false } }
        #expect(told >= 2 && stage.log.all.count { $0 == .comesNot } == 1)
    }

    /// A song whose effects nobody sets begins a moment later with those of all songs.
    @Test func aSongThatNobodyAnswersBegins() throws {
        let stage = try stage(1)
        stage.song.effects = try effects(key: 12)
        stage.song.start()
        #expect(abs(frequency(stage.renderAll(), from: 0.1, to: 1.8) - 880) < 3)
    }

    /// What is set for all songs takes the place of what a song that is heard has for itself.
    @Test func whatIsSetForAllIsHeardAtOnce() throws {
        let stage = try stage(1)
        stage.song.start()
        try set(effects(key: 12), ofSong: 1, in: stage)
        var frames = stage.render(24_000)
        stage.song.effects = try effects(key: -12)
        while stage.source.state != .ended { frames += stage.render(512) }
        #expect(abs(frequency(frames, from: 0.1, to: 0.4) - 880) < 6)
        #expect(abs(frequency(frames, from: 1.1, to: 1.9) - 220) < 6)
    }

    /// While a song is held, nothing is told of the next: not that it is lost, either.
    @Test func whatIsLostBehindASongIsToldAfterItsBeginning() throws {
        _ = try stage(1)
        let path = folder.url.appendingPathComponent("0.wav").path
        let stage = try SongStage(
            [path, "/nowhere.mp3"], rate: Self.rate, isExact: true, tellsOfSongs: true)
        stage.song.start()
        _ = stage.render(4096)
        _ = stage.log.failure()
        let events = stage.log.all
        let opened = events.firstIndex { if case .opened = $0 { true } else { false } }
        let failed = events.firstIndex { if case .failed = $0 { true } else { false } }
        #expect(try #require(opened) < #require(failed))
    }

    /// Numbers that no song has, or has any more, change nothing.
    @Test func aSongThatIsNotThereHasNoEffects() throws {
        let stage = try stage(1)
        stage.song.start()
        try set(SongEffects(), ofSong: 1, in: stage)
        for number in [-1, 0, 2] {
            stage.song.setEffects(try effects(key: 12), ofSong: number)
        }
        #expect(abs(frequency(stage.renderAll(), from: 0.1, to: 1.8) - 440) < 3)
    }
}
