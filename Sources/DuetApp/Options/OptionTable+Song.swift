import AudioMedia

// The options of songs, of their words, and of when they are played.

extension OptionRow {
    static let key = Option(
        "key", "/song/key", "Transpose the song without changing its tempo",
        valueName: "semitones", in: .mixing,
        level: .first("--key -2", "Transpose the song by semitones."))
    static let tempo = Option(
        "tempo", "/song/tempo", "Change the tempo without changing the pitch",
        valueName: "percent", in: .mixing)
    static let varispeed = Option(
        "varispeed", "/song/varispeed", "Change tempo and pitch together, like a tape",
        valueName: "percent", in: .mixing, level: .more)
    static let removeVocals = Option(
        "remove-vocals", "/song/vocals/remove", "Remove the vocals",
        values: "0…100 %, or 100 without a value", valueName: "percent", alone: "100", in: .mixing,
        level: .first("--remove-vocals", "Remove the vocals of the song."))
    static let vocalsMode = Option(
        "vocals-mode", "/song/vocals/mode", "How to remove vocals",
        values: "spectral keeps bass and drums, plain is left minus right", valueName: "mode",
        in: .mixing, level: .more)
    static let vocalsAt = Option(
        "vocals-at", "/song/vocals/at", "Pan of the vocals in the song", valueName: "pan",
        in: .mixing, level: .more)
    static let onlyVocals = Flag(
        "only-vocals", "Play only the vocals, to learn your part.", in: .mixing,
        turnsOn: "/song/vocals/only")
    static let songVolume = Option(
        "song-volume", "/song/volume", "Song volume", valueName: "volume", in: .mixing,
        level: .first("--song-volume -6dB", "Make the song softer."))
    static let songPan = Option(
        "song-pan", "/song/pan", "Song pan", valueName: "pan", in: .mixing,
        level: .first(
            "--song-pan right --mic-pan left",
            "Hear the song on the right, and yourself on the left."))
    static let songAzimuth = Option(
        "song-azimuth", "/song/azimuth",
        "Direction of the song in headphones, -90 left, 90 right", valueName: "degrees",
        in: .mixing, level: .more)
    static let eq = Option(
        "eq", "/song/eq/preset", "Equalizer preset for the song",
        values: "a name that 'duet presets' lists", valueName: "preset", in: .mixing)
    static let noReplayGain = Flag(
        "no-replay-gain", "Ignore the ReplayGain in the song's tags.", in: .mixing, level: .more)
    static let instrumental = Option(
        "instrumental", .value("file"),
        """
        The song without its vocals, played when the vocals are removed (default: \
        'SONG (Instrumental).*' and the like next to the song).
        """, in: [.sing, .play, .render], counts: .commandLine, level: .more, offers: .songs,
        read: stemArgument)
    static let vocals = Option(
        "vocals", .value("file"),
        """
        The vocals alone, subtracted from the song instead of looking for the voice (default: \
        'SONG (Vocals).*' and the like next to the song).
        """, in: [.sing, .play, .render], counts: .commandLine, level: .more, offers: .songs,
        read: stemArgument)

    static let secondVolume = Option(
        "second-volume", "/second/volume", "Second song's volume", valueName: "volume",
        in: [.mix, .graph])
    static let secondPan = Option(
        "second-pan", "/second/pan", "Second song's pan", valueName: "pan", in: [.mix, .graph])
    static let secondAzimuth = Option(
        "second-azimuth", "/second/azimuth",
        "Direction of the second song in headphones, -90 left, 90 right", valueName: "degrees",
        in: [.mix, .graph], level: .more)

    static let lyrics = Option(
        "lyrics", .value("file"),
        """
        Lyrics of the first song: a file or an http(s) URL (default: the .lrc or UltraStar \
        .txt file next to the song, or the song's tags).
        """, in: .players, offers: .files([]), read: lyricsArgument)

    static let fetchLyrics = Flag(
        "fetch-lyrics",
        """
        Fetch the words of every song that has none from a server, which learns title, artist, \
        album and length of these songs. W fetches those of one song.
        """, in: .players)
    static let lyricsServer = Option(
        "lyrics-server", .value("url"),
        "Server of LRCLIB's kind that W and --fetch-lyrics ask (default: https://lrclib.net).",
        in: .players, level: .more, read: lyricsServerArgument)

    static let separate = Flag(
        "separate",
        """
        Make the backing of every song that comes, in the background, if a separator is installed \
        (\(Separator.names.joined(separator: ", "))). S on the list page makes that of one song.
        """, in: .players, level: .more)
    static let separator = Option(
        "separator", .value("command"),
        """
        Command that takes songs apart, in place of those that duet knows: PROGRAM {in} {out}. It \
        writes vocals.wav and instrumental.wav, of the song in {in}, into the folder {out}.
        """, in: Set.players.union([.separate]), counts: .configuration, level: .more,
        read: SeparatorCommand.init)

    static let startAt = Option(
        "start-at", .value("time"), "Start the song at this time, like 90, 1:30 or 0:01:30.",
        in: .players.union([.demo, .render]), read: timeArgument)
    static let duration = Option(
        "duration", .value("time"), "Stop after playing this long, like 90, 1:30 or 0:01:30.",
        in: .players.union([.demo, .render]), level: .more, read: durationArgument)
    static let loop = Flag(
        "loop", "At the end, start again without a gap.", in: .players.union([.demo, .render]))
    static let stay = Flag(
        "stay",
        """
        Keep running after the last song, with the microphone open. 'sing' on a terminal does \
        this by itself.
        """, in: .players, level: .more)
    static let noStay = Flag("no-stay", "Exit after the last song.", in: .players, level: .more)
    static let between = Option(
        "between", .value("action"),
        """
        After each song, play the next one without a gap, or pause for the next singer: \
        play or pause (default: play).
        """, in: .players, offers: .cases(of: BetweenSongs.self)
    ) { text throws(Refusal) -> BetweenSongs in try choiceArgument(text) }
    static let music = Option(
        "music", .value("folder"),
        "Music folder whose songs, and those of the folders in it, are found by typing. Give it more than once for several.",
        in: .players, level: .more, most: .max, offers: .folders, read: musicArgument)

    static let singer = Option(
        "singer", .value("name"),
        """
        Who sings the songs. duet keeps key, tempo, vocals, lyrics offset, song volume and \
        microphone preset for each singer and song.
        """, in: [.sing, .add], counts: .commandLine, read: singerArgument)
    static let breakMusic = Option(
        "break-music", .value("folder"),
        """
        Play a folder, playlist or radio station softly while nobody sings: between songs with \
        --between pause, and at the end of the list.
        """, in: [.sing], level: .more, offers: .files([]), read: breakMusicArgument)
    static let resume = Flag(
        "resume", "Go on with the list that you left last: its songs, singers, place and mix.",
        in: [.sing], counts: .commandLine)
    static let fairTurns = Flag(
        "fair-turns",
        "Put an added song where each singer has had as many turns, not at the end.",
        in: [.sing], level: .more)

    static let textEncoding = Option(
        "text-encoding", .value("name"),
        """
        Encoding of tags, lyrics and playlists that are not Unicode, such as CP1251 or \
        Shift_JIS (default: guessed, otherwise CP1252).
        """, in: .players.union([.render]), level: .more, read: encodingArgument)
}
