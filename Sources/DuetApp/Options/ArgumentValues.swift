import ArgumentParser
import AudioGraph
import AudioMedia
import Glibc
import JackIO
import SystemSupport

// How each kind of value is read from the command line. Every refusal says what is allowed; the
// parser puts the option's name and the given text before it.

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
        throw ValidationError("a time is 90, 1:30 or 0:01:30, at most a year")
    }
    return time
}

/// Reads a length of time of more than 0 s.
func durationArgument(_ text: String) throws -> ClockTime {
    let time = try timeArgument(text)
    guard time.seconds > 0 else { throw ValidationError("a duration is more than 0") }
    return time
}

/// Reads a number of seconds, 0…a year, with an optional fraction.
func secondsArgument(_ text: String) throws -> Double {
    guard let value = Double(text), (0...SongTime.longest).contains(value) else {
        throw ValidationError("it is a number of seconds, 0 or more, at most a year")
    }
    return value
}

/// Reads a JACK client name: 1…63 bytes, no colon, no control characters.
func clientNameArgument(_ text: String) throws -> String {
    // jack.h: jack_client_name_size() is 64 with the final zero; a colon separates client and port.
    guard (1...63).contains(text.utf8.count), !text.contains(":"), text == SafeText.clean(text)
    else { throw ValidationError("a client name is 1…63 bytes without a colon") }
    return text
}

/// Reads a sample rate in Hz, 8000…192000.
func rateArgument(_ text: String) throws -> Int {
    guard let rate = Int(text), (8000...192_000).contains(rate) else {
        throw ValidationError("a rate is 8000…192000 Hz")
    }
    return rate
}

/// Reads a period in frames, 1…65536.
func periodArgument(_ text: String) throws -> Int {
    guard let frames = Int(text), (1...65536).contains(frames) else {
        throw ValidationError("a period is 1…65536 frames")
    }
    return frames
}

/// Reads a pattern of port names: POSIX extended, or `none`.
func patternArgument(_ text: String) throws -> String {
    guard !text.isEmpty else {
        throw ValidationError("it is empty; write a POSIX extended regular expression, or none")
    }
    // The port was left out, and the song behind the option taken for it.
    if DashedName.endsLikeASong(text), case .file(let name)? = try? Location(text),
        name.isThere
    {
        throw ValidationError("it is a song; a port is wanted here, or none")
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
            "\(option) was given \(patterns.count) times; give it once, or twice for left and right"
        )
    }
    guard patterns.count < 2 || !patterns.contains("none") else {
        throw ValidationError("\(option) none stands alone")
    }
}

/// Reads a SONG; whether it exists is found out when it is opened.
func songArgument(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("it is empty; a song is a URL or a file") }
    return text
}

/// Reads how samples are stored.
func bitsArgument(_ text: String) throws -> SampleFormat {
    guard let format = SampleFormat(rawValue: text.lowercased()) else {
        throw ValidationError("bits are 16, 24 or float")
    }
    return format
}

/// Reads the name of a file to write, which says the format.
func outputArgument(_ text: String) throws -> FileName {
    // An address is what a name is that is not UTF-8.
    guard case .file(let name)? = try? Location(text) else {
        throw ValidationError("-o needs a file on this machine; for a pipe: /dev/stdout")
    }
    guard OutputPlace.container(for: name) != nil else {
        throw ValidationError("the name must end in .wav or .flac")
    }
    return name
}
