import AudioMedia

/// The songs of one bus, and how they are played.
struct SongPlan: Sendable {
    /// Played one after the other, as the user named them.
    var songs: [String]
    /// Who sings which song, by its number in `songs`, from 0.
    var singers: [Int: String] = [:]
    /// The file or address of one song's lyrics, as the user named it; nil: as for the others,
    /// the file beside the song.
    var lyrics: String?
    /// The files that the same song was taken apart into, as the user named them; nil: as for the others,
    /// those beside the song.
    var stems: StemFiles?
    /// Where songs are kept that were taken apart; nil: nowhere.
    var separated: StemFolder?
    /// The number of that song in `songs`, from 0.
    var namedSong = 0
    /// The place where playing begins.
    var start = SessionState.Place()
    /// Whether the user asked for that place; false: a session kept it.
    var startIsAsked = true
    var rules = PlaybackRules()
    /// Whether the first song waits for its singer.
    var waitsAtStart = false
    /// Whether the run goes on when all songs are over.
    var stay = StayRule()
    /// Effects of the songs at the beginning.
    var effects = SongEffects()

    /// Whether each song has values of its own, and so is told of before it begins.
    var tellsOfSongs = true

    /// Whether the song is the demo's, which a voice goes along with.
    var isDemo = false
    /// Title of a take's song; nil if it is no take's.
    var takeTitle: String?

    /// Where the stems of songs are looked for, with those that were made; nil: a take has none.
    func whole(_ stems: StemRequest) -> StemRequest? {
        takeTitle == nil
            ? StemRequest(named: stems.named, song: stems.song, separated: separated) : nil
    }

    /// The reason for which the tempo cannot be changed, or neither tempo nor key; nil if it can.
    var tuningHold: String? {
        if takeTitle != nil {
            return "a take keeps its key and tempo: somebody sang to them"
        }
        if rules.transport != .none {
            return "JACK's transport holds the tempo at 100 %: only the key can be changed"
        }
        return isDemo
            ? "the demo's voice holds the tempo at 100 %: only the key can be changed" : nil
    }

    /// The reason for which the list of songs cannot be changed; nil if it can.
    var listHold: String? {
        if takeTitle != nil { return "a take is played by itself" }
        if rules.transport != .none { return "JACK's transport moves a single song" }
        return isDemo ? "the demo has a song of its own" : nil
    }

    /// The reason for which no take can be played in between; nil if one can.
    var interludeHold: String? { takeTitle == nil ? listHold : nil }

    /// `effects` as far as they leave a song where JACK's transport, the demo's voice or that of a take
    /// is.
    func possible(_ effects: SongEffects) -> SongEffects {
        var possible = effects
        if tuningHold != nil { possible.tuning = effects.tuning.keyAlone }
        if takeTitle != nil { possible.tuning = SongTuning() }
        return possible
    }

    /// Refuses a song that cannot keep together with JACK's transport, where it is to.
    func checkRole(of song: SongDescription) throws(DuetError) {
        guard rules.transport != .none else { return }
        let reason: String
        if song.station != nil {
            reason = "\(Location.shown(song.location)) is live"
        } else if songs.allSatisfy({ (try? Location($0))?.reference != song.location }) {
            reason = "\(Location.shown(songs[0])) is a playlist"
        } else {
            return
        }
        throw DuetError(
            status: .usage, attempt: "cannot \(rules.transport) JACK's transport", result: reason,
            hint: "name a single song")
    }
}
