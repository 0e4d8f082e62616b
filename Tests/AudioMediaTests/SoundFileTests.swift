import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct SoundFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Noise that passes full scale, the ends of the scale, and the middle between two steps.
    private func samples() -> [[Float]] {
        var random = SeededRandom(seed: 9)
        let noise = (0..<20_000).map { _ in Float.random(in: -1.2...1.2, using: &random) }
        let edges: [Float] = [0, -1, 1, 1 - 0x1p-24, 0.5 / 32768, 1.5 / 32768, -0.5 / 32768, .nan]
        return [edges + noise, noise + edges]
    }

    @Test(arguments: SampleFormat.allCases, ["wav", "flac"])
    func roundTrip(format: SampleFormat, ending: String) throws {
        guard format != .float || ending != "flac" else { return }
        let name = path("a-\(format.rawValue).\(ending)")
        let samples = samples()
        let writer = try SoundFileWriter(path: name, sampleRate: 44_100, format: format)
        try writer.write(samples)
        try writer.write(samples)
        #expect(writer.frameCount == Int64(2 * samples[0].count))
        try writer.close()
        let reader = try SoundFileReader(path: name)
        #expect(reader.fileRate == 44_100)
        #expect(reader.duration == Double(writer.frameCount) / 44_100)
        let read = try reader.read(frames: samples[0].count, channelCount: 2)
        let full: Float = format == .int16 ? 32768 : 8_388_608
        for (channel, expected) in zip(read, samples) {
            #expect(channel.count == expected.count)
            let wrong = zip(channel, expected).first { got, wanted in
                switch format {
                case .float: got != wanted && !wanted.isNaN
                default:
                    got
                        != min(
                            max(
                                (Double(wanted.isNaN ? 0 : wanted) * Double(full)).rounded(
                                    .toNearestOrEven
                                ).asFloat, -full), full - 1) / full
                }
            }
            #expect(wrong == nil)
        }
        // The other reader of the world agrees about length and rate.
        let told = String(decoding: try Tool.run(["soxi", "-s", name]), as: UTF8.self)
        #expect(Int(told.trimmingCharacters(in: .whitespacesAndNewlines)) == 2 * read[0].count)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func errors() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func code(_ body: () throws(SoundFileError) -> Void) -> Int32? {
            do throws(SoundFileError) { try body() } catch { return error.exitCode }
            return nil
        }
        #expect(
            code { () throws(SoundFileError) in
                _ = try SoundFileWriter(path: "/nowhere/a.wav", sampleRate: 48_000)
            } == 73)
        #expect(
            code { () throws(SoundFileError) in
                _ = try SoundFileWriter(path: path("a.mp4"), sampleRate: 48_000)
            } == 64)
        #expect(
            code { () throws(SoundFileError) in
                _ = try SoundFileWriter(path: path("a.flac"), sampleRate: 48_000, format: .float)
            } == 64)
        #expect(
            code { () throws(SoundFileError) in
                _ = try SoundFileReader(path: path("none.wav"))
            } == 66)
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: path("text.wav")))
        #expect(
            code { () throws(SoundFileError) in
                _ = try SoundFileReader(path: path("text.wav"))
            } == 66)
    }

    @Test(.enabled(if: getuid() == 0, "takes the right to mount"))
    func aFullDiskIsToldWhileWriting() throws {
        try Tool.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder.path])
        defer {
            _ = try? Tool.run(["umount", folder.path])
            try? FileManager.default.removeItem(at: folder)
        }
        let writer = try SoundFileWriter(path: path("full.wav"), sampleRate: 48_000)
        let block = [[Float]](repeating: [Float](repeating: 0.5, count: 10_000), count: 2)
        do throws(SoundFileError) {
            for _ in 0..<10 { try writer.write(block) }
            Issue.record("600 kB went into 256 kB")
        } catch {
            #expect(error.exitCode == 74)
            #expect(error.description.contains("No space left"), "\(error)")
        }
        try writer.close()
    }

    /// Also where only the last block does not fit, which libFLAC writes at the end.
    @Test(
        .enabled(if: getuid() == 0, "takes the right to mount"),
        arguments: [SampleFormat.int16, .int24], [false, true])
    func aFLACOnAFullDiskIsReadUpToWhereItStopped(format: SampleFormat, isLate: Bool) throws {
        try Tool.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder.path])
        defer {
            _ = try? Tool.run(["umount", folder.path])
            try? FileManager.default.removeItem(at: folder)
        }
        var random = SeededRandom(seed: 4)
        // Noise is not packed: 4 or 6 bytes a frame, blocks of 4096.
        let block = (0..<2).map { _ in
            (0..<4096).map { _ in Float.random(in: -1..<1, using: &random) }
        }
        let name = path("full.flac")
        let writer = try SoundFileWriter(path: name, sampleRate: 48_000, format: format)
        let bytesPerBlock = 4096 * (format == .int16 ? 4 : 6)
        var failure: SoundFileError?
        do throws(SoundFileError) {
            for _ in 0..<(isLate ? 262_144 / bytesPerBlock + 1 : 100) { try writer.write(block) }
            #expect(isLate)
        } catch { failure = error }
        do throws(SoundFileError) {
            try writer.close()
            Issue.record("it went into 256 kB")
        } catch { failure = failure ?? error }
        let error = try #require(failure)
        #expect(error.exitCode == 74 && error.description.contains("No space left"), "\(error)")
        let blocks = 262_144 / bytesPerBlock
        #expect((blocks - 1...blocks).contains(Int(writer.frameCount) / 4096))
        #expect(writer.frameCount % 4096 == 0)
        let read = try SoundFileReader(path: name).read(frames: 1 << 20, channelCount: 2)
        #expect(read[0].count == Int(writer.frameCount))
        let step: Float = format == .int16 ? 0x1p-15 : 0x1p-23
        for (side, given) in zip(read, block) {
            #expect(
                side.indices.allSatisfy { abs(side[$0] - given[$0 % 4096]) <= step }, "\(format)")
        }
        // The other reader of the world finds no fault, and as much.
        let told = String(decoding: try Tool.run(["soxi", "-s", name]), as: UTF8.self)
        #expect(Int(told.trimmingCharacters(in: .whitespacesAndNewlines)) == read[0].count)
        try Tool.run(["sox", name, "-n"])
    }

    @Test(arguments: [1, 2]) func feedsASource(channels: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = path("song.wav")
        let samples = Array(samples().map { $0.map { $0.isNaN ? 0 : $0 } }.prefix(channels))
        let writer = try SoundFileWriter(
            path: name, sampleRate: 48_000, channelCount: channels, format: .float)
        for _ in 0..<4 { try writer.write(samples) }
        try writer.close()
        let stage = try SongStage("-", rate: 48_000)
        let feeder = SoundFileFeeder(path: name, source: stage.source)
        try feeder.start()
        let all = stage.renderAll()
        #expect(all.count == 8 * samples[0].count)
        let left = stride(from: 0, to: all.count, by: 2).map { all[$0] }
        let right = stride(from: 1, to: all.count, by: 2).map { all[$0] }
        let same = left == samples[0] + samples[0] + samples[0] + samples[0]
        #expect(same)
        let last = samples[channels - 1]
        let sameRight = right == last + last + last + last
        #expect(sameRight)
    }
}

extension Double {
    fileprivate var asFloat: Float { Float(self) }

    @Test func libraryWordsFitIntoASentence() throws {
        let url = MusicFile.folder.appendingPathComponent("no-sound-\(UUID().uuidString)")
        try Data("no sound".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        do throws(SoundFileError) {
            _ = try SoundFileReader(path: url.path)
            Issue.record("it was read")
        } catch {
            #expect(error.description.contains("cannot read \(url.path): "))
            #expect(error.description.contains("; check"))
            #expect(!error.description.contains(".;"), "\(error)")
        }
    }
}
