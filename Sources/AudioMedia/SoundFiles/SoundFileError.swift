import CSndfile
import SystemSupport

/// Why a sound file cannot be written: what was tried, and what came back.
public enum SoundFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The ending of the file's name is of no format that can be written.
    case unknownFormat(path: String)
    /// The format cannot hold such samples, so many channels, or such a rate.
    case unsupported(path: String, reason: String)
    case cannotCreate(path: String, reason: String)
    case writeFailed(path: String, reason: String)

    /// The error in one line.
    public var description: String {
        // libsndfile ends its texts with a full stop.
        sentence.last == "." ? String(sentence.dropLast()) : sentence
    }

    private var sentence: String {
        switch self {
        case .unknownFormat(let path):
            "cannot tell the format of \(SafeText.clean(path)) from its name"
        case .unsupported(let path, let reason): "cannot write \(SafeText.clean(path)): \(reason)"
        case .cannotCreate(let path, let reason): "cannot create \(SafeText.clean(path)): \(reason)"
        case .writeFailed(let path, let reason): "writing \(SafeText.clean(path)) failed: \(reason)"
        }
    }
}

extension SoundFileError {
    /// libsndfile's words for what went wrong with `handle`, or last with opening one when nil,
    /// without the full stop that some have.
    static func libraryText(_ handle: OpaquePointer?) -> String {
        let text = unsafe String(cString: sf_strerror(handle))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
