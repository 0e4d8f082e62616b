/// A part of a run that keys act on: a heading of the help, in its order.
enum KeyGroup: String, Sendable, CaseIterable {
    case playing = "Playing"
    case song = "Song"
    case microphone = "Microphone"
    case secondMicrophone = "Second microphone"
    /// Of three or more.
    case otherMicrophones = "Other microphones"
    case secondSong = "Second song"
    case channel = "Channel"
    case recording = "Recording"
    case program = "Program"
    /// Keys of the list of songs, while its page is open.
    case list = "Song list"
    /// Keys of the page of the words, and of the one that times them.
    case words = "Words"
    /// What users bind to a key themselves.
    case own = "Your keys"
}
