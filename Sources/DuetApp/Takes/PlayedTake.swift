import AudioGraph
import AudioMedia
import Glibc
import SystemSupport

/// A take that a live run plays: its files in the places of a song and of microphones.
struct PlayedTake: Sendable {
    let stored: StoredTake
    /// What the take mixed at its first frame, without what is in `song.wav` already: key, tempo and
    /// vocals.
    let mix: MixPlan
    /// Whether song and voices together are the song that somebody sings to; false: they are the mix.
    let isBacking: Bool
    /// The song's file and those of what plays beside it, bus by bus.
    let files: [FileName]

    /// That of a backing is the singer's: the output has its own.
    private static let outputVolume = "/out/volume"

    /// The take that the songs of a command name; nil: they are songs. Waits 2 s at most for a disk: a
    /// take's files that it took for songs would play one after the other.
    static func find(
        among songs: [String], isBacking: Bool
    ) throws(DuetError) -> PlayedTake? {
        let songs = Array(songs.prefix(100))
        let found: Result<PlayedTake, DuetError>?
        do throws(BoundedCall.Failure) {
            found = try BoundedCall.call(milliseconds: 2000, unless: { Signals.isStopping }) {
                guard songs.contains(where: StoredTake.isOne) else { return nil }
                return Result { () throws(DuetError) in
                    try PlayedTake(StoredTake(songs[0]), isBacking: isBacking)
                }
            }
        } catch {
            // A song by its name waits for its disk by itself.
            guard !Signals.isStopping, let name = songs.first(where: canBeOne) else { return nil }
            let isSlow = error == .unanswered
            throw DuetError(
                status: .inputOutput, attempt: "cannot play \(Location.shown(name))",
                result: isSlow
                    ? "its disk did not respond within 2 s" : "no thread can be made",
                hint: "try again")
        }
        guard let found else { return nil }
        guard songs.count == 1 else {
            throw DuetError(
                status: .usage, attempt: "cannot play a take among songs",
                result: "a take is played by itself", hint: "name the take alone")
        }
        return try found.get()
    }

    /// Whether a name can be that of a take, as far as it says.
    private static func canBeOne(_ song: String) -> Bool {
        guard case .file? = try? Location(song) else { return false }
        return !DashedName.endsLikeASong(song)
    }

    /// Reads the heads of the take's files. Blocks for as long as the disk takes.
    init(_ stored: StoredTake, isBacking: Bool) throws(DuetError) {
        self.stored = stored
        self.isBacking = isBacking
        var mix = stored.take.mix
        (mix.playsVoices, mix.guardsFeedback) = (true, false)
        for parameter in mix.vocabulary.parameters
        where parameter.unit.isStage || isBacking && parameter.address == Self.outputVolume {
            mix[parameter] = parameter.kind.defaultValue
        }
        self.mix = mix
        let names = Take.files(of: mix.second).map(\.name).dropLast()
        for name in names { _ = try stored.head(of: name) }
        files = names.map(stored.path)
    }

    /// The folder that it lies in, where takes beside it belong.
    var place: FileName {
        let folder = stored.folder.whole.folder.bytes
        return folder.count > 1 ? FileName(bytes: folder.dropLast()) : "/"
    }

    /// What the song is called on the screen.
    var title: String {
        let song = stored.take.songs.first { $0.bus == 0 }
        let address = song?.address.split(separator: "/").last.map(String.init)
        // One that was sung to was called so, too.
        let title = song?.title.map {
            String($0[..<($0.firstRange(of: " · take ")?.lowerBound ?? $0.endIndex)])
        }
        return [title ?? address, "take \(stored.folder.whole.last)"].compactMap { $0 }
            .joined(separator: " · ")
    }

    /// For people: `take's voice +10 ms`.
    static func text(ofOffset seconds: Double) -> String {
        "take's voice \(ValueKind.takeOffset.text(seconds))"
    }

    /// The changes that were made, with the voices `offset` seconds later.
    func changes(offset: Double) -> [TakeChanges.Change] {
        stored.take.timedChanges(in: mix, offset: offset).filter {
            !isBacking || $0.parameter.address != Self.outputVolume
        }
    }
}
