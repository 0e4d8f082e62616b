// What a song's thread and its player tell each other.
extension DecoderThread {
    /// What is known of the song.
    struct Facts {
        var stage = Stage.opening
        /// The file of this machine that it was opened from; nil: from none.
        var file: FilePlace?
        /// The station whose stream it is; nil: it is a song.
        var station: Station?
        /// Why its bytes ended before their time; what had come is still decoded.
        var failure: SongError?
        /// What it is encoded as, and the rate of its frames, in Hz, at its first frame.
        var format: SongFormat?
        var firstRate = 0
        /// The rate of the frames that were decoded last, in Hz.
        var sampleRate = 0
        /// In seconds; nil while unknown.
        var duration: Double?
        var tags: SongTags?
        var gain: ReplayGain?
        /// The files that its voice is known by; nil: by none.
        var knownVoice: KnownVoice?
        /// Where these are from; nil: there are none.
        var stemOrigin: StemOrigin?
        /// The files of this machine that those are.
        var stemFiles: Set<FilePlace> = []
        var isSeekable = false
        /// Whether places count every frame from the beginning: false after an estimated seek.
        var isExact = true
        /// Whether no more bytes come.
        var hasAllBytes = false
        /// Whether it can be played again without asking for its bytes.
        var isKept = false
        /// Its bytes, where all are kept.
        var kept: KeptBytes?
        var keptByteCount = 0
        /// Whether its first frame can be reached.
        var reachesBeginning = true
        /// What has come and is not decoded, in seconds.
        var secondsAhead = 0.0
    }

    enum Stage {
        /// Bytes are missing that tell what it is.
        case opening
        case song
        case playlist(Playlist)
        /// It cannot be played.
        case refused(SongError)
    }

    /// A place to go to.
    struct Order {
        let number: Int
        let seconds: Double
        /// The graph's rate, in Hz.
        let rate: Int
        /// Whether the place must not be estimated.
        let isExact: Bool
        /// Whether it may be estimated later, where reading on to it turns out to be slow.
        let mayJump: Bool
    }

    enum Answer {
        /// The frames that come next lead to the place; `rate` is theirs, in Hz.
        case landed(SeekPlan, rate: Int)
        /// The song goes on where it was.
        case impossible(SeekObstacle)
    }
}
