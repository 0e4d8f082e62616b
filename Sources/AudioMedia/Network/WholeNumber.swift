/// The number that `text` writes in decimal digits; a number too large for an `Int64` becomes
/// `Int64.max`. Nil when `text` is anything but digits.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text) ?? .max
}
