import AudioMedia

/// What the program advises its user where a song is lost.
extension SongFault {
    var hint: String {
        switch self {
        case .schemeNotSupported(_, let meant):
            meant.map { "did you mean \($0)?" } ?? "http, https and files can be opened"
        case .invalidAddress: "check its spelling"
        case .invalidEntry: "the playlist is at fault"
        case .fileNamedFromNetwork: "copy the playlist to this machine if you trust it"
        case .windowsPath: "save the playlist with relative paths, or edit it"
        case .notOpened(_, nil, let list?): "correct \(list)"
        case .notOpened(_, let meant, _):
            meant.map {
                $0.contains("://")
                    ? "check the name, or did you mean \($0)?"
                    : "did you mean \(ShellWords.pasted($0))?"
            } ?? "name a file or an http(s) URL"
        case .locked(_, let lock): lock.hint
        case .directory: "name a file in it"
        case .folderWithoutAudio: "name a folder of MP3, FLAC, WAV or Ogg files"
        case .foldersTooDeep, .tooManyNames: "name the folders in it one by one"
        case .notRead: "check the disk"
        case .network(let fault): fault.hint
        case .empty(.address): "check the address"
        case .empty(.file): "check that it was copied whole"
        case .empty(.standardInput): "check the command that writes to it"
        case .unknownFormat(.address):
            "use the address of the song itself, not of a web page"
        case .unknownFormat(.file): "use an MP3, FLAC, WAV, Ogg or M4A file"
        case .unknownFormat(.standardInput): "pipe a song into it"
        case .formatNotSupported: "convert it to MP3 or FLAC"
        case .helperMissing(_, nil): "install them, as with: sudo apt install ffmpeg"
        case .helperMissing: "install.sh of duet's archive builds it"
        case .tooLongToKeep: "save it as a file, and name that"
        case .unreadable: "check that it was copied whole"
        case .rateOutOfRange: "check that it was copied whole, or convert it to another rate"
        case .unknownLayout: "mix it down to two channels, as with ffmpeg -i IN -ac 2 OUT"
        case .notConverted: "choose another sample rate"
        case .decoderStopped, .seekFailed: "the file may be damaged"
        case .archive(.damaged): "check that it was copied whole"
        case .archive(.noRoom): "make room, or name another folder in TMPDIR"
        case .archive(.notAFile): "save it as a file, and name that"
        case .archive(.withoutSong):
            "it must hold a song, such as an MP3, and can hold its picture (.cdg)"
        case .archive(.withoutThatSong): "name the archive alone to play all its songs"
        case .archive: "unpack it, and name the song in it"
        case .picture: "name the MP3 beside it: its picture is shown with it"
        case .stemRate: "convert the song or this file to the rate of the other"
        case .stemLength: "separate this very song again"
        case .notLyrics, .webPage(.lyrics): "name a text or LRC file"
        case .webPage(.playlist): "save the playlist itself, or use its address"
        case .listNotSupported("CUE"): "name the audio file that it describes"
        case .listNotSupported: "save it as M3U, PLS or XSPF"
        case .hls: "give the address of an MP3 stream"
        case .namesNoSong, .tooMany, .noUltraStarSong: "check what it holds"
        case .onlyFirstAreNamed: "check what the playlist holds"
        case .tooDeep: "open it by itself"
        case .tooLong: "split it"
        case .namesItself(let last, _): "remove its name from \(last)"
        case .noLibrary: "install libcurl4"
        case .noMemory: "end other programs"
        case .noDescriptor, .noThread:
            "end other programs, or raise the limits (ulimit -n, ulimit -u)"
        case .threadsHang: "wait until the disk answers, or begin again"
        case .noDecoder: "reinstall it"
        }
    }
}

extension FileLock {
    fileprivate var hint: String {
        let rest = "\(isFolder ? "x" : "r") \(ShellWords.pasted(path))"
        return owner.map { "\($0) can run: chmod a+\(rest)" } ?? "run: chmod u+\(rest)"
    }
}

extension NetworkFault {
    fileprivate var hint: String {
        switch self {
        case .noSuchHost: "check the address and the network"
        case .noSuchProxy: "check http_proxy and https_proxy"
        case .notConnected: "check the address, and that the server runs"
        case .noConnectionWithin, .noAnswerWithin, .noWholeAnswerWithin, .stalled, .broken,
            .signedOff, .other:
            "check the network"
        case .noSecureConnection, .tooManyHeaders: "check the address"
        case .authoritiesNotRead: "name a PEM file in SSL_CERT_FILE, or install ca-certificates"
        case .certificate(.otherHost): "check the address"
        case .certificate(.notYetValid): "check this computer's clock"
        case .certificate(.expired): "check this computer's clock, or tell the server's owner"
        case .certificate: "name its authority's file in SSL_CERT_FILE, if you trust it"
        case .status(401, _, _):
            "give name and password in the address, before its host: name:password@host"
        case .status(407, _, _): "give name and password in http_proxy and https_proxy"
        case .status(let status, _, _):
            status >= 500 || status == 429 ? "try again later" : "check the address"
        case .notHTTP: "check the address and its port"
        case .invalidAddress: "check its spelling"
        case .tooManyRedirects: "use the final address"
        case .redirectedElsewhere, .encoded: "give the address of the song itself"
        case .changed: "play it again"
        case .notTheStation, .stationFull, .notOnAir, .otherPart, .noPart: "try again later"
        }
    }
}
