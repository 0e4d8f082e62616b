import SystemSupport

/// What came back where a song, or a playlist, was to be opened or read. `code` is an errno.
public enum SongFault: Sendable, Equatable, CustomStringConvertible {
    /// The kinds of places that bytes come from.
    public enum Origin: Sendable { case address, file, standardInput }

    /// What may be wanted in place of a web page.
    public enum Wanted: Sendable { case lyrics, playlist }

    // MARK: The name

    /// An address that begins with another scheme than `http`, `https` and `file`; `meant` is the
    /// address that may have been meant.
    case schemeNotSupported(String, meant: String?)
    /// The text is no valid address.
    case invalidAddress
    /// An entry of a playlist is no valid address.
    case invalidEntry
    /// An entry of a playlist from the network names a file of this machine.
    case fileNamedFromNetwork
    /// An entry of a playlist names a drive or a server by a path of Windows.
    case windowsPath

    // MARK: The file

    /// It cannot be opened; `meant` is the address or the file that may have been meant.
    case notOpened(code: Int32, meant: String?, list: String? = nil)
    /// This user has no right to it.
    case locked(code: Int32, FileLock)
    /// It is a directory.
    case directory
    /// It is a folder, and there is no audio file in it.
    case folderWithoutAudio
    /// So many folders in it lie deeper than `limit` folders, and are not read.
    case foldersTooDeep(Int, limit: Int)
    /// It has more than so many names, which are not looked at.
    case tooManyNames(Int)
    /// It cannot be read any more.
    case notRead(code: Int32)

    // MARK: The network

    /// The transfer failed.
    case network(NetworkFault)

    // MARK: The bytes

    /// There are none.
    case empty(Origin)
    /// They are in no format known here.
    case unknownFormat(Origin)
    /// They are in a format that is not played.
    case formatNotSupported(String)
    /// They are in a format that the program `duet-ffmpeg` reads, which is not installed for this
    /// system's FFmpeg.
    ///
    /// - libavformat: the version of FFmpeg's library that the system has; nil: it has none.
    case helperMissing(format: String, libavformat: Int?)
    /// They are in a format that has to be read in any order, and they are more than what is kept of
    /// bytes that come in their order alone.
    case tooLongToKeep(format: String, Origin)
    /// The file cannot be read, although it begins as one of `format`.
    case unreadable(format: String, reason: String)
    /// The file's header names a sample rate, in Hz, beyond `range`.
    case rateOutOfRange(Int, range: ClosedRange<Int>)
    /// It has so many channels, and nothing says which of them are left and right.
    case unknownLayout(Int)
    /// The sample rate cannot be converted to the graph's.
    case notConverted(reason: String)
    /// The decoder cannot go on.
    case decoderStopped(reason: String)
    /// The decoder cannot go to another place.
    case seekFailed(reason: String)

    /// They are a ZIP archive of which nothing is played.
    case archive(ArchiveFault)
    /// They are the picture of a karaoke song (CD+G), and not its sound.
    case picture
    /// They are a song, where lyrics are wanted.
    case notLyrics
    /// It is to go with a song of another sample rate; both in Hz.
    case stemRate(Int, song: Int)
    /// It is to go with a song that is longer or shorter; both in seconds.
    case stemLength(Double, song: Double)
    /// They are a web page, where something else is wanted.
    case webPage(notA: Wanted)

    // MARK: Playlists

    /// It is an HLS stream, which only looks like a playlist.
    case hls
    /// It is a list in a format that is not read, by its name.
    case listNotSupported(String)
    /// It is a text of UltraStar that names no audio file or no tempo, or has no notes.
    case noUltraStarSong
    /// It names no song.
    case namesNoSong
    /// It lies in `depth` others, one in another.
    case tooDeep(Int)
    /// It is longer than so many songs or MiB; the rest is left out.
    case tooLong(songs: Int, mebibytes: Int)
    /// Of so many songs that it names only `added` are kept: there is room for `limit`.
    case tooMany(added: Int, of: Int, limit: Int)
    /// It names itself: in the playlist `last`, which is another one where it `isThroughOthers`.
    case namesItself(last: String, isThroughOthers: Bool)
    /// Of many songs in a row that cannot be opened only the first `named` are told one by one.
    case onlyFirstAreNamed(Int)

    // MARK: This machine

    /// libcurl, which addresses need, cannot be loaded.
    case noLibrary(reason: String)
    /// No memory is left.
    case noMemory
    /// No descriptor is left.
    case noDescriptor
    /// No thread can be made.
    case noThread(code: Int32)
    /// Four songs that nobody wants any more still wait for their disks.
    case threadsHang
    /// libmpg123 makes no decoder.
    case noDecoder(reason: String)

    /// What came back, in words.
    public var description: String {
        switch self {
        case .schemeNotSupported(let scheme, _): "\(scheme) is not supported"
        case .invalidAddress, .invalidEntry: "not a valid address"
        case .fileNamedFromNetwork: "a playlist from the network cannot open files"
        case .notOpened(let code, _, _), .notRead(let code): errorText(code)
        case .locked(let code, let lock): "\(errorText(code)), \(lock)"
        case .directory: "it is a directory"
        case .folderWithoutAudio: "it is a folder without audio files"
        case .foldersTooDeep(let count, let limit):
            "\(count == 1 ? "one folder lies" : "\(count) folders lie") deeper than \(limit) folders"
        case .tooManyNames(let limit): "only \(limit) names of a folder are looked at"
        case .network(let fault): fault.description
        case .empty: "it is empty"
        case .unknownFormat(.file): "not an audio file"
        case .unknownFormat: "not audio"
        case .formatNotSupported(let name): "it is \(name), which is not supported"
        case .helperMissing(let name, nil): "it is \(name), which needs FFmpeg's libraries"
        case .helperMissing(let name, let version?):
            "it is \(name), and duet-ffmpeg for this system's FFmpeg (libavformat \(version)) is missing"
        case .tooLongToKeep(let name, .address):
            "it is a long \(name), and its server sends no parts of it"
        case .tooLongToKeep(let name, _): "it is a \(name) too long for a pipe"
        case .unreadable(let name, let reason): "it is \(name), and cannot be read: \(reason)"
        case .rateOutOfRange(let rate, let range):
            "its header says \(rate) Hz, and a rate is \(range.lowerBound)…\(range.upperBound) Hz"
        case .unknownLayout(let count):
            "it has \(count) channels, and does not say which are left and right"
        case .notConverted(let reason): reason
        case .decoderStopped(let reason): "the decoder stopped: \(reason)"
        case .seekFailed(let reason): "seeking failed: \(reason)"
        case .archive(let fault): fault.description
        case .picture: "it is the picture of a karaoke song, not its sound"
        case .notLyrics: "it is a song, not lyrics"
        case .stemRate(let rate, let song): "it has \(rate) Hz, and the song has \(song) Hz"
        case .stemLength(let seconds, let song):
            "it is \(Self.tenths(seconds)) s long, and the song is \(Self.tenths(song)) s long"
        case .webPage(.lyrics): "it is a web page, not lyrics"
        case .webPage(.playlist): "it is a web page, not a playlist"
        case .windowsPath: "it is a Windows path"
        case .listNotSupported(let name): "it is a playlist in \(name), which is not supported"
        case .hls: "it is an HLS stream, not a list of songs"
        case .noUltraStarSong: "it is an UltraStar file without #MP3, #BPM or notes"
        case .namesNoSong: "it is a playlist that names no song"
        case .tooDeep(let depth): "it is a playlist in \(depth) others"
        case .tooLong(let songs, let mebibytes):
            "it is longer than \(songs) songs or \(mebibytes) MiB"
        case .tooMany(let added, let count, let limit):
            "only \(added) of \(count) entries fit in \(limit)"
        case .namesItself(let last, let isThroughOthers):
            "the playlist names itself" + (isThroughOthers ? ", through \(last)" : "")
        case .onlyFirstAreNamed(let count): "of many in a row \(count) are named"
        case .noLibrary(let reason): reason
        case .noMemory: "no memory is left"
        case .noDescriptor: "no descriptor is left"
        case .noThread(let code): "no thread can be made: \(errorText(code))"
        case .threadsHang: "four songs before it still wait for a disk that is not responding"
        case .noDecoder(let reason): "libmpg123: \(reason)"
        }
    }

    /// A time with one digit behind the point.
    private static func tenths(_ seconds: Double) -> String {
        let tenths = Int(nearest: seconds * 10)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
