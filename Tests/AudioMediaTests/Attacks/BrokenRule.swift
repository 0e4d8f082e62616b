/// What hostile input made our code do that it never may.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    /// Ends an attack unless the rule `isKept`.
    static func check(
        _ isKept: Bool, _ description: @autoclosure () -> String
    ) throws(BrokenRule) {
        if !isKept { throw BrokenRule(description: description()) }
    }
}
