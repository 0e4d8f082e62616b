/// The faults that can happen between a server and duet; each is a row of the table of faults.
public enum Fault: String, CaseIterable, Sendable {
    case delay, drip, stall, reset, truncate
    case lengthTooLong = "length too long"
    case lengthTooShort = "length too short"
    case rangeIgnored = "range ignored"
    case rangeEarlier = "206 from earlier on"
    case rangeLater = "206 from later on"
    case changedTag = "changed ETag"
    case changedLength = "changed length"
    case chunked
    case chunkedCut = "chunked, cut"
    case icy = "ICY, odd boundaries"
    case endlessHeaders = "endless headers"
    case redirectLoop = "redirect loop"
    case redirectElsewhere = "redirect to ftp"
    case busy = "503, Retry-After"
    case tooMany = "429"
    case timeout = "408"
    case notFound = "404"
    case garbage = "garbage in the MP3"
    case newFormat = "rate and channels change"
    case compressed = "gzip"
    case unbounded = "HTTP/1.0 without length"
    case closedWhilePaused = "closed while paused"

    /// When in the song the fault happens.
    public enum Moment: String, CaseIterable, Sendable {
        /// Before the first frame can sound.
        case before
        /// In the middle of the song.
        case during
        /// Within the last frame.
        case end
    }
}
