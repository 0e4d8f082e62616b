import AudioGraph

/// Notices that a microphone gives no sound, or hardly any, while a song is heard.
struct MicrophoneWatch {
    enum News: Equatable {
        /// No sound at all for `patience` seconds of song.
        case silent
        /// Nothing louder than this, `MicrophoneLevel.tooSoft`, while somebody should have sung.
        case tooSoft(Decibels)
        /// What was told is no longer true.
        case heard
    }

    /// Seconds of song in which a microphone that works gives sound: the noise of the room, at least.
    static let patience = 10.0
    /// Seconds of song after which somebody should have sung where it is not known when. Few songs take
    /// longer to begin.
    static let patienceWithoutWords = 30.0

    /// Seconds of song without any sound.
    private var silent = 0.0
    /// Seconds in which words were to be sung, and those in which that is not known, without a voice.
    private var (sung, unknown) = (0.0, 0.0)
    /// The largest sample in that time.
    private var loudest = Decibels.floor
    private var told: News?
    /// Whether it was told that the microphone is too soft: a quiet singer is told once.
    private var hasToldSoft = false

    /// Whether it holds that there is no sound.
    var isSilenceTold: Bool { told == .silent }

    /// Takes how loud the microphone was since the last look.
    ///
    /// - Parameters:
    ///   - peak: its largest sample.
    ///   - seconds: how much of a song was heard meanwhile; 0 if nobody is to sing.
    ///   - isSung: whether words are sung there; nil if that is not known.
    mutating func look(_ peak: Decibels, seconds: Double, isSung: Bool?) -> News? {
        let level = MicrophoneLevel(peak)
        guard level == .silent || level == .tooSoft else {
            let wasTold = told != nil
            (silent, sung, unknown, loudest, told) = (0, 0, 0, .floor, nil)
            return wasTold ? .heard : nil
        }
        switch isSung {
        case true?: sung += seconds
        case false?: break
        case nil: unknown += seconds
        }
        loudest = max(loudest, peak)
        if level == .silent {
            silent += seconds
            guard silent >= Self.patience, told != .silent else { return nil }
            told = .silent
            return told
        }
        silent = 0
        if told == .silent {
            told = nil
            return .heard
        }
        guard !hasToldSoft, sung >= Self.patience || unknown >= Self.patienceWithoutWords else {
            return nil
        }
        (told, hasToldSoft) = (.tooSoft(loudest), true)
        return told
    }

    /// What was heard so far does not count any more: the microphone is muted, or another one.
    ///
    /// - Returns: whether something was told.
    mutating func forget() -> Bool {
        let wasTold = told != nil
        (silent, sung, unknown, loudest, told) = (0, 0, 0, .floor, nil)
        return wasTold
    }
}
