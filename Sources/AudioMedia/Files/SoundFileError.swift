import CSndfile
import SystemSupport

/// Why a sound file cannot be read or written: what was tried, what came back, what to do.
public enum SoundFileError: Error, Sendable, Equatable, CustomStringConvertible {
    case cannotRead(path: String, reason: String)
    /// It is a sound file, and cannot be played all the same.
    case cannotPlay(path: String, reason: String, hint: String)
    /// The ending of its name says no format that can be written.
    case unknownFormat(path: String)
    /// The format cannot hold such samples, so many channels, or such a rate.
    case unsupported(path: String, reason: String)
    case cannotCreate(path: String, reason: String)
    case writeFailed(path: String, reason: String)

    /// What was tried and what came back, in one line.
    public var message: String {
        // libsndfile speaks in sentences.
        sentence.last == "." ? String(sentence.dropLast()) : sentence
    }

    private var sentence: String {
        switch self {
        case .cannotRead(let path, let reason): "cannot read \(SafeText.clean(path)): \(reason)"
        case .cannotPlay(let path, let reason, _):
            "cannot play \(SafeText.clean(path)): \(reason)"
        case .unknownFormat(let path):
            "cannot tell the format of \(SafeText.clean(path)) from its name"
        case .unsupported(let path, let reason): "cannot write \(SafeText.clean(path)): \(reason)"
        case .cannotCreate(let path, let reason): "cannot create \(SafeText.clean(path)): \(reason)"
        case .writeFailed(let path, let reason): "writing \(SafeText.clean(path)) failed: \(reason)"
        }
    }

    /// What the user can do.
    public var hint: String {
        switch self {
        case .cannotRead: "check the name, and that it is a sound file"
        case .cannotPlay(_, _, let hint): hint
        case .unknownFormat: "end it in .wav or .flac"
        case .unsupported: "choose other --bits or --rate, or .wav"
        case .cannotCreate: "check the folder and your rights there"
        case .writeFailed: "check the space on the disk"
        }
    }

    /// What the program ends with: 64, 66, 73 or 74.
    public var exitCode: Int32 {
        switch self {
        case .cannotRead, .cannotPlay: 66
        case .unknownFormat, .unsupported: 64
        case .cannotCreate: 73
        case .writeFailed: 74
        }
    }

    /// One line: what was tried, what came back, what to do.
    public var description: String { "\(message); \(hint)" }
}

extension SoundFileError {
    /// libsndfile's words for what went wrong with `handle`, or last with opening one when nil,
    /// without the full stop that some have.
    static func libraryText(_ handle: OpaquePointer?) -> String {
        let text = unsafe String(cString: sf_strerror(handle))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
