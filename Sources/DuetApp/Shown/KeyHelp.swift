/// Keys that stand together in the help, and what each does: `9/0`, `softer, louder`.
struct KeyHelp: Sendable, Equatable {
    var keys: String
    var help: String
    /// The heading that it stands below; empty: none.
    var heading = ""
}
