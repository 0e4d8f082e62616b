/// The number that `text` writes in decimal digits alone; one that is too large for an `Int64` is
/// `Int64.max`. Nil when it is none.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text) ?? .max
}
