import Glibc

/// Text from outside as it may be shown: valid UTF-8 without control or escape characters.
func safeText(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.filter {
                switch $0.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }))
}

/// The same of bytes, at most 500 characters of it; what is no UTF-8 becomes U+FFFD.
func safeText(_ bytes: [UInt8]) -> String {
    String(safeText(String(decoding: bytes, as: UTF8.self)).prefix(500))
}

/// The system's words for an errno, as `Connection refused`.
func errorText(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}

/// A variable of the environment; nil when it is absent.
@usableFromInline
func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
}
