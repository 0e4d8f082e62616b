import AudioGraph
import AudioMedia

/// The sound of a render: a song, voices from files in place of microphones, and a second song.
final class OfflineSources {
    let voices: [OfflineVoice]
    private let song: OfflineSong
    private let second: OfflineSong?
    private let request: OfflineRequest
    private let mix: MixGraph
    private let target: OfflineTarget
    /// The frame of the mix in which the song begins.
    private let songFrame: Int64

    /// Opens what plays beside `song`.
    init(
        of request: OfflineRequest, _ song: OfflineSong, in mix: MixGraph, for target: OfflineTarget
    ) throws(DuetError) {
        (self.request, self.song, self.mix, self.target) = (request, song, mix, target)
        let rate = mix.graph.sampleRate
        songFrame = SongTime.frame(at: request.songPlace, rate: rate)
        try mix.setSong(song.source, bus: 0)
        voices = try zip(request.voices, request.mix.second.microphones).map {
            (name, count) throws(DuetError) in
            try OfflineVoice(name, sampleRate: rate, channelCount: count, at: request.voicePlace)
        }
        guard let name = request.second else {
            second = nil
            return
        }
        let second = try OfflineSong(name, sampleRate: rate, at: request.secondStart)
        self.second = second
        try mix.setSong(second.source, bus: 1)
    }

    /// All but the song.
    var others: [OfflineSong] { voices.map(\.song) + [second].compactMap { $0 } }

    /// Has the song begin where its frame has come; until then, returns that frame of the mix.
    func begin(at frame: Int64) -> Int64? {
        guard frame >= songFrame else { return songFrame }
        song.begin()
        return nil
    }

    /// Has each voice captured before it is to be heard, by what its way to the mixer delays, and later
    /// by what the song's way delays: so that what was sung on a beat is heard on it. Frames at a voice's
    /// beginning may fall away.
    func align() throws(DuetError) {
        for (index, voice) in voices.enumerated() {
            try voice.lead(by: mix.latency(bus: 1 + index) - mix.latency(bus: 0))
        }
    }

    /// Reports the news. Returns how many frames there are without what effects still give, once that is
    /// known.
    func look() throws(DuetError) -> Int64? {
        try song.tell(target.reporter)
        for other in others { other.forgetNews() }
        try refuse()
        guard song.isOver, voices.allSatisfy(\.isOver), second?.isOver ?? true else { return nil }
        return max(
            songFrame + song.countFrames(), voices.map { $0.countFrames() }.max() ?? 0,
            second?.countFrames() ?? 0)
    }

    /// Refuses to write over a file that is a song, a voice, or a playlist of them, opened or not.
    func refuse() throws(DuetError) {
        guard let file = target.place.facts.map(FilePlace.init) else { return }
        let roles =
            [(song, "the song")] + voices.map { ($0.song, "the voice") }
            + [second].compactMap { $0 }.map { ($0, "the second song") }
        for (song, role) in roles where song.reads(file) {
            throw DuetError(
                status: .usage, attempt: "cannot write \(request.output)",
                result: "it is \(role), a stem of it, or one of its list",
                hint: "give -o another name")
        }
    }

    /// The length of the file in seconds, known where it is asked for, or by the length of a single song;
    /// else infinity.
    var end: Double {
        let asked = request.duration ?? .infinity
        guard !request.loops, song.isSingle, let length = song.duration else { return asked }
        let rest = max(0, length - request.songStart) / request.mix.effects(bus: 0).tuning.speed
        let voices = voices.map { $0.end(from: request.voicePlace) ?? .infinity }.max() ?? 0
        let second = second.map { $0.duration.map { $0 - request.secondStart } ?? .infinity } ?? 0
        return min(asked, max(request.songPlace + rest, voices, second))
    }

    /// The error if nothing was rendered: as a rule the song ends before `--start-at`.
    var nothing: DuetError {
        guard request.songStart > 0 else {
            return DuetError(
                status: .noInput, attempt: "cannot render \(Location.shown(request.song))",
                result: "there is no sound in it", hint: "choose another song")
        }
        return .startIsBehindEnd(song: request.song, asked: request.songStart, end: song.duration)
    }
}
