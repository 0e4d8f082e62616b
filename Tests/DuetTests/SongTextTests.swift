import Testing

@testable import AudioMedia
@testable import DuetApp

/// The texts that the user reads when a song is lost.
@Suite struct SongTextTests {
    private func line(_ fault: SongFault) -> String {
        DuetError(SongError.cannotOpen(song: "x.mp3", fault)).line
    }

    /// Without the ending, which says nothing of the song.
    @Test(arguments: [
        ("/music/A - B.zip", "A - B"), ("A - B.ZIP", "A - B"), ("/music/.zip", ".zip"),
        ("song.mp3", "song.mp3"), ("a.zip/song.mp3", "song.mp3"),
    ])
    func anArchiveIsCalledAsTheSongInIt(location: String, title: String) {
        let format = SongFormat(
            codec: "MP3", sampleRate: 48_000, channelCount: 2, bitrate: 192, rating: .constant)
        var shown = SongTitle()
        shown.open(
            SongDescription(
                location: location, format: format, duration: nil, isSeekable: true, station: nil,
                gain: 1, number: 0))
        #expect(shown.text == title)
    }

    @Test func whatWasTriedAndTheExitCode() {
        let opened = DuetError(SongError.cannotOpen(song: "x.mp3", .empty(.file)))
        #expect(opened.line == "cannot open x.mp3: it is empty; check that it was copied whole")
        #expect(opened.status == .noInput)
        let played = DuetError(SongError.cannotPlay(song: "x", .unknownFormat(.standardInput)))
        #expect(played.line == "cannot play x: not audio; pipe a song into it")
        #expect(played.status == .noInput)
        let broken = DuetError(SongError.brokeOff(song: "x.mp3", .notRead(code: 5)))
        #expect(
            broken.line
                == "x.mp3 broke off: Input/output error; check the disk")
        #expect(broken.status == .inputOutput)
    }

    @Test(
        arguments: [
            (.schemeNotSupported("ftp", meant: nil), "http, https and files can be opened"),
            (.schemeNotSupported("htp", meant: "http://a/b"), "did you mean http://a/b?"),
            (.invalidAddress, "check its spelling"),
            (.invalidEntry, "the playlist is at fault"),
            (.fileNamedFromNetwork, "copy the playlist to this machine if you trust it"),
            (.windowsPath, "save the playlist with relative paths, or edit it"),
            (.listNotSupported("ASX"), "save it as M3U, PLS or XSPF"),
            (.listNotSupported("CUE"), "name the audio file that it describes"),
            (.webPage(notA: .playlist), "save the playlist itself, or use its address"),
            (.webPage(notA: .lyrics), "name a text or LRC file"),
            (.picture, "name the MP3 beside it: its picture is shown with it"),
            (
                .archive(.withoutSong),
                "it must hold a song, such as an MP3, and can hold its picture (.cdg)"
            ),
            (.archive(.encrypted), "unpack it, and name the song in it"),
            (.notOpened(code: 2, meant: nil), "name a file or an http(s) URL"),
            (
                .notOpened(code: 2, meant: "http://a/b"),
                "check the name, or did you mean http://a/b?"
            ),
            (.notOpened(code: 2, meant: "My song.mp3"), "did you mean 'My song.mp3'?"),
            (
                .locked(code: 13, FileLock(path: "a b", isFolder: false, owner: nil)),
                "run: chmod u+r 'a b'"
            ),
            (
                .locked(code: 13, FileLock(path: "/$x", isFolder: true, owner: "anna")),
                "anna can run: chmod a+x '/$x'"
            ),
            (.directory, "name a file in it"),
            (.folderWithoutAudio, "name a folder of MP3, FLAC, WAV or Ogg files"),
            (.empty(.address), "check the address"),
            (.empty(.standardInput), "check the command that writes to it"),
            (
                .unknownFormat(.address),
                "use the address of the song itself, not of a web page"
            ),
            (.unknownFormat(.file), "use an MP3, FLAC, WAV, Ogg or M4A file"),
            (.formatNotSupported("AAC"), "convert it to MP3 or FLAC"),
            (
                .helperMissing(format: "AAC", libavformat: nil),
                "install them, as with: sudo apt install ffmpeg"
            ),
            (
                .helperMissing(format: "AAC", libavformat: 60),
                "install.sh of duet's archive builds it"
            ),
            (
                .tooLongToKeep(format: "FLAC", .address),
                "save it as a file, and name that"
            ),
            (.unreadable(format: "FLAC", reason: "r"), "check that it was copied whole"),
            (
                .rateOutOfRange(7, range: 1000...768_000),
                "check that it was copied whole, or convert it to another rate"
            ),
            (.notConverted(reason: "r"), "choose another sample rate"),
            (.decoderStopped(reason: "r"), "the file may be damaged"),
            (.seekFailed(reason: "r"), "the file may be damaged"),
            (.notLyrics, "name a text or LRC file"),
            (.hls, "give the address of an MP3 stream"),
            (.namesNoSong, "check what it holds"),
            (.noUltraStarSong, "check what it holds"),
            (.tooDeep(5), "open it by itself"),
            (.tooLong(songs: 10_000, mebibytes: 1), "split it"),
            (.tooMany(added: 3, of: 9, limit: 10), "check what it holds"),
            (.namesItself(last: "a.m3u", isThroughOthers: true), "remove its name from a.m3u"),
            (.onlyFirstAreNamed(10), "check what the playlist holds"),
            (.noLibrary(reason: "r"), "install libcurl4"),
            (.noMemory, "end other programs"),
            (.noDescriptor, "end other programs, or raise the limits (ulimit -n, ulimit -u)"),
            (.noThread(code: 11), "end other programs, or raise the limits (ulimit -n, ulimit -u)"),
            (.noDecoder(reason: "r"), "reinstall it"),
        ] as [(SongFault, String)])
    func everyFaultHasAHint(fault: SongFault, hint: String) {
        #expect(line(fault) == "cannot open x.mp3: \(fault); \(hint)")
    }

    @Test func anEntryOfAPlaylistIsTheListsMistake() {
        func text(_ meant: String?) -> String {
            line(.notOpened(code: 2, meant: meant, list: "party.m3u"))
        }
        let start = "cannot open x.mp3 of party.m3u: No such file or directory; "
        #expect(text(nil) == start + "correct party.m3u")
        #expect(text("B.mp3") == start + "did you mean B.mp3?")
    }

    @Test(
        arguments: [
            (.noSuchHost, "check the address and the network"),
            (.noSuchProxy, "check http_proxy and https_proxy"),
            (.notConnected(reason: nil), "check the address, and that the server runs"),
            (.noConnectionWithin(10), "check the network"),
            (.noAnswerWithin(30), "check the network"),
            (.stalled, "check the network"), (.broken, "check the network"),
            (.signedOff, "check the network"), (.other("r"), "check the network"),
            (.noSecureConnection, "check the address"),
            (
                .authoritiesNotRead,
                "name a PEM file in SSL_CERT_FILE, or install ca-certificates"
            ),
            (.certificate(.otherHost), "check the address"),
            (.certificate(.notYetValid), "check this computer's clock"),
            (.certificate(.expired), "check this computer's clock, or tell the server's owner"),
            (
                .certificate(.selfSigned),
                "name its authority's file in SSL_CERT_FILE, if you trust it"
            ),
            (
                .certificate(.other(24)),
                "name its authority's file in SSL_CERT_FILE, if you trust it"
            ),
            (
                .status(401),
                "give name and password in the address, before its host: name:password@host"
            ),
            (.status(404), "check the address"),
            (
                .status(407, isProxys: true),
                "give name and password in http_proxy and https_proxy"
            ),
            (.status(429), "try again later"), (.status(503, wait: 2), "try again later"),
            (.notHTTP, "check the address and its port"),
            (.invalidAddress, "check its spelling"),
            (.tooManyRedirects(20), "use the final address"),
            (.redirectedElsewhere, "give the address of the song itself"),
            (.tooManyHeaders(kibibytes: 64), "check the address"),
            (.encoded("gzip"), "give the address of the song itself"),
            (.changed, "play it again"), (.notTheStation, "try again later"),
            (.stationFull, "try again later"), (.notOnAir, "try again later"),
            (.otherPart(isFinal: true), "try again later"), (.noPart, "try again later"),
        ] as [(NetworkFault, String)])
    func everyFaultOfTheNetworkHasAHint(fault: NetworkFault, hint: String) {
        #expect(line(.network(fault)) == "cannot open x.mp3: \(fault); \(hint)")
    }

    @Test(
        arguments: [
            (404, "the server answered 404 not found"), (418, "the server answered 418"),
            (503, "the server answered 503 service unavailable"),
        ])
    func aStatusIsNamed(status: Int, words: String) {
        #expect(NetworkFault.status(status).description == words)
    }
}
