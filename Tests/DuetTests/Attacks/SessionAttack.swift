import AudioMedia

@testable import duet

/// Any bytes as the file of a session.
///
/// The rules: what is read is within its bounds, as much as the bytes can say, and the same when
/// it is written and read again; what is not read is refused by a line that is there.
enum SessionAttack {
    private static let title = Array("duet session\t1\n".utf8)

    /// The first byte says whether the file's first line is put before the others.
    static func brokenRule(by input: [UInt8]) -> String? {
        guard let way = input.first else { return nil }
        let bytes = (way & 1 == 0 ? title : []) + input.dropFirst()
        // As a project's file is read.
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let state: SessionState
        do throws(SessionState.Malformed) {
            state = try SessionState(text: text)
        } catch {
            let lines = text.unicodeScalars.count { $0 == "\n" } + 1
            return (0...lines).contains(error.line) ? nil : "line \(error.line) of \(lines)"
        }
        if let broken = brokenBound(of: state, byteCount: bytes.count) { return broken }
        guard let again = try? SessionState(text: state.text), again == state else {
            return "written, it is not read as the same: \(state.text)"
        }
        return brokenBound(of: state.portable, byteCount: bytes.count)
    }

    private static func brokenBound(of state: SessionState, byteCount: Int) -> String? {
        let buses = state.settings.second == .song ? 2 : 1
        guard state.songs.count == buses, state.places.count == buses,
            state.settings.strips.count == 2
        else { return "\(state.songs.count) lists of songs, \(state.places.count) places" }
        guard state.songs.joined().count + state.wires.count <= byteCount else {
            return "more than \(byteCount) bytes can say"
        }
        for place in state.places
        where !(0...1e9).contains(place.seconds) || place.song.song < 0 || place.song.part < 0 {
            return "a song at \(place)"
        }
        let volumes = state.settings.strips.map(\.volume) + [state.settings.outputVolume]
        guard volumes.allSatisfy({ (0...4).contains($0.gain) }),
            state.settings.strips.allSatisfy({ (-1...1).contains($0.pan.position) }),
            state.settings.ceiling.map({ (-60...0).contains($0.value) }) ?? true
        else { return "\(state.settings)" }
        // Where the songs lie is looked at when they are opened.
        for song in state.songs.joined() { _ = try? Location(song) }
        return nil
    }
}
