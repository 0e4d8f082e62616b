/// The part of a song that is played over and over, and where the ring goes from its end back to its
/// start. For one thread.
struct RepeatedPart {
    /// What is repeated from now on; nil: the song goes on at the part's end.
    var part: SongPart?
    /// The number of the first frame after each way back, among all that were ever put into the
    /// ring, and the song's frame at which the part ended there.
    private var turns: [(index: Int, end: Int64)] = []

    /// Whether `frame` of the song, at `rate` Hz, is the one after the part's last.
    func ends(at frame: Int64, rate: Int) -> Bool {
        part.map { frame == $0.frames(rate: rate).upperBound } ?? false
    }

    /// Frames from `frame` of the song until the end of the part; nil where nothing is repeated, or
    /// the song is beyond it.
    func framesLeft(from frame: Int64, rate: Int) -> Int? {
        guard let end = part?.frames(rate: rate).upperBound, frame <= end else { return nil }
        return Int(end - frame)
    }

    /// The song has ended within the part, at `seconds`: the part ends there, too.
    mutating func shorten(to seconds: Double) {
        if let old = part { part = SongPart(from: old.start, to: seconds) }
    }

    /// The ring's frame `index` is the part's first again, after its last, the one before `end`. The
    /// frame `heard` is heard next: what was before it is forgotten.
    mutating func turn(at index: Int, end: Int64, heard: Int) {
        turns.removeAll { $0.index <= heard }
        turns.append((index, end))
    }

    /// The song's frame that is the ring's frame `index`, where the ring turns back after it; nil
    /// where it does not.
    func frame(at index: Int) -> Int64? {
        turns.first { $0.index > index }.map { $0.end - Int64($0.index - index) }
    }

    /// Another stretch of frames begins in the ring: no way back is in it.
    mutating func forgetTurns() { turns = [] }
}
