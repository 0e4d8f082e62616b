import ArgumentParser
import AudioGraph
import AudioMedia
import Glibc
import JackIO
import SystemSupport

// How each kind of value is read from the command line. Every refusal says what is allowed;
// `ParserText` puts the option's name before it.

/// Reads the value of an option for the parameter at `address`.
func assignmentArgument(_ address: String) -> @Sendable (String) throws -> Assignment {
    { text in
        do throws(Refusal) {
            return try Assignment(address, text)
        } catch {
            throw ValidationError(error.reason)
        }
    }
}

/// Reads `ADDRESS=VALUE`.
func assignmentArgument(_ text: String) throws -> Assignment {
    do throws(Refusal) {
        return try Assignment(text)
    } catch {
        throw ValidationError(error.reason)
    }
}

/// Reads a time: `90`, `1:30`, `0:01:30`.
func timeArgument(_ text: String) throws -> ClockTime {
    guard let time = ClockTime(text) else {
        throw ValidationError(
            "use a time like 90, 1:30 or 0:01:30, up to a year, not '\(text.prefix(40))'")
    }
    return time
}

/// Reads a length of time of more than 0 s.
func durationArgument(_ text: String) throws -> ClockTime {
    let time = try timeArgument(text)
    guard time.seconds > 0 else { throw ValidationError("use a time of more than 0 s") }
    return time
}

/// Reads by how much a voice is moved, in seconds.
func voiceOffsetArgument(_ text: String) throws -> Double {
    let kind = ValueKind(unit: .seconds, range: -3600...3600, defaultValue: 0)
    do throws(Refusal) { return try kind.read(text) } catch {
        throw ValidationError(error.reason)
    }
}

/// Reads a number of seconds, 0…a year, with an optional fraction.
func secondsArgument(_ text: String) throws -> Double {
    guard let value = Double(text), (0...SongTime.longest).contains(value) else {
        throw ValidationError("use a number of seconds, from 0 to a year, not '\(text.prefix(40))'")
    }
    return value
}

/// Reads a JACK client name: 1…63 bytes, no colon, no control characters.
func clientNameArgument(_ text: String) throws -> String {
    // jack.h: jack_client_name_size() is 64 with the final zero; a colon separates client and port.
    guard (1...63).contains(text.utf8.count), !text.contains(":"), text == SafeText.clean(text)
    else { throw ValidationError("use a name of 1…63 bytes without a colon") }
    return text
}

/// Reads a sample rate in Hz, 8000…192000.
func rateArgument(_ text: String) throws -> Int {
    guard let rate = Int(text), (8000...192_000).contains(rate) else {
        throw ValidationError("use 8000…192000 Hz, not '\(text.prefix(40))'")
    }
    return rate
}

/// Reads a loudness in LUFS, −40…−5, with or without its unit.
func loudnessArgument(_ text: String) throws -> Double {
    let number = text.lowercased().hasSuffix("lufs") ? text.dropLast(4) : text[...]
    guard let value = Double(number), (-40 ... -5).contains(value) else {
        throw ValidationError("use -40…-5 LUFS, not '\(text.prefix(40))'")
    }
    return value
}

/// Reads a period in frames, 1…65536.
func periodArgument(_ text: String) throws -> Int {
    guard let frames = Int(text), (1...65536).contains(frames) else {
        throw ValidationError("use 1…65536 frames, not '\(text.prefix(40))'")
    }
    return frames
}

/// Reads a pattern of port names: POSIX extended, or `none`.
func patternArgument(_ text: String) throws -> String {
    guard !text.isEmpty else {
        throw ValidationError(
            "use the name of a port, a regular expression, or none, not an empty text")
    }
    // The port was left out, and the song behind the option taken for it.
    if DashedName.endsLikeASong(text), case .file(let name)? = try? Location(text),
        name.isThere
    {
        throw ValidationError("use the name of a port, or none, not a song's file")
    }
    do throws(PortPattern.Failure) {
        _ = try PortPattern(pattern: text)
    } catch {
        throw ValidationError(error.description)
    }
    return text
}

/// Refuses more than two patterns, and `none` beside another pattern.
func checkPatterns(_ patterns: [String], of option: String) throws {
    guard patterns.count <= 2 else {
        throw ValidationError(
            "give \(option) once, or twice for left and right, not \(patterns.count) times"
        )
    }
    guard patterns.count < 2 || !patterns.contains("none") else {
        throw ValidationError("\(option) none does not go with other ports")
    }
}

/// Reads a SONG; whether it exists is found out when it is opened.
func songArgument(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("use a file or a URL, not an empty text") }
    return text
}

/// Reads how samples are stored.
func bitsArgument(_ text: String) throws -> SampleFormat {
    guard let format = SampleFormat(rawValue: text.lowercased()) else {
        throw ValidationError("use 16, 24 or float, not '\(text.prefix(40))'")
    }
    return format
}

/// Reads the name of a file to write, which says the format.
func outputArgument(_ text: String) throws -> FileName {
    // An address is what a name is that is not UTF-8.
    guard case .file(let name)? = try? Location(text) else {
        throw ValidationError("use a file on this machine, or /dev/stdout for a pipe")
    }
    guard OutputPlace.container(for: name) != nil else {
        // A pipe or a device would get FLAC.
        guard text != "/dev/stdout" else {
            throw ValidationError("standard output is a file; use -o FILE.flac instead")
        }
        throw ValidationError("use a name that ends in \(SoundContainer.endings), not '\(text)'")
    }
    return name
}

/// Reads the name of a case.
func choiceArgument<Choice: CaseIterable & RawRepresentable<String>>(
    _ text: String
) throws -> Choice {
    guard let choice = Choice(rawValue: text) else {
        let names = Choice.allCases.map(\.rawValue).listed("or")
        throw ValidationError("use \(names), not '\(text.prefix(40))'")
    }
    return choice
}

/// Reads where takes are kept: `default`, or the name of a folder. No shell expands a `~` behind an equals sign.
func folderArgument(_ text: String) throws -> RecordOptions.Place {
    guard text != "default" else { return .standard }
    if text.hasPrefix("~/"), let home = UserFolder.home {
        return .folder(home + FileName(String(text.dropFirst())))
    }
    guard case .file(let name)? = try? Location(text) else {
        throw ValidationError("use a folder on this machine, not '\(text.prefix(100))'")
    }
    return .folder(name)
}
