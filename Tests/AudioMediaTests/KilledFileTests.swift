import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// What is left of a sound file whose writer is killed: the bytes that it has at that moment.
@Suite struct KilledFileTests {
    private static func bytes(of samples: [[Float]]) -> Data {
        interleavedAll(samples).withUnsafeBytes { Data($0) }
    }

    private static func interleavedAll(_ samples: [[Float]]) -> [Float] {
        samples[0].indices.flatMap { frame in samples.map { $0[frame] } }
    }

    @Test(arguments: 1...2) func everyWriteIsThereAfterAKill(channels: Int) throws {
        let folder = try TemporaryFolder()
        let name = folder.url.appendingPathComponent("take.wav").path
        let writer = try SoundFileWriter(
            path: name, sampleRate: 48_000, channelCount: channels, format: .float,
            survivesKill: true)
        let left = folder.url.appendingPathComponent("left.wav").path
        var all = [[Float]](repeating: [], count: channels)
        var (before, headLength) = (Data(), 0)
        for (number, count) in [0, 1, 128, 48_000, 7, 10_000].enumerated() {
            let part = (0..<channels).map {
                Signal.noise(count, seed: UInt64(10 * number + $0), amplitude: 2)
            }
            if count > 0 { try writer.write(part) }
            for channel in 0..<channels { all[channel] += part[channel] }
            let now = try Data(contentsOf: URL(fileURLWithPath: name))
            try now.write(to: URL(fileURLWithPath: left))
            try Self.expect(left, all)
            if number == 0 { headLength = now.count }
            #expect(now.count == headLength + 4 * channels * all[0].count)
            // Killed between the frames and the head, or within the frames: what was there before is
            // there.
            for end in [now.count, (before.count + now.count) / 2] where number > 0 {
                let head = before[..<headLength]
                try (head + now[headLength..<end]).write(to: URL(fileURLWithPath: left))
                let read = try SoundFileDecoder(path: left)
                #expect(read.length ?? 0 >= Int64(all[0].count - count))
            }
            before = now
        }
        try writer.close()
        // In the end it is the file that it would have been without that.
        let plain = try SoundFileWriter(
            path: left, sampleRate: 48_000, channelCount: channels, format: .float)
        try plain.write(all)
        try plain.close()
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: name))
                == Data(contentsOf: URL(fileURLWithPath: left)))
    }

    /// Other programs read those frames, and all of them.
    private static func expect(_ path: String, _ all: [[Float]]) throws {
        let count = all[0].count
        let decoder = try SoundFileDecoder(path: path)
        #expect(decoder.length ?? 0 == Int64(count))
        let told = String(decoding: try Tool.run(["soxi", "-s", path]), as: UTF8.self)
        #expect(Int(told.trimmingCharacters(in: .whitespacesAndNewlines)) == count)
        guard count > 0 else { return }
        // SoX computes with integers, so its samples are not those of the file.
        let soxed = try Tool.run(["sox", path, "-t", "raw", "-e", "float", "-b", "32", "-"])
        #expect(soxed.count == 4 * all.count * count, "sox, \(count) frames")
        #expect(try SoundFile.read(path) == [all[0], all[all.count - 1]])
        let decoded = try Tool.run(
            ["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-"])
        #expect(decoded == bytes(of: all), "ffmpeg, \(count) frames")
    }
}
