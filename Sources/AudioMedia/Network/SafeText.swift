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

/// The system's words for an errno.
func systemText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
