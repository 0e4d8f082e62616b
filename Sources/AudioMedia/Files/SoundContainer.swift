import CSndfile

/// A format of files that can be written.
package enum SoundContainer: Sendable {
    /// WAV; RF64 past 4 GiB.
    case wav
    case flac

    /// The format that the ending of a file's name asks for, `.wav` or `.flac`; nil: it asks for none.
    package init?(named name: FileName) {
        if name.ends(in: ".wav") {
            self = .wav
        } else if name.ends(in: ".flac") {
            self = .flac
        } else {
            return nil
        }
    }

    /// libsndfile's number.
    var code: Int { self == .wav ? SF_FORMAT_RF64 : SF_FORMAT_FLAC }
}
