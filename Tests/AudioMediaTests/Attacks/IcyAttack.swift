@testable import AudioMedia
@testable import SystemSupport

/// Any bytes as the stream of a radio station.
///
/// The rules: however the stream is cut, the same audio and titles come out of it, the audio is
/// what lies between the blocks of text, and each title is safe to show and differs from the one
/// before.
enum IcyAttack {
    /// The audio and the titles of a stream.
    private struct Parts: Equatable {
        var audio: [UInt8] = []
        var titles: [String] = []
    }

    /// The first byte says how far the blocks of text lie apart, the second how the stream is cut.
    static func run(_ input: [UInt8]) throws {
        guard input.count > 2 else { return }
        let interval = 1 + Int(input[0])
        let stream = input.dropFirst(2)
        let whole = split(stream, interval: interval, chunk: stream.count)
        let cut = split(stream, interval: interval, chunk: 1 + Int(input[1]))
        try BrokenRule.check(cut == whole, "\(cut) instead of \(whole)")
        try BrokenRule.check(
            whole.audio == audio(stream, interval: interval), "audio \(whole.audio)")
        for (index, title) in whole.titles.enumerated() {
            try BrokenRule.check(
                SafeText.clean(title) == title && title.unicodeScalars.count < 4080
                    && (index > 0 ? title != whole.titles[index - 1] : title != ""),
                "title \(index) of \(whole.titles)")
        }
    }

    private static func split(_ stream: ArraySlice<UInt8>, interval: Int, chunk: Int) -> Parts {
        var demuxer = IcyDemuxer(interval: interval)
        var parts = Parts()
        var rest = stream
        while !rest.isEmpty {
            let bytes = Array(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
            for piece in bytes.withUnsafeBytes({ demuxer.split($0) }) {
                switch piece {
                case .audio(let range): parts.audio += bytes[range]
                case .title(let title): parts.titles.append(title)
                }
            }
        }
        return parts
    }

    private static func audio(_ stream: ArraySlice<UInt8>, interval: Int) -> [UInt8] {
        var rest = stream
        var audio: [UInt8] = []
        while !rest.isEmpty {
            audio += rest.prefix(interval)
            rest = rest.dropFirst(interval)
            rest = rest.dropFirst(1 + 16 * Int(rest.first ?? 0))
        }
        return audio
    }
}
