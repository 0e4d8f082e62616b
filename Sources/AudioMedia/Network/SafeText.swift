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

/// The same of bytes that are UTF-8 or, when they are not, Latin-1.
func safeText(bytes: some Collection<UInt8>) -> String {
    safeText(
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
}

/// The system's words for an errno.
func systemText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
