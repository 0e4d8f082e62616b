/// A rule that our code broke on hostile input.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    /// Ends an attack unless the rule `isKept`.
    static func check(
        _ isKept: Bool, _ description: @autoclosure () -> String
    ) throws(BrokenRule) {
        if !isKept { throw BrokenRule(description: description()) }
    }
}
