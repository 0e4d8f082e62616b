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
        let decoder = try SoundFile.open(name)
        #expect(decoder.length == writer.frameCount)
        var none: Float = 0
        #expect(try decoder.read(into: &none, capacity: 0) == .newFormat)
        #expect(decoder.sampleRate == 44_100)
        let read = try SoundFile.read(name, limit: samples[0].count)
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
        // SoX, another reader, agrees about the length.
        let told = String(decoding: try Tool.run(["soxi", "-s", name]), as: UTF8.self)
        #expect(Int(told.trimmingCharacters(in: .whitespacesAndNewlines)) == 2 * read[0].count)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func errors() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: SoundFileError.self) {
            _ = try SoundFileWriter(path: "/nowhere/a.wav", sampleRate: 48_000)
        }
        #expect(throws: SoundFileError.unknownFormat(path: path("a.mp4"))) {
            _ = try SoundFileWriter(path: path("a.mp4"), sampleRate: 48_000)
        }
        #expect(throws: SoundFileError.self) {
            _ = try SoundFileWriter(path: path("a.flac"), sampleRate: 48_000, format: .float)
        }
        let missing = SongFault.notOpened(code: ENOENT, meant: nil)
        #expect(
            throws: DecoderError.input(.cannotOpen(song: path("none.wav"), missing))
        ) {
            _ = try SoundFileDecoder(path: path("none.wav"))
        }
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: path("text.wav")))
        #expect(throws: DecoderError.notSoundFile(reason: "Format not recognised")) {
            _ = try SoundFileDecoder(path: path("text.wav"))
        }
    }

    /// The error is the reader's own, and a seek asks the reader again.
    @Test(arguments: ["wav", "flac"]) func aReaderThatFails(ending: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = path("song.\(ending)")
        let writer = try SoundFileWriter(path: name, sampleRate: 44_100, format: .int16)
        for _ in 0..<4 { try writer.write(samples()) }
        try writer.close()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: name)))
        let whole = try SoundFile.read(name)
        let wanted = DecoderError.input(BytesReader.failure)
        for place in [0, 20] {
            #expect(throws: wanted, "at \(place)") {
                let reader = BytesReader(bytes, brokenFrom: place)
                _ =
                    ending == "wav"
                    ? try SoundFileDecoder(reader) as any Decoder : try FLACDecoder(reader)
            }
        }
        let reader = BytesReader(bytes)
        let decoder = try SoundFile.open(reader)
        var block = [Float](repeating: 0, count: 2 * 1000)
        var left: [Float] = []
        reader.brokenFrom = bytes.count / 2
        #expect(throws: wanted) {
            var decoded = Decoded.newFormat
            while decoded != .ended {
                decoded = try decoder.read(into: &block, capacity: 1000)
                if case .frames(let count) = decoded { left += (0..<count).map { block[2 * $0] } }
            }
        }
        #expect(left.count > whole[0].count / 4 && left.count < whole[0].count * 3 / 4)
        #expect(firstDifference(left[...], whole[0].prefix(left.count)) == nil)
        #expect(throws: wanted) { try decoder.read(into: &block, capacity: 1000) }
        reader.brokenFrom = nil
        try decoder.seek(to: 70_000, estimating: false)
        #expect(try decoder.read(into: &block, capacity: 1000) == .frames(1000))
        left = (0..<1000).map { block[2 * $0] }
        #expect(firstDifference(left, whole[0][70_000..<71_000]) == nil)
    }

    /// libsndfile wants to know the length, and to read in any order.
    @Test func aReaderThatIsNotSeekable() {
        #expect(throws: DecoderError.library("it cannot be read in any order")) {
            _ = try SoundFileDecoder(BytesReader([1, 2, 3], isSeekable: false))
        }
    }

    /// A pipe that nobody writes into is not waited for.
    @Test func whatIsNoFileIsRefused() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: SongError.cannotOpen(song: folder.path, .directory)) {
            _ = try FileReader(FileName(folder.path))
        }
        try Tool.run(["mkfifo", path("pipe")])
        let fault = SongFault.notOpened(code: ESPIPE, meant: nil)
        #expect(throws: SongError.cannotOpen(song: path("pipe"), fault)) {
            _ = try FileReader(FileName(path("pipe")))
        }
    }

    @Test(
        .ownProcess("mounts a disk of its own"),
        .enabled(if: getuid() == 0, "takes the right to mount"))
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
            if case .writeFailed = error {} else { Issue.record("\(error)") }
            #expect(error.description.contains("No space left"), "\(error)")
        }
        try writer.close()
    }

    /// Also when only the last block does not fit, which libFLAC writes when the file is closed.
    @Test(
        .ownProcess("mounts a disk of its own"),
        .enabled(if: getuid() == 0, "takes the right to mount"),
        arguments: [SampleFormat.int16, .int24], [false, true])
    func aFLACOnAFullDiskIsReadUpToWhereItStopped(format: SampleFormat, isLate: Bool) throws {
        try Tool.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder.path])
        defer {
            _ = try? Tool.run(["umount", folder.path])
            try? FileManager.default.removeItem(at: folder)
        }
        var random = SeededRandom(seed: 4)
        // Noise cannot be compressed: 4 or 6 bytes a frame, blocks of 4096.
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
        #expect(error.description.contains("No space left"), "\(error)")
        let blocks = 262_144 / bytesPerBlock
        #expect((blocks - 1...blocks).contains(Int(writer.frameCount) / 4096))
        #expect(writer.frameCount % 4096 == 0)
        let read = try SoundFile.read(name)
        #expect(read[0].count == Int(writer.frameCount))
        let step: Float = format == .int16 ? 0x1p-15 : 0x1p-23
        for (side, given) in zip(read, block) {
            #expect(
                side.indices.allSatisfy { abs(side[$0] - given[$0 % 4096]) <= step }, "\(format)")
        }
        // SoX, another reader, finds no fault, and the same length.
        let told = String(decoding: try Tool.run(["soxi", "-s", name]), as: UTF8.self)
        #expect(Int(told.trimmingCharacters(in: .whitespacesAndNewlines)) == read[0].count)
        try Tool.run(["sox", name, "-n"])
    }

    @Test(arguments: [1, 2], [0, 12_345]) func isPlayed(channels: Int, from start: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = path("song.wav")
        let sides = samples().map { $0.map { $0.isNaN ? 0 : $0 } }
        let samples = Array(sides.prefix(channels))
        let writer = try SoundFileWriter(
            path: name, sampleRate: 48_000, channelCount: channels, format: .float)
        for _ in 0..<4 { try writer.write(samples) }
        try writer.close()
        let stage = try SongStage(name, rate: 48_000)
        stage.song.start(at: Double(start) / 48_000)
        let all = stage.renderAll(from: Double(start) / 48_000)
        let left = channel(0, of: all)
        let right = channel(1, of: all)
        // After a start in the middle the first milliseconds are faded in.
        let fade = start > 0 ? 480 : 0
        for (got, channel) in [(left, 0), (right, min(1, channels - 1))] {
            let side = samples[channel]
            let whole = (side + side + side + side).dropFirst(start + fade)
            #expect(firstDifference(got.dropFirst(fade), whole) == nil)
        }
    }
}

extension Double {
    fileprivate var asFloat: Float { Float(self) }
}
