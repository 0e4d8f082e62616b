/// How the list of songs is to be changed. Songs are named by their ids.
enum ListChange: Sendable, Equatable {
    /// Play this one from its beginning.
    case play(Int)
    /// Take it out.
    case remove(Int)
    /// Move it by so many places, up when negative.
    case move(Int, by: Int)
}
