import Foundation

/// MPEG audio files of every kind, made by `lame` and `ffmpeg` on first use and kept in `.build`.
public enum MusicFile: String, CaseIterable, Sendable, CustomStringConvertible {
    case constant, variable, average, mono, dual, mpeg2, mpeg2Mono, mpeg25, eightKilohertz,
        layerOne, layerTwo, layerTwoMPEG2, freeFormat, tagged, headerless, low32, low8, ffmpeg,
        junkInside, small

    public var description: String { rawValue }

    /// Where the file is; the first use makes it.
    public var url: URL {
        get throws { try Self.kept(rawValue + ".mp3", make: make) }
    }

    /// Where the kept file `name` is. When it does not exist, `make` writes it to the place that is
    /// passed. All runs of the tests share the file: never change it.
    public static func kept(_ name: String, make: (URL) throws -> Void) throws -> URL {
        try lock.withLock {
            let url = folder.appendingPathComponent(name)
            if !FileManager.default.fileExists(atPath: url.path) {
                let made = folder.appendingPathComponent("\(UUID().uuidString).part")
                try make(made)
                // Another process may have made the file meanwhile, with the same content.
                guard rename(made.path, url.path) == 0 else { throw POSIXError(.EIO) }
            }
            return url
        }
    }

    /// The file's bytes.
    public var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: url)) } }

    /// The file decoded by the `mpg123` program: interleaved stereo floats, gapless.
    public var decodedByMpg123: [Float] {
        get throws { try Self.decodedByMpg123(url) }
    }

    /// A file decoded by the `mpg123` program: interleaved stereo floats, gapless unless `options`
    /// say otherwise.
    public static func decodedByMpg123(_ url: URL, _ options: String...) throws -> [Float] {
        try Tool.run(["mpg123", "-q", "--stereo", "-e", "f32", "-s"] + options + [url.path])
            .withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
    }

    /// The folder in `.build` for files that the tests make and keep.
    public static let folder: URL = {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../.build/music").standardizedFileURL
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }()

    private static let lock = NSRecursiveLock()

    private func make(at url: URL) throws {
        func lame(_ options: String...) throws {
            try Tool.run(["lame", "--quiet"] + options + [try Self.source.path, url.path])
        }
        func ffmpeg(_ options: String...) throws {
            try Tool.run(
                ["ffmpeg", "-v", "error", "-y", "-i", try Self.source.path] + options + [url.path])
        }
        switch self {
        case .constant: try lame("-b", "192", "-m", "j")
        case .variable: try lame("-V", "4")
        case .average: try lame("--abr", "130")
        case .mono: try lame("-b", "64", "-m", "m")
        case .dual: try lame("-b", "160", "-m", "d")
        case .mpeg2: try lame("-b", "64", "--resample", "22.05")
        case .mpeg2Mono: try lame("-b", "32", "-m", "m", "--resample", "22.05")
        case .mpeg25: try lame("-b", "32", "--resample", "11.025")
        case .eightKilohertz: try lame("-b", "16", "--resample", "8")
        case .layerOne: try Data(LayerOne.frames(count: 120, seed: 7)).write(to: url)
        case .layerTwo: try ffmpeg("-c:a", "mp2", "-b:a", "192k", "-f", "mp2")
        case .layerTwoMPEG2:
            try ffmpeg("-ar", "24000", "-c:a", "mp2", "-b:a", "96k", "-f", "mp2")
        case .freeFormat: try lame("--freeformat", "-b", "400")
        case .tagged: try tag(at: url)
        case .headerless: try lame("-t", "-b", "128")
        case .low32: try lame("-b", "32", "--resample", "48")
        case .low8: try lame("-b", "8", "--resample", "24", "-m", "s")
        case .ffmpeg: try ffmpeg("-c:a", "libmp3lame", "-q:a", "6", "-f", "mp3")
        // Less than a second, for tests that damage each of its bytes in turn.
        case .small:
            try ffmpeg("-ss", "3", "-t", "0.55", "-ar", "16000", "-b:a", "24k", "-f", "mp3")
        case .junkInside:
            let whole = try MusicFile.headerless.bytes
            var random = SeededRandom(seed: 3)
            let junk = (0..<700).map { _ in UInt8.random(in: 0...0xFE, using: &random) }
            try Data(whole[..<40_000] + junk + whole[40_000...]).write(to: url)
        }
    }

    /// An MP3 between an ID3v2 tag with a picture of noise, an APE tag and an ID3v1 tag.
    private func tag(at url: URL) throws {
        var random = SeededRandom(seed: 5)
        let body = random.bytes(300_000)
        let size = [21, 14, 7, 0].map { UInt8(body.count >> $0 & 0x7F) }
        let id3v2 = Array("ID3".utf8) + [4, 0, 0] + size + body
        let item = Array("Title\0song".utf8)
        let items = [4, 0, 0, 0, 0, 0, 0, 0] + item
        let footer =
            Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, UInt8(items.count + 32), 0, 0, 0]
            + [1, 0, 0, 0] + [UInt8](repeating: 0, count: 12)
        let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)
        try Data(id3v2 + MusicFile.constant.bytes + items + footer + id3v1).write(to: url)
    }

    /// 7 s of tones, sweeps and noise, 44.1 kHz, 16 bits, stereo, as WAV.
    private static var source: URL {
        get throws { try kept("source.wav") { try sourceBytes.write(to: $0) } }
    }

    private static var sourceBytes: Data {
        let rate = 44100.0
        var random = SeededRandom(seed: 1)
        var samples: [Int16] = []
        for n in 0..<(7 * 44100 + 321) {
            let t = Double(n) / rate
            let noise = Double.random(in: -0.1...0.1, using: &random) * (sin(t * 5) > 0.7 ? 1 : 0)
            let left = 0.3 * sin(2 * .pi * 440 * t) + 0.2 * sin(2 * .pi * (200 + 300 * t) * t)
            let right = 0.3 * sin(2 * .pi * 660 * t) + 0.2 * sin(2 * .pi * 3000 * t) * sin(t * 9)
            samples.append(Int16((left + noise) * 32000))
            samples.append(Int16((right + noise) * 32000))
        }
        let data = samples.withUnsafeBytes { Data($0) }
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
        }
        let header =
            Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8)
            + little(16, 4) + little(1, 2) + little(2, 2) + little(44100, 4) + little(176_400, 4)
            + little(4, 2) + little(16, 2) + Array("data".utf8) + little(data.count, 4)
        return Data(header) + data
    }
}
