import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// A song's bytes in memory.
final class MemoryReader: ByteReader {
    private let bytes: [UInt8]
    let isSeekable: Bool
    var size: Int64? { isSeekable ? Int64(bytes.count) : nil }
    /// Bytes from here on do not come: the read that wants them fails.
    var end = Int64.max
    /// The bytes that were read, each time they were.
    private(set) var count = 0

    init(_ bytes: [UInt8], isSeekable: Bool = true) {
        self.bytes = bytes
        self.isSeekable = isSeekable
    }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int {
        guard offset + Int64(buffer.count) <= end else {
            throw .brokeOff(song: "song", .notRead(code: EIO))
        }
        let part = bytes[min(bytes.count, Int(offset))...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        count += part.count
        return part.count
    }
}

extension HelperDecoder {
    convenience init(_ bytes: [UInt8], isSeekable: Bool = true) throws {
        try self.init(
            MemoryReader(bytes, isSeekable: isSeekable), program: FileName(HelperBuild.program))
    }

    /// The frames up to the end, or `limit` of them, interleaved.
    func decode(_ limit: Int = .max) throws -> [Float] {
        var (all, block) = ([Float](), [Float](repeating: 0, count: 2 * 1000))
        while all.count / 2 < limit {
            let decoded = try read(into: &block, capacity: min(1000, limit - all.count / 2))
            if case .frames(let count) = decoded { all += block[..<(2 * count)] }
            if decoded == .ended { break }
        }
        return all
    }
}

/// Songs of one and the same sound, which the program ffmpeg encodes.
struct HelperSong: CustomTestStringConvertible, Sendable {
    let testDescription: String
    private let options: [String]

    private init(_ name: String, _ options: String) {
        testDescription = name
        self.options = options.split(separator: " ").map { String($0) }
    }

    // The encoder's noise substitution is off: the decoder's noise depends on where it began.
    static let m4a = HelperSong("M4A", "-c:a aac -aac_pns 0 -b:a 256k -f ipod")
    /// The table of its packets comes first, so that it can be played while it comes.
    static let streamedM4A = HelperSong(
        "M4A, streamed", "-c:a aac -aac_pns 0 -b:a 256k -movflags +faststart -f ipod")
    static let aac = HelperSong("AAC", "-c:a aac -aac_pns 0 -b:a 256k -f adts")
    static let alac = HelperSong("ALAC", "-c:a alac -f ipod")
    static let wavPack = HelperSong("WavPack", "-c:a wavpack -f wv")
    static let tta = HelperSong("TTA", "-c:a tta -f tta")
    static let wma = HelperSong("WMA", "-c:a wmav2 -f asf")
    static let webm = HelperSong("Vorbis in WebM", "-c:a libvorbis -f webm")
    static let ac3 = HelperSong("AC-3", "-c:a ac3 -f ac3")
    static let mono = HelperSong("mono M4A", "-c:a alac -ac 1 -f ipod")
    static let opus = HelperSong("Opus in MP4", "-c:a libopus -f mp4")
    static let all = [m4a, streamedM4A, aac, alac, wavPack, tta, wma, webm, ac3, opus]

    /// 2 s of tones at 44.1 kHz in 16 bits. So many frames fill no packet of any codec.
    static let frameCount = 88_321
    private static let filter =
        "aevalsrc=0.3*sin(2764*t)+0.2*sin((1257+1885*t)*t)|0.4*sin(4147*t):s=44100,"
        + "atrim=end_sample=\(frameCount),aformat=s16"

    /// This song with other options for the encoder.
    func with(_ more: String) -> HelperSong {
        HelperSong("\(testDescription) \(more)", options.joined(separator: " ") + " " + more)
    }

    /// The song's file.
    var url: URL {
        get throws {
            // All runs share the file, so its name tells of what it is made.
            let name = (options + [Self.filter]).joined().utf8.reduce(
                UInt64(14_695_981_039_346_656_037)
            ) {
                ($0 ^ UInt64($1)) &* 1_099_511_628_211
            }
            return try MusicFile.kept("helper-\(String(name, radix: 16))") {
                try Tool.run(
                    ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", Self.filter] + options
                        + [$0.path])
            }
        }
    }

    var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: url)) } }

    /// The sound before it was encoded, interleaved.
    static let source = Result { try samples(["-f", "lavfi", "-i", filter]) }

    /// What the program ffmpeg decodes.
    func decodedByFFmpeg(channels: Int = 2) throws -> [Float] {
        try Self.samples(["-i", url.path], channels: channels)
    }

    private static func samples(_ input: [String], channels: Int = 2) throws -> [Float] {
        try Tool.run(
            ["ffmpeg", "-loglevel", "error"] + input + ["-ac", "\(channels)", "-f", "f32le", "-"]
        )
        .withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
    }
}
