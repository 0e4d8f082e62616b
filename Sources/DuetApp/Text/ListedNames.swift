extension [String] {
    /// The names as a sentence has them: `a, b or c` with the word `or`.
    func listed(_ word: String) -> String {
        guard count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(word) \(self[count - 1])"
    }
}
