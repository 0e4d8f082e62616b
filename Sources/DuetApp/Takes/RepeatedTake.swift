import AudioMedia
import AudioGraph

/// What `render --as-heard` repeats: a take's files where the graph got them, and in which frames its
/// values and holds changed.
///
/// Frames are the take's. Its files of songs begin with `lead` frames that the graph never saw.
struct RepeatedTake: Sendable {
    let rate: Int
    let lead: Int
    /// Frames that the graph rendered.
    let frames: Int64
    /// The files of the songs and of the microphones, bus by bus.
    let songs: [String]
    let voices: [String]
    /// The values before the first change, without what is in the songs' files already.
    let mix: MixPlan
    let changes: [TakeChanges.Change]
    let holds: [Take.Hold]
    /// Why the mix differs from what was heard, for people.
    let differences: [String]

    /// Reads the heads of the sound files. Throws where one is not there.
    init(_ stored: StoredTake) throws(DuetError) {
        let take = stored.take
        (rate, lead) = (take.rate, take.lead)
        let names = Take.files(of: take.mix.second).map(\.name).dropLast()
        var longest: Int64 = 0
        for name in names {
            let count = try stored.head(of: name).frameCount
            longest = max(longest, count - (name.hasPrefix("voice") ? 0 : Int64(take.lead)))
        }
        // After a crash the files know more.
        frames = take.isComplete ? min(take.frames, longest) : longest
        func paths(_ isVoice: Bool) -> [String] {
            names.filter { $0.hasPrefix("voice") == isVoice }.map {
                Location.file(stored.path($0)).name
            }
        }
        (songs, voices) = (paths(false), paths(true))
        var mix = take.mix
        for parameter in mix.vocabulary.parameters where parameter.unit.isStage {
            mix[parameter] = parameter.kind.defaultValue
        }
        self.mix = mix
        changes = take.heardChanges(in: mix)
        holds = take.holds
        differences = Self.differences(of: take)
    }

    private static func differences(of take: Take) -> [String] {
        var found = Take.Difference.allCases.filter(take.differences.contains).map { difference in
            switch difference {
            case .voiceProcessing: "voice processing cannot be repeated exactly"
            case .headResponses: "a place around the head was still being loaded"
            case .changes: "the take has more changes than take.json keeps"
            case .unknown: "take.json names a reason that only a later duet knows"
            }
        }
        switch take.firstFrame {
        case 0: break
        case nil: found.append("take.json does not say when in its run the take began")
        default:
            found.append(
                "the take began during the run; reverb and echo from before it are missing")
        }
        let lost = take.gaps.reduce(0) { min($0 + min($1.count, take.frames), take.frames) }
        if lost > 0 {
            let seconds = fixed(Double(lost) / Double(take.rate), digits: 1)
            found.append("\(seconds) s of the take are silent; the disk was too slow")
        }
        if !take.isComplete {
            found.append("the take did not end properly; its last changes may be missing")
        }
        return found
    }
}
