/// Errors of libvorbisfile and libopusfile, which number them alike.
enum OggError {
    /// Bytes are missing, or no part of the stream.
    static let hole = -3
    /// A packet that cannot be decoded.
    static let badPacket = -136

    /// An error in words.
    static func text(_ code: Int) -> String {
        switch code {
        case -128: "a read failed"
        case -129: "no memory is left"
        case -130: "it uses a feature that is not supported"
        case -132: "its format is another one"
        case -133: "its header is damaged"
        case -134: "its version is not supported"
        case -137: "a part of it is damaged"
        case -139: "its time stamps are damaged"
        default: "error \(code)"
        }
    }
}
