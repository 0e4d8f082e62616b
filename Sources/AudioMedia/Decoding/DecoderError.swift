/// Why bytes became no sound.
enum DecoderError: Error, Equatable {
    /// No three frames of MPEG audio in a row near the beginning.
    case notMPEG
    /// libmpg123 gave up; its own words.
    case library(String)
}
