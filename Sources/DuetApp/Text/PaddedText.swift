extension String {
    /// The text with spaces after it, `width` characters in all; longer texts as they are.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
