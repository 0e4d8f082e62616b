import AudioGraph
import Glibc

@testable import AudioMedia

/// Any bytes as a sound file that `render` is given.
///
/// The rules: what it says of itself is bounded, and reading it ends, with the frames that were
/// asked for or with an error of ours.
enum SoundFileAttack {
    private static let rates = [8000, 44_100, 48_000, 192_000]

    /// The first byte says at which rate it is read, and at how many frames at a time.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        // In memory, and without a name once it is open.
        var name = Array("/dev/shm/duet-sound-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { throw BrokenRule(description: "no file in memory: \(errno)") }
        defer { close(file) }
        unlink(name)
        let bytes = Array(input.dropFirst())
        guard write(file, bytes, bytes.count) == bytes.count else { return }
        do {
            let reader = try SoundFileReader(
                path: "/proc/self/fd/\(file)",
                sampleRate: way & 4 == 0 ? nil : rates[Int(way & 3)])
            try check(reader)
            let frames = 1 << Int(way >> 4)
            var left = 64
            while left > 0 {
                let read = try reader.read(frames: frames, channelCount: 1 + Int(way >> 3 & 1))
                guard read[0].count == frames else { return }
                left -= 1
            }
        } catch let error as SoundFileError {
            try BrokenRule.check(error.exitCode == 66, "\(error)")
        }
    }

    private static func check(_ reader: SoundFileReader) throws {
        let (rate, channels) = (reader.fileRate, reader.fileChannelCount)
        try BrokenRule.check(SongTime.rates.contains(rate), "\(rate) Hz")
        try BrokenRule.check((1...1024).contains(channels), "\(channels) channels")
        if let seconds = reader.duration {
            try BrokenRule.check(seconds > 0 && seconds <= SongTime.longest, "\(seconds) s")
        }
    }
}
