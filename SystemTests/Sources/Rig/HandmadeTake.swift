import Foundation

/// A take whose song is on the left and whose voice is on the right, and whose samples count its frames.
public struct HandmadeTake {
    public let folder: URL
    public static let rate = 48_000

    /// - Parameters:
    ///   - seconds: how long song and voice are.
    ///   - facts: members of `take.json` beside those that every take has, as JSON.
    public init(in folder: URL, seconds: Int, values: String = "", facts: String = "") throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let frames = seconds * Self.rate
        let counts = (0..<frames).map { Float($0 + 1) * Self.step }
        try Self.write(counts.flatMap { [$0, 0] }, channels: 2, to: file("song.wav"))
        try Self.write(counts, channels: 1, to: file("voice.wav"))
        try Data(
            """
            {"format": "duet take", "version": 1, "complete": true, "rate": \(Self.rate),
             "period": 128, "frames": \(frames), "lead": 0, "beside": "mic",
             "songs": [{"bus": 0, "address": "/music/tune.flac", "title": "A – Tune", "frame": 0,
                        "place": 0}],
             "values": {"/song/pan": "left", "/mic/pan": "right", "/out/limiter/bypass": "on"\(values)}
             \(facts)}

            """.utf8
        ).write(to: file("take.json"))
    }

    public func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// What a frame is more than the one before.
    private static let step = Float(0x1p-23)

    /// The frames of the take that samples are, which were multiplied by `gain`; nil within fades and in
    /// silence.
    public static func frames(_ samples: [Float], gain: Double) -> [Int?] {
        let numbers = samples.map { Int((Double($0) / gain / Double(step)).rounded()) - 1 }
        return numbers.indices.map { index in
            let isSteady = [index - 40, index + 40].allSatisfy {
                numbers.indices.contains($0) && numbers[$0] - numbers[index] == $0 - index
            }
            return isSteady && samples[index] != 0 ? numbers[index] : nil
        }
    }

    /// By how much the longest stretch of a recording without fades was multiplied.
    public static func gain(_ samples: [Float]) -> Double {
        let way = 24_000
        let slopes = stride(from: 0, to: samples.count - way, by: 1000).map {
            Double(samples[$0 + way] - samples[$0]) / Double(way) / Double(step)
        }
        let middle = slopes.filter { $0 > 0 }.sorted()
        return middle.isEmpty ? 0 : middle[middle.count / 2]
    }

    private static func write(_ samples: [Float], channels: Int, to file: URL) throws {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let size = 4 * samples.count
        let format =
            bytes(UInt16(3)) + bytes(UInt16(channels)) + bytes(UInt32(rate))
            + bytes(UInt32(4 * channels * rate)) + bytes(UInt16(4 * channels)) + bytes(UInt16(32))
        let head =
            Array("RIFF".utf8) + bytes(UInt32(36 + size)) + Array("WAVEfmt ".utf8)
            + bytes(UInt32(16)) + format + Array("data".utf8) + bytes(UInt32(size))
        try (Data(head) + samples.withUnsafeBytes { Data($0) }).write(to: file)
    }
}
