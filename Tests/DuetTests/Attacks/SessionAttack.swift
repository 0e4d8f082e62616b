@testable import AudioMedia
@testable import DuetApp

/// Feeds any bytes to the reader of session files.
///
/// The rules: values that were read are within their bounds, are no more than the bytes can hold,
/// and stay the same when written and read again; a refusal names a line that exists.
enum SessionAttack {
    private static let title = Array("duet session\t1\n".utf8)

    /// The first byte of `input` says whether the first line of a session file is put before the
    /// rest.
    static func brokenRule(by input: [UInt8]) -> String? {
        guard let way = input.first else { return nil }
        let bytes = (way & 1 == 0 ? title : []) + input.dropFirst()
        // The file of a project is read in the same way.
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
        let buses = state.mix.second == .song ? 2 : 1
        guard state.songs.count == buses, state.places.count == buses else {
            return "\(state.songs.count) lists of songs, \(state.places.count) places"
        }
        guard state.songs.joined().count + state.wires.count <= byteCount else {
            return "more than \(byteCount) bytes can say"
        }
        for place in state.places
        where !(0...1e9).contains(place.seconds) || place.song.song < 0 || place.song.part < 0 {
            return "a song at \(place)"
        }
        for parameter in state.mix.vocabulary.parameters
        where !parameter.kind.range.contains(state.mix[parameter])
            && !(parameter.kind.mayBeOff && state.mix[parameter] == ValueKind.off)
        {
            return "\(parameter.address) \(state.mix[parameter])"
        }
        // The locations of songs are parsed when the songs are opened.
        for song in state.songs.joined() { _ = try? Location(song) }
        return nil
    }
}
