import CSndfile
import Glibc

/// A format of files that can be written, by the ending of their names.
package enum SoundContainer: String, CaseIterable, Sendable {
    /// WAV; RF64 past 4 GiB.
    case wav
    case rf64
    case flac
    /// Ogg Vorbis.
    case ogg
    case opus
    case mp3

    /// The format that the ending of a file's name asks for; nil: it asks for none.
    package init?(named name: FileName) {
        guard let found = Self.allCases.first(where: { name.ends(in: "." + $0.rawValue) }) else {
            return nil
        }
        self = found
    }

    /// The endings of all of them, in words.
    package static var endings: String {
        let all = allCases.map { "." + $0.rawValue }
        return all.dropLast().joined(separator: ", ") + " or " + all[all.count - 1]
    }

    /// What people call it.
    package var name: String {
        switch self {
        case .wav: "WAV"
        case .rf64: "RF64"
        case .flac: "FLAC"
        case .ogg: "Ogg Vorbis"
        case .opus: "Opus"
        case .mp3: "MP3"
        }
    }

    package var isWave: Bool { self == .wav || self == .rf64 }

    /// Whether it keeps what can be heard of a sound, and not its samples.
    package var isLossy: Bool { quality != nil }

    /// How much of the sound a lossy format keeps, by libsndfile's measure, 0…1: quality 8 of Vorbis,
    /// V2 of LAME, 192 kbit/s of Opus in stereo.
    var quality: Double? {
        switch self {
        case .ogg, .mp3: 0.8
        case .opus: 0.36
        case .wav, .rf64, .flac: nil
        }
    }

    /// Whether it can have that rate, in Hz. libsndfile's own answer says of MP3 and Opus that any
    /// will do, and opening the file then fails.
    package func holds(rate: Int) -> Bool {
        switch self {
        case .opus: rate == 48_000
        case .mp3:
            [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000].contains(rate)
        default: true
        }
    }

    /// The rate of a file with a sound of that rate, in Hz.
    package func rate(for rate: Int) -> Int { holds(rate: rate) ? rate : 48_000 }

    /// libsndfile's number, with how a sample is kept where it keeps samples.
    func code(_ format: SampleFormat) -> Int {
        switch self {
        case .wav, .rf64: SF_FORMAT_RF64 | Self.coding(format)
        case .flac: SF_FORMAT_FLAC | Self.coding(format)
        case .ogg: SF_FORMAT_OGG | SF_FORMAT_VORBIS
        case .opus: SF_FORMAT_OGG | SF_FORMAT_OPUS
        case .mp3: SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III
        }
    }

    private static func coding(_ format: SampleFormat) -> Int {
        switch format {
        case .int16: SF_FORMAT_PCM_16
        case .int24: SF_FORMAT_PCM_24
        case .float: SF_FORMAT_FLOAT
        }
    }
}

/// A FLAC file as its first block describes it (RFC 9639, 8.2), for repairing a file whose end
/// could not be written: libFLAC writes the length last of all.
struct FLACFile {
    /// Where the first block begins, after `fLaC` and the block's own head.
    private static let start = 8
    /// Bytes of the file up to the end of the length field.
    private static let size = 26

    private let file: Int32
    private let head: [UInt8]

    /// Reads `file`, a descriptor that the caller closes; nil when the file is no FLAC.
    init?(file: Int32) {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        guard unsafe pread(file, &bytes, bytes.count, 0) == bytes.count,
            bytes.starts(with: "fLaC".utf8)
        else { return nil }
        (self.file, head) = (file, bytes)
    }

    /// Frames of a block.
    var blockSize: Int64 { Int64(head[Self.start]) << 8 | Int64(head[Self.start + 1]) }

    /// Frames in all; 0 while they are not known.
    var frameCount: Int64 {
        head[21..<26].reduce(0) { $0 << 8 | Int64($1) } & 0xF_FFFF_FFFF
    }

    /// Ends the file at the byte `end`, the first behind a whole block, and writes that there are
    /// `frames` frames; returns whether both could be done.
    func cut(at end: off_t, frames: Int64) -> Bool {
        var length = (0..<5).map { UInt8(truncatingIfNeeded: frames >> Int64(32 - 8 * $0)) }
        length[0] = head[21] & 0xF0 | length[0] & 0x0F
        guard ftruncate(file, end) == 0 else { return false }
        return unsafe pwrite(file, length, length.count, 21) == length.count
    }
}
