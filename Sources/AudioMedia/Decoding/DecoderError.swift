/// Why bytes became no sound.
enum DecoderError: Error, Equatable {
    /// No three frames of MPEG audio in a row near the beginning.
    case notMPEG
    /// libsndfile knows no such file.
    case notSoundFile
    /// Its header says what no song has; `reason` is a sentence.
    case refused(reason: String)
    /// The library gave up; its own words.
    case library(String)
}
