import AudioGraph
import AudioMedia
import Glibc
import JackIO
import Logging
import SystemSupport

// How each kind of value is read. Every refusal says what is allowed; the parser puts the option's name
// before it.

/// Takes any text.
func anyArgument(_ text: String) throws(Refusal) -> String { text }

/// Reads a time: `90`, `1:30`, `0:01:30`.
func timeArgument(_ text: String) throws(Refusal) -> ClockTime {
    guard let time = ClockTime(text) else {
        throw Refusal(
            reason:
                "use a time like 90, 1:30 or 0:01:30, up to a year, not '\(text.prefix(40))'")
    }
    return time
}

/// Reads a length of time of more than 0 s.
func durationArgument(_ text: String) throws(Refusal) -> ClockTime {
    let time = try timeArgument(text)
    guard time.seconds > 0 else { throw Refusal(reason: "use a time of more than 0 s") }
    return time
}

/// Reads by how much a voice is moved, in seconds.
func voiceOffsetArgument(_ text: String) throws(Refusal) -> Double {
    try ValueKind(unit: .seconds, range: -3600...3600, defaultValue: 0).read(text)
}

/// Reads a number of seconds, 0…a year, with an optional fraction.
func secondsArgument(_ text: String) throws(Refusal) -> Double {
    guard let value = Double(text), (0...SongTime.longest).contains(value) else {
        throw Refusal(reason: "use a number of seconds, from 0 to a year, not '\(text.prefix(40))'")
    }
    return value
}

/// Reads a JACK client name: 1…63 bytes, no colon, no control characters.
func clientNameArgument(_ text: String) throws(Refusal) -> String {
    // jack.h: jack_client_name_size() is 64 with the final zero; a colon separates client and port.
    guard (1...63).contains(text.utf8.count), !text.contains(":"), text == SafeText.clean(text)
    else { throw Refusal(reason: "use a name of 1…63 bytes without a colon") }
    return text
}

/// Reads a sample rate in Hz, 8000…192000.
func rateArgument(_ text: String) throws(Refusal) -> Int {
    guard let rate = Int(text), (8000...192_000).contains(rate) else {
        throw Refusal(reason: "use 8000…192000 Hz, not '\(text.prefix(40))'")
    }
    return rate
}

/// Reads a loudness in LUFS, −40…−5, with or without its unit.
func loudnessArgument(_ text: String) throws(Refusal) -> Double {
    let number = text.lowercased().hasSuffix("lufs") ? text.dropLast(4) : text[...]
    guard let value = Double(number), (-40 ... -5).contains(value) else {
        throw Refusal(reason: "use -40…-5 LUFS, not '\(text.prefix(40))'")
    }
    return value
}

/// Reads a period in frames, 1…65536.
func periodArgument(_ text: String) throws(Refusal) -> Int {
    guard let frames = Int(text), (1...65536).contains(frames) else {
        throw Refusal(reason: "use 1…65536 frames, not '\(text.prefix(40))'")
    }
    return frames
}

/// Reads a pattern of port names: POSIX extended, or `none`.
func patternArgument(_ text: String) throws(Refusal) -> String {
    guard !text.isEmpty else {
        throw Refusal(
            reason:
                "use the name of a port, a regular expression, or none, not an empty text")
    }
    // The port was left out, and the song behind the option taken for it.
    if DashedName.endsLikeASong(text), case .file(let name)? = try? Location(text),
        name.isThere
    {
        throw Refusal(reason: "use the name of a port, or none, not a song's file")
    }
    do throws(PortPattern.Failure) {
        _ = try PortPattern(pattern: text)
    } catch {
        throw Refusal(reason: error.description)
    }
    return text
}

/// Reads a SONG; whether it exists is found out when it is opened.
func songArgument(_ text: String) throws(Refusal) -> String {
    guard !text.isEmpty else { throw Refusal(reason: "use a file or a URL, not an empty text") }
    return text
}

/// Reads how samples are stored.
func bitsArgument(_ text: String) throws(Refusal) -> SampleFormat {
    guard let format = SampleFormat(rawValue: text.lowercased()) else {
        throw Refusal(reason: "use 16, 24 or float, not '\(text.prefix(40))'")
    }
    return format
}

/// Reads the name of a file to write, which says the format.
func outputArgument(_ text: String) throws(Refusal) -> FileName {
    // An address is what a name is that is not UTF-8.
    guard case .file(let name)? = try? Location(text) else {
        throw Refusal(reason: "use a file on this machine, or /dev/stdout for a pipe")
    }
    guard OutputPlace.container(for: name) != nil else {
        // A pipe or a device would get FLAC.
        guard text != "/dev/stdout" else {
            throw Refusal(reason: "standard output is a file; use -o FILE.flac instead")
        }
        throw Refusal(reason: "use a name that ends in \(SoundContainer.endings), not '\(text)'")
    }
    return name
}

/// Reads the name of a case.
func choiceArgument<Choice: CaseIterable & RawRepresentable<String>>(
    _ text: String
) throws(Refusal) -> Choice {
    guard let choice = Choice(rawValue: text) else {
        let names = Choice.allCases.map(\.rawValue).listed("or")
        throw Refusal(reason: "use \(names), not '\(text.prefix(40))'")
    }
    return choice
}

/// Where takes are kept.
enum TakesPlace: Sendable, Equatable {
    /// As `TakesFolder.standard`.
    case standard
    case folder(FileName)

    /// Nil in the standard place.
    var folder: FileName? { if case .folder(let name) = self { name } else { nil } }
}

/// Reads where takes are kept: `default`, or the name of a folder. No shell expands a `~` behind an equals
/// sign.
func folderArgument(_ text: String) throws(Refusal) -> TakesPlace {
    guard text != "default" else { return .standard }
    if text.hasPrefix("~/"), let home = UserFolder.home {
        return .folder(home + FileName(String(text.dropFirst())))
    }
    guard case .file(let name)? = try? Location(text) else {
        throw Refusal(reason: "use a folder on this machine, not '\(text.prefix(100))'")
    }
    return .folder(name)
}

/// Reads the name of a music folder; whether it is there is found out when it is read. No shell expands a
/// `~` in duet.conf.
func musicArgument(_ text: String) throws(Refusal) -> FileName {
    guard !text.isEmpty, let folder = try folderArgument(text).folder else {
        throw Refusal(reason: "use a folder on this machine, not '\(text.prefix(100))'")
    }
    return folder.whole
}

/// Reads the place of lyrics; whether they are there is found out when the song is.
func lyricsArgument(_ text: String) throws(Refusal) -> String {
    let place: Location
    do throws(SongError) { place = try Location(text) } catch {
        throw Refusal(reason: error.fault.description)
    }
    guard !text.isEmpty, place != .standardInput else {
        throw Refusal(reason: "use a file or an http(s) URL, not '\(text.prefix(40))'")
    }
    return text
}

/// Reads the name of a stem; whether it is there is found out when the song is.
func stemArgument(_ text: String) throws(Refusal) -> Location {
    guard !text.isEmpty, let place = try? Location(text), case .file = place else {
        throw Refusal(reason: "use a file on this machine, not '\(text.prefix(40))'")
    }
    return place
}

/// Reads the name of an encoding.
func encodingArgument(_ text: String) throws(Refusal) -> String {
    guard TextEncoding.isKnown(text) else {
        throw Refusal(
            reason:
                "no encoding '\(text.prefix(40))' that extends ASCII; 'iconv --list' shows their names"
        )
    }
    return text
}

/// Reads from where commands come.
func controlArgument(_ text: String) throws(Refusal) -> String {
    guard !text.isEmpty else {
        throw Refusal(reason: "use a number or a path, not an empty text")
    }
    // Before anything is opened that might have this number.
    if let descriptor = Int32(text) {
        guard descriptor > STDERR_FILENO, fcntl(descriptor, F_GETFD) >= 0 else {
            throw Refusal(reason: "use an open descriptor from 3 on, not '\(text.prefix(40))'")
        }
    }
    return text
}

/// The names of all levels of the log, in a sentence.
let logLevelNames = Logger.Level.allCases.map(\.rawValue).listed("or")

/// Reads the name of a log level.
func logLevelArgument(_ text: String) throws(Refusal) -> Logger.Level {
    guard let level = Logger.Level(rawValue: text.lowercased()) else {
        throw Refusal(reason: "use \(logLevelNames), not '\(text.prefix(40))'")
    }
    return level
}

/// The address of a server of words, without a slash at its end.
func lyricsServerArgument(_ text: String) throws(Refusal) -> String {
    let authority = text.drop { $0 != ":" }.dropFirst().drop { $0 == "/" }.prefix { $0 != "/" }
    guard !authority.contains("@") else {
        throw Refusal(reason: "use a server that needs no password")
    }
    guard text.utf8.count < 1000, !text.contains(where: { "?#".contains($0) }),
        let place = try? Location(text), case .remote(let address, _) = place
    else { throw Refusal(reason: "use an http(s) URL like https://lrclib.net") }
    return address.last == "/" ? String(address.dropLast()) : address
}

/// The name of a singer.
func singerArgument(_ text: String) throws(Refusal) -> String {
    guard let name = SingerName.read(text) else { throw Refusal(reason: "give a name") }
    guard text.withoutSpaceAround.unicodeScalars.count <= SingerName.longest else {
        throw Refusal(reason: "use a name of at most \(SingerName.longest) characters")
    }
    return name
}

/// Where the music for breaks is.
func breakMusicArgument(_ text: String) throws(Refusal) -> Location {
    guard !text.isEmpty, let place = try? Location(text), place != .standardInput else {
        throw Refusal(reason: "use a folder, a file or an http(s) URL, not '\(text.prefix(40))'")
    }
    return place
}
