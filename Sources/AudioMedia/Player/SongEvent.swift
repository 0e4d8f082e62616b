/// What happens to the songs of a queue. Times in seconds.
public enum SongEvent: Sendable, Equatable {
    /// A song is found that comes next, or first: none of its frames is decoded yet. Told where the
    /// queue was asked to (`tellsOfSongs`); `SongQueue.setEffects(_:ofSong:)` takes its `number`. `entry` is
    /// its id in the list.
    case found(Location, number: Int, entry: Int)
    /// The found song of that number follows without a gap, and its first frame is the graph's `frame`.
    /// Told 0.25 s before, earlier with effects; told again where the frame changes.
    case comes(number: Int, frame: Int)
    /// The song of the last `comes` does not begin in that frame: the song before was paused or sought, or
    /// waits for bytes, or the list was changed.
    case comesNot
    /// A song that is to begin was asked for a second ago, and is not open: what it waits for. A server
    /// that is retried is told of by `ListedSong.State.absent` instead.
    case opening(Location, waitsFor: Awaited)
    /// A song begins: its first frames have come, and all frames of the song before were played.
    case opened(SongDescription)
    /// The song that users have chosen (`SongQueue.play`, `skip`) begins in place of the one before.
    case choiceBegins
    case tags(SongTags)
    /// The lyrics of the song that is heard: those that were named for it, or lie beside it. What its
    /// tags hold is in `SongTags.lines`.
    case lyrics(Lyrics)
    /// The moving picture of the song that is heard (CD+G), at its beginning: a file `.cdg` of its name
    /// lies beside it, or in the same ZIP archive. Read where lyrics are.
    case graphics(CDGraphics)
    /// These lyrics, or this picture, cannot be read; where no file lies beside a song nothing is told.
    case noLyrics(SongError)
    /// A file that the song was taken apart into is not used, or not any more: the song goes on with those
    /// that are left, or as any song. `SongDescription.knownVoice` is outdated then; `left` is right.
    case stemLost(SongError, left: KnownVoice?)
    /// Files that the song was taken apart into were made while it plays, and it goes over to them soon:
    /// `SongDescription.knownVoice` is outdated then.
    case stemsFound(KnownVoice, StemOrigin)
    /// A live stream tells what it plays now.
    case title(String)
    case playing
    case paused
    /// Bytes came too slowly; the song is silent until enough are there again.
    case buffering
    /// The song goes on after so many seconds of silence.
    case recovered(seconds: Double)
    /// The connection broke; after `delay` seconds it is tried again.
    case reconnecting(attempt: Int, fault: NetworkFault, delay: Double)
    /// From `frame` of the song on, at the graph's rate, it sounds with these effects. Told when these
    /// frames are ready, up to 0.5 s before they are heard.
    case effects(SongEffects, frame: Int64)
    /// Not all effects that were asked for can be done to what comes next.
    case effectsLimited(EffectLimit)
    /// A seek has arrived.
    case seeked(seconds: Double, isExact: Bool)
    /// A seek cannot be done; the song goes on as it was.
    case cannotSeek(SeekObstacle)
    /// Told once a second while a song plays, and after every change.
    case position(SongPosition)
    /// A seek, or the place to start at, lies behind the song's end, so that no more of the song is
    /// heard. Told before `ended`. `end` is nil where the song is shorter than its own length says;
    /// `isLast`: no other song follows.
    case passedEnd(asked: Double, end: Double?, isLast: Bool)
    /// The last frame was played; `frames` counts the song's, at the graph's rate.
    case ended(frames: Int64)
    /// `stop` has been carried out.
    case stopped
    /// A song is lost, or an entry cannot be played; what is buffered still plays, then the next
    /// begins.
    case skipped(SongError)
    /// A song is not wanted any more whose disk has not answered for so many seconds: what waits for it
    /// is left alone.
    case hangs(Location, seconds: Double)
    /// The last song is lost, or the last entry cannot be played: nothing follows.
    case failed(SongError)
    /// All songs are over.
    case finished

    /// What a song that is opened waits for.
    public enum Awaited: String, Sendable {
        case disk, server
        /// The program that writes into a pipe, or to standard input.
        case pipe
    }
}

/// The position in a song. Times in seconds.
public struct SongPosition: Sendable, Equatable {
    public var seconds = 0.0
    /// Nil while unknown.
    public var duration: Double?
    /// How much can be played without any more bytes: ring and kept bytes together.
    public var buffered = 0.0
    /// False after a seek that had to estimate the place.
    public var isExact = true
}

/// Facts of a song.
public struct SongDescription: Sendable, Equatable {
    /// The address, or the path, as scripts may be told (`Location.reference`).
    public let location: String
    public let format: SongFormat
    /// In seconds; nil while unknown.
    public let duration: Double?
    /// Whether any place in it can be reached without reading all before it.
    public let isSeekable: Bool
    /// The station whose live stream it is; nil for a song.
    public let station: Station?
    /// The linear factor by which the song is as loud as others, from its own tags; 1 without such
    /// tags.
    public let gain: Double
    /// The files that its voice is known by; nil: by none.
    public var knownVoice: KnownVoice?
    /// Where these are from; nil: there are none.
    public var stemOrigin: StemOrigin?
    /// Its number in `SongEvent.found`; 0: that was not told.
    public let number: Int
}

/// Why a seek cannot be done.
public enum SeekObstacle: Sendable, Equatable, CustomStringConvertible {
    /// A station's stream has no other place.
    case live
    /// The bytes of that place are kept no more, and cannot be asked for again.
    case notKept
    /// The bytes of that place do not come.
    case refused(NetworkFault)
    /// All songs are over, and none can be played again.
    case noSong

    /// The reason, in words.
    public var description: String {
        switch self {
        case .live: "it is live"
        case .notKept: "what was there is no longer kept"
        case .refused(let fault): fault.description
        case .noSong: "no song is left"
        }
    }
}
