/// What a key does only when it is pressed twice, because it takes something away.
struct KeyQuestion {
    /// Seconds in which the key must come again.
    private static let patience = 4.0

    private var asked: (action: Action, end: Double)?

    /// Takes what a key asks for.
    ///
    /// - Parameters:
    ///   - isRisky: whether it is to be asked for twice.
    ///   - now: in seconds of the clock.
    /// - Returns: whether it is done now.
    mutating func isAnswered(by action: Action, isRisky: Bool, now: Double) -> Bool {
        let isAgain = asked.map { $0.action == action && now < $0.end } ?? false
        asked = isRisky && !isAgain ? (action, now + Self.patience) : nil
        return asked == nil
    }
}
