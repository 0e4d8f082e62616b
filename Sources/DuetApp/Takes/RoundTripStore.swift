import AudioMedia
import Glibc
import JackIO
import SystemSupport

/// The file in which `duet doctor --measure` keeps the round trips that it measured, for takes: a
/// line for each, the newest last.
///
/// All functions block for as long as the disk takes: for threads that nobody waits for.
struct RoundTripStore: Sendable {
    /// The most that are kept; of more the oldest go.
    static let most = 200

    /// Nil for a user without a home.
    static let own = UserFolder.state.map { RoundTripStore(folder: $0) }

    let folder: FileName
    private var path: FileName { folder + "/round-trips" }

    /// The round trip of `path`: measured if it was measured there while JACK reported what it
    /// reports now, else as JACK reports it.
    ///
    /// A live run asks its client for `path` and `reported` on the control thread
    /// (`JackClient.loopPath`, `latency`), and calls this on the thread that writes the take.
    ///
    /// - Parameters:
    ///   - path: nil when the outputs or the microphone are not connected.
    ///   - reported: what JACK reports for the client that records.
    ///   - period: frames in a cycle.
    ///   - store: nil for a user without a home.
    static func roundTrip(
        of path: LoopPath?, reported: JackLatency, period: Int, in store: RoundTripStore? = own
    ) -> RoundTrip {
        guard let path, let store,
            let found = store.read().measured.last(where: {
                $0.holds(for: path, reported: reported)
            }), found.frames <= RoundTrip.longest * path.sampleRate
        else { return RoundTrip(reported: reported, period: period) }
        return RoundTrip(frames: found.frames, source: .measured)
    }

    /// What is kept, and what is wrong with the file, for people.
    func read() -> (measured: [MeasuredRoundTrip], problem: String?) {
        let file = SettingsFile(path: path)
        var wrong = file.wrong
        var measured: [MeasuredRoundTrip] = []
        for line in file.lines {
            if wrong.endsReading() { break }
            do throws(Refusal) {
                measured.append(try MeasuredRoundTrip(line: line.text))
            } catch {
                wrong.add(line.number, error.reason)
            }
        }
        return (measured, wrong.warnings.first)
    }

    /// Keeps `new` in place of what was measured on the same path before. Returns what went wrong,
    /// for people.
    func save(_ new: MeasuredRoundTrip) -> String? {
        var code = UserFolder.make(folder)
        if code == 0 { code = FolderTurn.run(in: folder) { put(new) } }
        return code == 0 ? nil : "cannot write \(path): \(errorText(code))"
    }

    /// Returns 0, or an errno.
    private func put(_ new: MeasuredRoundTrip) -> Int32 {
        let kept = (read().measured.filter { $0.path != new.path } + [new]).suffix(Self.most)
        let head = "# round trips measured by 'duet doctor --measure'; takes use them\n"
        var room = SettingsFile.largest - head.utf8.count
        var lines: [String] = []
        for line in kept.reversed().map({ $0.line + "\n" }) {
            room -= line.utf8.count
            if room < 0 { break }
            lines.append(line)
        }
        return WholeFile.replace(
            path, with: head + lines.reversed().joined(),
            draft: path + FileName(".\(getpid())"))
    }
}
