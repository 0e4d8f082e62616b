/// A song in the list of a queue, or a playlist that was not opened yet.
public struct ListedSong: Sendable, Equatable {
    /// By what the queue knows it: the number stays the song's own wherever it is moved, and no
    /// other song of the queue gets it.
    public let id: Int
    public let location: Location
    /// What its tags say, once it was opened, else what a playlist calls it; nil: not known.
    public var title: String?
    /// What its tags say; nil: nothing, or it was not opened yet.
    public var artist: String?

    public init(id: Int, location: Location, title: String? = nil, artist: String? = nil) {
        self.id = id
        self.location = location
        self.title = title
        self.artist = artist
    }
}
