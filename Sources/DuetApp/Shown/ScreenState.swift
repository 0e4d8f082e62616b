import AudioGraph
import AudioMedia

/// Everything that the screen shows.
struct ScreenState: Sendable {
    /// The state and the place of the song, the latency, the note on the last key.
    var status = Status()
    /// What plays, as `Artist – Title`.
    var title = ""
    /// What is not as it was recorded, as `key +2`; in the order of their importance.
    var changes: [String] = []
    /// The strips, in the order in which a key selects them: song, microphones, output.
    var strips: [Strip] = []
    /// Of the strips, the one that keys change.
    var selected = 0
    /// Who is next, while nobody sings; nil: a song plays, or is paused.
    var turn: Turn?
    /// The words around the present place; nil where the song has none.
    var lyrics: Lyrics?
    /// The moving picture of the song; nil where it has none.
    var picture: Picture?
    /// How the terminal draws pictures by itself; nil: not at all, or that is not known.
    var graphics: TerminalGraphics?
    /// What draws large letters.
    var letters = LetterWays()
    /// The list of songs; nil: there is none.
    var list: List?
    /// The songs that are found by typing; nil: the page is not open.
    var find: Find?
    /// Words that may be those of the song; nil: the page is not open.
    var wordsChoice: WordsChoice?
    /// Words that get their times; nil: no page shows them.
    var tap: Tap?
    /// The sample rate in Hz, and the frames of a cycle; nil while there is no server.
    var cycle: Cycle?
    /// What is connected: one line for each port, as `mic ← system:capture_1`; a warning where a microphone
    /// or a side has no connection.
    var connections: [Line] = []
    /// Ends of the loop in the song, in seconds; nil where not set.
    var loop: (start: Double?, end: Double?) = (nil, nil)
    /// The station that plays, empty if it has no name; nil: what plays is no live stream.
    var station: String?
    /// The role of JACK's transport, as `follows transport`; nil: it has none.
    var transport: String?
    /// More about the run, for the page of details.
    var details: [String] = []
    /// What was reported, the newest last.
    var log: [Line] = []
    /// The line of the log that is still worth a place of its own; nil: none is.
    var newestLine: Line?
    var keys: [KeyHelp] = []
    /// The keys that are named below the levels, the most important first.
    var hints: [KeyHelp] = []
    /// The keys that show the lyrics, and that add a song to the list; nil: none does.
    var lyricsKey: String?
    var addKey: String?
    /// What fills the screen where no page does.
    var view = ScreenView.mixer
    /// What the next song is called; empty: there is none, or it has no name.
    var next = ""
    /// Shown in place of the levels; nil: the levels are.
    var page: Page?
    /// Which part of that page, from 0, where it is longer than the screen.
    var part = 0

    /// Seconds after which the next picture is due: thirty a second while something moves.
    var interval: Double { moves ? 1.0 / 30 : 0.2 }

    /// Whether the next picture is likely to differ: the song goes on, or there is sound.
    var moves: Bool {
        status.state == .playing
            || strips.contains { max($0.left.hold, $0.right.hold) > .floor }
    }

    /// A song that waits for its singer. What is empty is not known.
    struct Turn: Sendable, Equatable {
        var singer = ""
        /// As `Artist – Title`.
        var song = ""
        /// How it begins, as `space starts`.
        var start = ""
        /// Who comes then, and when.
        var then = ""
        /// How many songs are left, and how long they take.
        var rest = ""
    }

    /// A source or the output.
    struct Strip: Sendable, Equatable {
        var name = ""
        var left = Level()
        var right = Level()
        /// Whether a sample was at full scale or beyond since that was cleared.
        var hasClipped = false
        /// As `-3.0 dB`.
        var volume = ""
        /// −1…1; nil for the output, which has none.
        var pan: Double?
        var isMuted = false
        var isSolo = false
        /// Whether the feedback guard holds it at −20 dB.
        var isHeld = false
        /// By how much what limits it turns it down now, in dB: 0 or less; nil: nothing does.
        var reduction: Decibels?
        /// The name of its effects' preset; nil: it has none, or none is chosen.
        var preset: String?
        /// By how much its compressor turns it down now, in dB: 0 or less; nil: it has none.
        var compression: Decibels?
        /// Its place around the head, as `45° left`; nil: it has none.
        var place: String?
        /// Whether it is a microphone to which nothing is connected.
        var isUnconnected = false
    }

    /// Of effects that can be heard, as `mic plate`.
    var effects: [String] {
        strips.compactMap { strip in
            let compressor = strip.compression.map { "comp \(fixed($0.value, digits: 1)) dB" }
            let words = [strip.place, strip.preset, compressor].compactMap { $0 }
            return words.isEmpty ? nil : "\(strip.name) \(words.joined(separator: " · "))"
        }
    }

    /// The level of one side, in dBFS.
    struct Level: Sendable, Equatable {
        var peak = Decibels.floor
        /// The highest peak of the last seconds.
        var hold = Decibels.floor
        var rms = Decibels.floor
    }

    /// How JACK renders.
    struct Cycle: Sendable, Equatable {
        /// In Hz.
        var rate: Int
        /// In frames.
        var period: Int
    }

    /// The words of the song, and what of them is sung now.
    struct Lyrics: Sendable, Equatable {
        /// All lines; those without times, too.
        var lines: [Line] = []
        /// What singers are called, where that is known.
        var singerNames: [AudioMedia.Lyrics.Singer: String] = [:]
        /// Singers who sing at the same time somewhere: each has a place of their own.
        var together: [AudioMedia.Lyrics.Singer] = []
        /// Whether any line has a time.
        var isTimed = true
        /// The number of the line that is sung; nil: none is sung yet, or the lines have no times.
        var present: Int?
        /// How much of that line is sung, 0…1.
        var sung = 0.0
        /// Where in that line the song is, 0…1: as far as it is sung where that is known.
        var passed = 0.0
        /// Lines that other singers sing at the same time: their numbers, and how much of them is sung.
        var others: [Part] = []
        /// Where they are from; nil if they were not fetched.
        var source: String?
        /// Seconds until the next line, where nobody sings; nil while somebody does, and behind the last line.
        var pause: Double?

        struct Part: Sendable, Equatable {
            var number: Int
            /// 0…1.
            var sung: Double
        }

        struct Line: Sendable, Equatable {
            var text = ""
            /// Nil: nobody is named.
            var singer: AudioMedia.Lyrics.Singer?
            /// Whether it is known when it is sung.
            var isTimed = true
            /// Shown below the line; empty: there is none.
            var translation = ""
        }
    }

    /// A part of the list of songs. Numbers count from 0.
    struct List: Sendable, Equatable {
        /// How many songs the whole list has.
        var count = 0
        /// The number of the first of `songs`.
        var first = 0
        /// The songs around the selected one.
        var songs: [Song] = []
        /// The one that is heard; nil: none is.
        var playing: Int?
        /// The one that keys change; nil: the list is empty.
        var selected: Int?
        /// About how many seconds are left until the end of the list; nil: unknown.
        var secondsLeft: Double?
        /// About how many seconds are left until the selected one begins; nil: unknown, or its turn was.
        var wait: Double?

        struct Song: Sendable, Equatable {
            var title: String
            /// Empty: unknown.
            var artist = ""
            /// Who sings it; empty: nobody was named.
            var singer = ""
            /// As `3:12`; empty: unknown.
            var length = ""
            /// Its key for the singer, as `-2`; empty: its own.
            var key = ""
            /// Why it cannot be played; nil: it can, as far as is known.
            var trouble: String?
            /// How far its backing is; nil: none is made.
            var backing: String?
        }
    }

    /// A line of the log.
    struct Line: Sendable, Equatable {
        var text: String
        /// Whether it tells of something that went wrong.
        var isWarning = false
    }
}

/// What fills the screen where no page does.
enum ScreenView: String, Sendable {
    /// For singers: words as large as they fit.
    case words
    /// For hosts: levels, with a few rows of words.
    case mixer
}
