/// Why a decoder cannot turn bytes into sound.
enum DecoderError: Error, Equatable {
    /// The stream has no three MPEG frames in a row near its beginning.
    case notMPEG
    /// libsndfile does not know the file's format.
    case notSoundFile
    /// The file's header names a value that no song has; `reason` is a sentence.
    case refused(reason: String)
    /// libmpg123 or libsndfile failed; the text is the library's own.
    case library(String)
}
