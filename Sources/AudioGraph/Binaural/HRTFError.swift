#if Spatial
import SystemSupport

/// Why the way from each direction to the ears is not known; sound is panned by level alone.
public enum HRTFError: Error, Hashable, CustomStringConvertible {
    /// The file is not there, or cannot be read. An errno.
    case unreadable(path: String, code: Int32)
    /// The file is too large to be one of measured directions, in bytes.
    case tooLarge(path: String, bytes: Int)
    /// libmysofa does not take the file; its code, as `mysofa.h` names them.
    case refused(path: String, code: Int32)
    /// The file's numbers are beyond what measured directions can have.
    case odd(path: String, reason: String)
    /// The system had no thread left to read the file.
    case noThread(path: String)

    public var description: String {
        switch self {
        case .unreadable(let path, let code):
            "cannot read \(path): \(errorText(code)): install libmysofa's data (the package "
                + "libmysofa1)"
        case .tooLarge(let path, let bytes): "\(path) is too large for a SOFA file: \(bytes) bytes"
        case .refused(let path, let code): "libmysofa cannot use \(path): error \(code)"
        case .odd(let path, let reason): "cannot use \(path): \(reason)"
        case .noThread(let path): "no thread is left to read \(path): end other programs"
        }
    }
}
#endif
