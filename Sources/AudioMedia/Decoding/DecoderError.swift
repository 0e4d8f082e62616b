import SystemSupport

/// Why a decoder produces no frames from a song's bytes.
enum DecoderError: Error, Equatable {
    /// No three frames of MPEG audio in a row near the beginning.
    case notMPEG
    /// The library does not read the file; its own words.
    case notSoundFile(reason: String)
    /// The file holds MPEG audio, which libsndfile reads neither without gaps nor exactly.
    case holdsMPEG
    /// The file's header names a sample rate, in Hz, beyond `range`.
    case rateOutOfRange(Int, range: ClosedRange<Int>)
    /// The library gave up; its own words.
    case library(String)
    /// The song's bytes do not come.
    case input(SongError)

    /// What came back, safe to show.
    var text: String {
        switch self {
        case .notMPEG: "there is no MPEG audio in it"
        case .holdsMPEG: "it holds MPEG audio"
        case .rateOutOfRange(let rate, _): "it has \(rate) Hz"
        case .input(let error): error.fault.description
        case .notSoundFile(let text), .library(let text): SafeText.clean(text)
        }
    }
}
