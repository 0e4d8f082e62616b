extension String {
    /// The text without spaces, tabs, carriage returns and byte order marks at its ends.
    var withoutSpaceAround: String {
        func isInk(_ scalar: Unicode.Scalar) -> Bool {
            ![" ", "\t", "\r", "\u{FEFF}"].contains(scalar)
        }
        guard let first = unicodeScalars.firstIndex(where: isInk),
            let last = unicodeScalars.lastIndex(where: isInk)
        else { return "" }
        return String(unicodeScalars[first...last])
    }
}
